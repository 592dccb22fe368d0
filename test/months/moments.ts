// Where the clock goes: by a record's times of day, or by what happens next to some money.

import type { ProcessorRecord } from "../../src/payment/processor-record.ts";
import type { Mirrored } from "../simulation/mirror.ts";
import { timeFrom } from "../simulation/money.ts";
import type { MonthStep } from "./steps.ts";

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;

/** @returns milliseconds, never before now */
export function momentOf(
  { to, record: index, days, hours }: MonthStep & { step: "clock" },
  records: readonly ProcessorRecord[],
  mirrors: readonly Mirrored[],
  now: number,
): number {
  if (to === "hours") return now + days * DAY + hours * HOUR + HOUR / 4;
  if (to === "change" || to === "before change") {
    const changes = mirrors.flatMap(({ events }) => events.flatMap(({ cutoffAt, visibleAt }) => [cutoffAt, visibleAt]));
    const next = changes.filter((at) => at > now + 1).sort((a, b) => a - b)[hours % 3];
    if (next === undefined || !Number.isFinite(next)) return now + HOUR;
    return to === "change" ? next : next - 1;
  }
  const schedule = records[index]?.schedule;
  const time = schedule && TIMES[to](schedule);
  const at = timeFrom(now + 2, time ?? "12:00") + days * DAY;
  if (to === "in window") return at + ((hours * HOUR) / 3 + HOUR / 60);
  return to.startsWith("before") ? at - 1 : at;
}

type Schedule = ProcessorRecord["schedule"];

const TIMES = {
  "auto-capture": ({ auto_capture_at: time }: Schedule) => time,
  "before auto-capture": ({ auto_capture_at: time }: Schedule) => time,
  "cut-off": ({ cutoff_at: time }: Schedule) => time,
  "before cut-off": ({ cutoff_at: time }: Schedule) => time,
  "in window": ({ cutoff_at: time }: Schedule) => time,
  visible: ({ visible_at: time }: Schedule) => time,
  "before visible": ({ visible_at: time }: Schedule) => time,
};
