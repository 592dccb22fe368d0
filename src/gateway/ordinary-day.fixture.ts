// A merchant's ordinary day, drawn by chance from a seed: customers who come back, ranges of great and small issuers,
// addresses that many share, cards that are declined, an hour that sells out, and somebody who does not give up.

import { chanceFrom } from "../../test/simulation/chance.ts";

export interface Visit {
  readonly atMs: number;
  readonly digits: string;
  readonly address: string;
  readonly amount: bigint;
  readonly declined: boolean;
}

export interface Day {
  readonly sales: number;
  /** Sales within ten minutes at noon, each by another card. */
  readonly opening: number;
  /** Percent of the sales with an amount up to 10.00. */
  readonly small: number;
  /** Percent of the cards that are declined. */
  readonly declined: number;
  /** The merchant's server sends its own address for everybody's. */
  readonly oneAddress?: boolean;
}

const DAY_MS = 86_400_000;
const NOON_MS = DAY_MS / 2;
const RANGES = 400;

export function ordinaryDay(seed: number, day: Day): readonly Visit[] {
  const chance = chanceFrom(seed);
  const below = (most: number) => chance.below(most);
  /** By Zipf's law: the greatest of the issuers has one card in fifteen. */
  const weights = Array.from({ length: RANGES }, (_, rank) => 1 / (rank + 2) ** 0.9);
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const range = () => {
    let left = chance.next() * all;
    const rank = weights.findIndex((weight) => {
      left -= weight;
      return left <= 0;
    });
    return String(400_000 + Math.max(rank, 0) * 317);
  };
  const card = () => ({
    digits: range() + String(below(1e9)).padStart(9, "0") + below(10),
    address:
      day.oneAddress || below(10) === 0
        ? `203.0.113.${day.oneAddress ? 1 : below(40)}`
        : `10.${below(256)}.${below(256)}.${below(256)}`,
    bad: below(100) < day.declined,
  });
  type Card = ReturnType<typeof card>;
  const customers = Array.from({ length: Math.ceil(day.sales / 3) }, card);
  const visit = (atMs: number, { digits, address, bad }: Card): Visit => ({
    atMs,
    digits,
    address,
    amount: below(100) < day.small ? BigInt(99 + below(900)) : BigInt(1_100 + below(20_000)),
    declined: bad,
  });
  const visits: Visit[] = [];
  for (let sale = 0; sale < day.sales - day.opening; sale++) {
    const customer = customers[below(customers.length)] ?? card();
    // Twice as much in the afternoon as at night.
    const atMs = chance.next() < 0.3 ? below(DAY_MS) : DAY_MS / 3 + below(DAY_MS / 2);
    visits.push(visit(atMs, customer));
    // One in two tries again, some several times.
    for (let again = 1; customer.bad && again < 6 && below(2) === 0; again++)
      visits.push(visit(atMs + again * 20_000, customer));
  }
  for (let sale = 0; sale < day.opening; sale++) visits.push(visit(NOON_MS + below(600_000), card()));
  const stubborn = { ...card(), bad: true };
  for (let again = 0; again < 60; again++) visits.push({ ...visit(NOON_MS + again * 5_000, stubborn), amount: 500n });
  return visits.sort((a, b) => a.atMs - b.atMs);
}
