// The settlement schedule of a processor record: four times of day (UTC), and the instants that follow from them.

import { defaultTerms } from "./account-terms.ts";
import type { SettlementTimes } from "./outcome.ts";

/** `"HH:MM"`, UTC. */
export type TimeOfDay = string;

export interface Schedule {
  /** Null: authorizations stay open until the merchant captures them. */
  readonly auto_capture_at: TimeOfDay | null;
  readonly cutoff_at: TimeOfDay;
  readonly settled_at: TimeOfDay;
  readonly visible_at: TimeOfDay;
}

/** Specification 8: the timings of a default merchant profile; decisions 4: the cut-off is the same in every currency. */
export function defaultSchedule(currency: string): Schedule {
  return {
    auto_capture_at: defaultTerms(currency).autoCaptureAt,
    cutoff_at: "22:00",
    settled_at: "02:00",
    visible_at: "02:20",
  };
}

/** When money captured at this instant settles: captured before the cut-off is in that day's batch, at it in the next. */
export function settlementTimes(schedule: Schedule, capturedAt: Date): SettlementTimes {
  const cutoffAt = nextAfter(capturedAt, schedule.cutoff_at);
  const settledAt = nextAfter(cutoffAt, schedule.settled_at);
  return { cutoffAt, settledAt, visibleAt: nextFrom(settledAt, schedule.visible_at) };
}

const DAY_MS = 86_400_000;

/** The first instant after this one that has this time of day. */
export const nextAfter = (instant: Date, time: TimeOfDay): Date => nextFrom(new Date(instant.getTime() + 1), time);

function nextFrom(instant: Date, time: TimeOfDay): Date {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  const midnight = Math.floor(instant.getTime() / DAY_MS) * DAY_MS;
  const today = midnight + (hours * 60 + minutes) * 60_000;
  return new Date(today >= instant.getTime() ? today : today + DAY_MS);
}
