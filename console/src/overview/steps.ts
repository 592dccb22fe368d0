// The steps of a period, those without events among them, so that a chart has a place for each. Pure.

import { dayOf } from "../words/dates.ts";

export type Step = "hour" | "day" | "month";

const HOUR_MS = 3_600_000;
/** Of a period that is longer than any that the page offers. */
const MOST_STEPS = 400;

/** The beginnings of all steps from `from` up to, but not including, `to`. */
export function stepsOf(from: Date, to: Date, step: Step): readonly Date[] {
  const steps: Date[] = [];
  for (let at = beginningOf(from, step); at < to && steps.length < MOST_STEPS; at = after(at, step)) steps.push(at);
  return steps;
}

function beginningOf(at: Date, step: Step): Date {
  if (step === "hour") return new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS);
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), step === "day" ? at.getUTCDate() : 1));
}

function after(at: Date, step: Step): Date {
  if (step === "hour") return new Date(at.getTime() + HOUR_MS);
  if (step === "day") return new Date(at.getTime() + 24 * HOUR_MS);
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1));
}

export interface Period {
  readonly name: string;
  readonly days: number;
}

export const PERIODS: readonly [Period, ...Period[]] = [
  { name: "Today", days: 1 },
  { name: "7 days", days: 7 },
  { name: "30 days", days: 30 },
  { name: "12 months", days: 365 },
];

/** Days, the last one included, as the API asks for them. */
export interface Span {
  readonly from: string;
  readonly to: string;
}

/** Whole days that end with today. */
export function periodOf({ days }: Period, now: Date): Span {
  return { from: dayOf(new Date(now.getTime() - (days - 1) * 24 * HOUR_MS)), to: dayOf(now) };
}
