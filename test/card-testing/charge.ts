// A charge of the simulation of card testing, and what becomes of it.

import type { Ended } from "../../src/gateway/card-groups.ts";
import type { Chance } from "../simulation/chance.ts";

export interface SimulatedCharge {
  readonly atMs: number;
  readonly digits: string;
  readonly address: string | null;
  /** In hundredths. */
  readonly amount: number;
  readonly outcome: Ended;
  readonly attack: boolean;
}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

export const declined = (category: NonNullable<Ended["category"]>): Ended => ({ kind: "declined", category });

export const approved = (cvv: "match" | "no_match" | null): Ended => ({
  kind: "approved",
  processorResponse: { cvv },
});

/** The greatest of the ranges that a merchant's customers have. */
export const GREATEST_RANGE = "400000";

/** By Zipf's law, the more even the smaller the exponent. */
export function rangesOf(count: number, exponent: number): (chance: Chance) => string {
  let sum = 0;
  const upTo = Array.from({ length: count }, (_, rank) => {
    sum += 1 / (rank + 1) ** exponent;
    return sum;
  });
  return (chance) => {
    const drawn = chance.next() * sum;
    return String(Number(GREATEST_RANGE) + upTo.findIndex((most) => drawn < most) * 317);
  };
}

export const cardOf = (range: string, chance: Chance): string => range + String(chance.below(1e10)).padStart(10, "0");

export const anyAddress = (chance: Chance): string =>
  `10.${chance.below(256)}.${chance.below(256)}.${chance.below(256)}`;
