// Whether something on the page is still to come, for who hears the page. Screen readers tell reliably only what comes into a status that
// was there before: so the whole console has one, and whatever waits is counted.

import { VisuallyHidden } from "@mantine/core";
import { useEffect, useSyncExternalStore } from "react";

let waits = 0;
const listeners = new Set<() => void>();

function count(more: 1 | -1): void {
  waits += more;
  for (const listener of listeners) listener();
}

/** Beside what is seen meanwhile. */
export function Waits() {
  useEffect(() => {
    count(1);
    return () => count(-1);
  }, []);
  return null;
}

export function WaitingSaid() {
  const waiting = useSyncExternalStore(onChange, () => waits > 0);
  return <VisuallyHidden role="status">{waiting ? "Loading" : ""}</VisuallyHidden>;
}

function onChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
