// Whether the figures of a period are behind: they are added up in the background, and say until when they are. Pure.

import type { Overview } from "../../../packages/client/src/openapi.ts";
import { DAY_MS } from "../words/dates.ts";

/** By so much they always are. */
const USUAL_MS = 2 * 60_000;

/** "all": nothing of the period is in them yet, so a zero would say what nobody knows. */
export type Behind = "no" | "some" | "all";

export function behindOf({ as_of, from, to }: Pick<Overview, "as_of" | "from" | "to">, now: Date): Behind {
  const [upToMs, beginsMs] = [Date.parse(as_of), Date.parse(from.slice(0, 10))];
  const endsMs = Math.min(Date.parse(to.slice(0, 10)) + DAY_MS, now.getTime());
  if (upToMs >= endsMs - USUAL_MS) return "no";
  return upToMs <= beginsMs ? "all" : "some";
}
