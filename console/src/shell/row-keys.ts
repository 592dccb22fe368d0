// `j` and `k` go down and up the rows of a list, as in a mail program; Enter opens the row, since what has the focus is its link.

import { useHotkeys } from "@mantine/hooks";
import type { RefObject } from "react";

export function useRowKeys(page: RefObject<HTMLElement | null>): void {
  useHotkeys([
    ["j", () => focusRow(page.current, 1)],
    ["k", () => focusRow(page.current, -1)],
  ]);
}

/** From the row that has the focus; from outside, into the first or the last one. */
function focusRow(page: HTMLElement | null, by: 1 | -1): void {
  const rows = [...(page?.querySelectorAll<HTMLElement>("tbody tr") ?? [])];
  const openers = rows.flatMap((row) => row.querySelector<HTMLElement>("a, button") ?? []);
  const at = openers.findIndex((opener) => opener.closest("tr")?.contains(document.activeElement));
  const next = at === -1 && by === -1 ? openers.length - 1 : at + by;
  openers[next]?.focus();
}
