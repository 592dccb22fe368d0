// The ordinary days of five kinds of merchants, drawn from a seed: whose cards, from where, how much, and how they end.

import type { Ended } from "../../src/gateway/card-groups.ts";
import { type Chance, chanceFrom } from "../simulation/chance.ts";
import {
  anyAddress,
  approved,
  cardOf,
  declined,
  HOUR_MS,
  MINUTE_MS,
  rangesOf,
  type SimulatedCharge,
} from "./charge.ts";

export interface Merchant {
  readonly name: string;
  /** First charges of a customer in a day; one in two of the declined tries again. */
  readonly sales: number;
  readonly atMs: (chance: Chance) => number;
  readonly range: (chance: Chance) => string;
  readonly address: (chance: Chance) => string | null;
  readonly amount: (chance: Chance) => number;
  readonly declinedPercent: number;
}

const DAY_MS = 24 * HOUR_MS;
const daytime = (chance: Chance) => 6 * HOUR_MS + chance.below(16 * HOUR_MS);
const within = (fromMs: number, ms: number) => (chance: Chance) => fromMs + chance.below(ms);
const either =
  <T>(percent: number, first: (chance: Chance) => T, second: (chance: Chance) => T) =>
  (chance: Chance) =>
    chance.below(100) < percent ? first(chance) : second(chance);
const fixed =
  <T>(value: T) =>
  () =>
    value;
/** Many customers of a mobile network share few addresses. */
const oftenShared = either(20, (chance) => `203.0.113.${chance.below(40)}`, anyAddress);

const FARES: Merchant = {
  name: "fares",
  sales: 4_000,
  // A sale of seats at noon.
  atMs: either(25, within(12 * HOUR_MS, 10 * MINUTE_MS), daytime),
  range: rangesOf(300, 0.9),
  address: oftenShared,
  // Seats and bags beside tickets.
  amount: either(
    25,
    (chance) => 500 + chance.below(500),
    (chance) => 4_000 + chance.below(60_000),
  ),
  declinedPercent: 12,
};

const TRANSIT: Merchant = {
  name: "transit",
  sales: 6_000,
  atMs: either(60, either(50, within(7 * HOUR_MS, 2 * HOUR_MS), within(16 * HOUR_MS, 2 * HOUR_MS)), daytime),
  // A city's own bank issues a third of its cards.
  range: rangesOf(60, 1.4),
  address: oftenShared,
  amount: (chance) => 250 + 50 * chance.below(4),
  declinedPercent: 4,
};

const PREPAID: Merchant = {
  name: "prepaid",
  sales: 4_000,
  atMs: either(30, within(12 * HOUR_MS, HOUR_MS), daytime),
  range: rangesOf(1, 1),
  // Canteens and machines.
  address: either(80, (chance) => `203.0.113.${chance.below(5)}`, anyAddress),
  amount: fixed(300),
  declinedPercent: 15,
};

const DONATIONS: Merchant = {
  name: "donations",
  sales: 3_000,
  // An appeal on television.
  atMs: either(60, within(20 * HOUR_MS, 10 * MINUTE_MS), daytime),
  range: rangesOf(300, 0.9),
  address: oftenShared,
  amount: either(
    60,
    (chance) => 100 * (1 + chance.below(10)),
    (chance) => 2_000 + chance.below(20_000),
  ),
  declinedPercent: 15,
};

const SUBSCRIPTIONS: Merchant = {
  name: "subscriptions",
  sales: 4_000,
  // A run at night from the merchant's own address, at four a second; sign-ups by day.
  atMs: within(2 * HOUR_MS, 17 * MINUTE_MS),
  range: rangesOf(300, 0.9),
  address: fixed("203.0.113.1"),
  amount: fixed(999),
  declinedPercent: 24,
};

/** What failed the days before, charged once more from 03:00 on. */
const RETRIES: Merchant = {
  ...SUBSCRIPTIONS,
  sales: 1_000,
  atMs: within(3 * HOUR_MS, 8 * MINUTE_MS),
  declinedPercent: 75,
};

const SIGN_UPS: Merchant = { ...DONATIONS, sales: 500, atMs: daytime, amount: fixed(999) };

export const MERCHANTS: readonly Merchant[] = [FARES, TRANSIT, PREPAID, DONATIONS, SUBSCRIPTIONS];

/** In the order of time. */
export function ordinaryDay(merchant: Merchant, seed: number): readonly SimulatedCharge[] {
  const chance = chanceFrom(seed);
  const parts = merchant === SUBSCRIPTIONS ? [SUBSCRIPTIONS, RETRIES, SIGN_UPS] : [merchant];
  const charges = parts.flatMap((part) => Array.from({ length: part.sales }, () => triesOf(part, chance)).flat());
  return charges.filter(({ atMs }) => atMs < DAY_MS).sort((a, b) => a.atMs - b.atMs);
}

/** A customer's charge, and the second try of one in two who are declined: a wrong CVV is mended, the rest stays as it is. */
function triesOf(merchant: Merchant, chance: Chance): SimulatedCharge[] {
  const outcome = chance.below(100) < merchant.declinedPercent ? ordinaryDecline(chance) : approvedAsUsual(chance);
  const first = {
    atMs: merchant.atMs(chance),
    digits: cardOf(merchant.range(chance), chance),
    address: merchant.address(chance),
    amount: merchant.amount(chance),
    outcome,
    attack: false,
  };
  const runs = merchant.address === SUBSCRIPTIONS.address;
  if (outcome.kind === "approved" || runs || !chance.happens(0.5)) return [first];
  const mended = outcome.category === "wrong-data" ? approved("match") : outcome;
  return [first, { ...first, atMs: first.atMs + 30_000, outcome: mended }];
}

function ordinaryDecline(chance: Chance): Ended {
  const drawn = chance.below(100);
  if (drawn < 45) return declined("insufficient-funds");
  if (drawn < 70) return declined("refused");
  if (drawn < 83) return declined("wrong-data");
  if (drawn < 90) return declined("do-not-retry");
  return declined(drawn < 95 ? "suspected-fraud" : "limit-exceeded");
}

/** One approval in two hundred comes with a CVV that does not match. */
function approvedAsUsual(chance: Chance): Ended {
  const drawn = chance.below(200);
  if (drawn === 0) return approved("no_match");
  return approved(drawn < 150 ? "match" : null);
}
