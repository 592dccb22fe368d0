// The way back from a record to the list that it was opened from, with its filters and its page. It stands in the entry of the browser's
// history, so it is still there after a reload, and belongs to the tab.

import { useHistoryState } from "wouter/use-browser-location";

/** What a list's row leaves in the history. */
export interface CameFrom {
  /** `/transactions?status=declined&page=2` */
  readonly list: string;
}

/** @param list the address of the list without anything */
export function useWayBack(list: string | undefined): string | undefined {
  const state: unknown = useHistoryState();
  if (list === undefined || typeof state !== "object" || state === null || !("list" in state)) return list;
  const { list: left } = state;
  return typeof left === "string" && left.startsWith(`${list}?`) ? left : list;
}
