// What the overview's charts draw: for each step of the period what it came to, also where nothing happened. Pure.

import type { Overview } from "../../../packages/client/src/openapi.ts";
import { dateOf, timeOf } from "../words/dates.ts";
import { hundredthsOf } from "../words/money.ts";
import { type Step, stepsOf } from "./steps.ts";

export interface Point {
  readonly at: Date;
  /** Hundredths. */
  readonly hundredths: number;
  readonly refunded: number;
  readonly count: number;
  readonly approved: number;
  readonly declined: number;
  readonly unknown: number;
  /** From 0 to 1; null where nothing was decided. */
  readonly rate: number | null;
}

/** One for each step from the beginning to the end of the period. */
export function pointsOf({ points, from, to, step }: Overview): readonly Point[] {
  const byTime = new Map(points.map((point) => [new Date(point.at).getTime(), point]));
  return stepsOf(new Date(from), new Date(to), step).map((at) => {
    const point = byTime.get(at.getTime());
    return {
      at,
      hundredths: hundredthsOf(point?.amount ?? "0.00"),
      refunded: hundredthsOf(point?.refunded ?? "0.00"),
      count: point?.count ?? 0,
      approved: point?.approved ?? 0,
      declined: point?.declined ?? 0,
      unknown: point?.unknown ?? 0,
      rate: point?.approval_rate ?? null,
    };
  });
}

/** `30 May 2031`; of an hour also the time, of a month no day. */
export const nameOf = (at: Date, step: Step): string =>
  step === "hour" ? `${dateOf(at)}, ${timeOf(at)}` : step === "day" ? dateOf(at) : dateOf(at).replace(/^\d+ /, "");

/** The same below a chart, where there is little room: `14:00`, `30 May`, `May 31`. */
export function shortNameOf(at: Date, step: Step): string {
  if (step === "hour") return timeOf(at);
  const [day = "", month = "", year = ""] = dateOf(at).split(" ");
  return step === "day" ? `${day} ${month}` : `${month} ${year.slice(2)}`;
}

/** Which of `count` steps have a name below the chart: so many as there is room for, evenly, the first among them. */
export function namedSteps(count: number, room: number): readonly number[] {
  const every = Math.max(1, Math.ceil(count / Math.max(1, room)));
  return Array.from({ length: Math.ceil(count / every) }, (_, nth) => nth * every);
}
