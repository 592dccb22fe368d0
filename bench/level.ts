// Whether memory is level over a time: what the last quarter of the readings holds, against the second. In the first one caches fill, and
// code is compiled. It judges the time that was measured, and no longer one.

import { median } from "./statistics.ts";

export interface Reading {
  readonly residentMiB: number;
  /** Live objects, and some that are not yet collected. */
  readonly heapMiB: number;
}

export interface Quarter {
  readonly least: number;
  readonly median: number;
  readonly most: number;
  /** The nearest to what is alive. */
  readonly leastHeap: number;
}

export interface Level {
  readonly quarters: readonly Quarter[];
  /** 0.05: a twentieth more in the last quarter than in the second. */
  readonly growth: number;
  readonly heapGrowth: number;
}

/** @param readings at even times, at least one a quarter */
export function levelOf(readings: readonly Reading[]): Level {
  const size = readings.length / 4;
  const quarters = [0, 1, 2, 3].map((nth): Quarter => {
    const part = readings.slice(Math.round(nth * size), Math.round((nth + 1) * size));
    const resident = part.map(({ residentMiB }) => residentMiB);
    return {
      ...{ least: Math.min(...resident), median: median(resident), most: Math.max(...resident) },
      leastHeap: Math.min(...part.map(({ heapMiB }) => heapMiB)),
    };
  });
  const [, second, , last] = quarters;
  if (second === undefined || last === undefined) throw new Error("there are four quarters");
  return {
    quarters,
    growth: last.median / second.median - 1,
    heapGrowth: last.leastHeap / second.leastHeap - 1,
  };
}
