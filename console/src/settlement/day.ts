// A settlement day by a record's schedule: from one moment at which settled money shows to the next, so that each instant of the clock
// has one place in it. Until the cut-off money is collected; after it, nobody but the processor knows whether it has settled. Pure.

/** Times of day in UTC, such as `22:00`. */
export interface Schedule {
  readonly auto_capture_at: string | null;
  readonly cutoff_at: string;
  readonly settled_at: string;
  readonly visible_at: string;
}

export interface Mark {
  readonly name: string;
  readonly at: Date;
  /** Where it stands in the day, from 0 to 1. */
  readonly place: number;
}

export interface SettlementDay {
  readonly begins: Date;
  readonly cutoff: Mark;
  readonly ends: Mark;
  /** Automatic capture, and when the processor has settled. */
  readonly others: readonly Mark[];
  readonly now: Mark;
}

const DAY_MS = 86_400_000;

/** The first instant after `now` at this time of day. */
export function nextAt(now: Date, time: string): Date {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS + (hours * 60 + minutes) * 60_000;
  return new Date(today > now.getTime() ? today : today + DAY_MS);
}

export function settlementDay(schedule: Schedule, now: Date): SettlementDay {
  const end = nextAt(now, schedule.visible_at);
  const begins = new Date(end.getTime() - DAY_MS);
  const mark = (name: string, at: Date): Mark => ({ name, at, place: (at.getTime() - begins.getTime()) / DAY_MS });
  // An instant that falls on the day's beginning belongs to its end.
  const on = (name: string, time: string) => mark(name, nextAt(begins, time));
  return {
    begins,
    cutoff: on("Cut-off", schedule.cutoff_at),
    ends: mark("Shown as settled", end),
    others: [
      ...(schedule.auto_capture_at === null ? [] : [on("Automatic capture", schedule.auto_capture_at)]),
      on("Settled at the processor", schedule.settled_at),
    ],
    now: mark("Now", now),
  };
}

/** What the clock means for money that was captured today, in a sentence. */
export function sayNow({ cutoff, now }: SettlementDay): string {
  return now.at < cutoff.at
    ? "What is captured now is in today's batch. Until the cut-off it can be voided."
    : "Settlement is in progress: today's batch may have settled or not. What is captured now is in the next one.";
}
