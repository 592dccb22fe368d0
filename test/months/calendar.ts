// The model's calendar: the schedule in force of each record, and when its authorizations are captured next (decisions,
// section 4). Milliseconds.

import type { ProcessorRecord } from "../../src/payment/processor-record.ts";
import { timeFrom } from "../simulation/money.ts";

type Schedule = ProcessorRecord["schedule"];

export interface Calendar {
  /** The first instant at which something is captured, and of which records; undefined while nothing ever is. */
  next(): { readonly at: number; readonly records: ReadonlySet<string> } | undefined;
  /** What was due then is due again at its next time of day. */
  captured(at: number, now: number): void;
  /** A time of capture that is new counts from now on; any other change leaves it where it is. */
  changed(record: string, before: Schedule, after: Schedule, now: number): void;
}

export function calendarOf(records: readonly ProcessorRecord[], now: number): Calendar {
  const due = new Map<string, { readonly at: number; readonly time: string }>();
  const set = (record: string, time: string | null, after: number): void => {
    if (time === null) due.delete(record);
    else due.set(record, { at: timeFrom(after + 1, time), time });
  };
  for (const { id, schedule } of records) set(id, schedule.auto_capture_at, now);
  return {
    next: () => {
      if (due.size === 0) return undefined;
      const at = Math.min(...[...due.values()].map((one) => one.at));
      return { at, records: new Set([...due].filter(([, one]) => one.at === at).map(([id]) => id)) };
    },
    captured: (at, now) => {
      for (const [record, one] of due) if (one.at === at) set(record, one.time, Math.max(at, now));
    },
    changed: (record, before, after, now) => {
      if (before.auto_capture_at !== after.auto_capture_at) set(record, after.auto_capture_at, now);
    },
  };
}
