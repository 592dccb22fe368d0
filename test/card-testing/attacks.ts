// Five kinds of card testing beside a merchant's ordinary day, from 10:00 on.

import type { Ended } from "../../src/gateway/card-groups.ts";
import { type Chance, chanceFrom } from "../simulation/chance.ts";
import {
  anyAddress,
  approved,
  cardOf,
  declined,
  GREATEST_RANGE,
  HOUR_MS,
  rangesOf,
  type SimulatedCharge,
} from "./charge.ts";

export interface Attack {
  readonly name: string;
  readonly everyMs: number;
  readonly cards: number;
  readonly range: (chance: Chance) => string;
  readonly address: (chance: Chance) => string;
  readonly outcome: (chance: Chance) => Ended;
}

const oneAddress = () => "198.51.100.7";
const manyRanges = rangesOf(2_000, 0);

/** Of guessed numbers hardly any is a card. */
const guessed =
  (cvv: "match" | "no_match" | null) =>
  (chance: Chance): Ended => {
    const drawn = chance.below(100);
    if (drawn < 3) return approved(cvv);
    return declined(drawn < 75 ? "do-not-retry" : "wrong-data");
  };

/** @param percent of the cards that are approved @param cvv what the thief knows of it */
const stolen =
  (percent: number, cvv: "match" | "no_match" | null) =>
  (chance: Chance): Ended => {
    if (chance.below(100) < percent) return approved(cvv);
    const drawn = chance.below(100);
    if (drawn < 8) return declined("insufficient-funds");
    if (drawn < 50) return declined("do-not-retry");
    return declined(drawn < 75 ? "suspected-fraud" : "refused");
  };

const ONE_RANGE_ONE_ADDRESS: Attack = {
  name: "one range, one address",
  everyMs: 1_000,
  cards: 300,
  // The worst for the watch: the range that most of the merchant's customers have.
  range: () => GREATEST_RANGE,
  address: oneAddress,
  outcome: guessed("no_match"),
};

const STOLEN_LIST: Attack = {
  name: "stolen list, rotating addresses, CVV matches",
  everyMs: 250,
  cards: 300,
  range: manyRanges,
  address: anyAddress,
  outcome: stolen(8, "match"),
};

const SLOW_DRIP: Attack = {
  name: "slow drip, one address, a card every 40 s",
  everyMs: 40_000,
  cards: 90,
  range: manyRanges,
  address: oneAddress,
  outcome: stolen(8, "match"),
};

/** What is to be stopped within fifty cards. */
export const ATTACKS: readonly Attack[] = [
  ONE_RANGE_ONE_ADDRESS,
  { ...ONE_RANGE_ONE_ADDRESS, name: "one range, many addresses", everyMs: 250, address: anyAddress },
  {
    ...ONE_RANGE_ONE_ADDRESS,
    name: "many ranges, one address, no CVV",
    range: manyRanges,
    outcome: guessed(null),
  },
  STOLEN_LIST,
  { ...STOLEN_LIST, name: "stolen list, rotating addresses, no CVV", outcome: stolen(8, null) },
  SLOW_DRIP,
];

/** What looks like customers: shown, so that nobody relies on the watch for it. */
export const NOT_STOPPED: readonly Attack[] = [
  { ...STOLEN_LIST, name: "better stolen list, a quarter of it approved, CVV matches", outcome: stolen(25, "match") },
  { ...STOLEN_LIST, name: "fresh stolen list, half of it approved, CVV matches", outcome: stolen(50, "match") },
  { ...STOLEN_LIST, name: "stolen list, rotating addresses, a card every 10 s", everyMs: 10_000 },
  { ...SLOW_DRIP, name: "the slow drip, for five hours", cards: 450 },
  { ...SLOW_DRIP, name: "slower drip, one address, a card every 2 minutes", everyMs: 120_000, cards: 60 },
];

export function attackCharges(attack: Attack, seed: number): readonly SimulatedCharge[] {
  const chance = chanceFrom(seed);
  return Array.from({ length: attack.cards }, (_, nth) => ({
    atMs: 10 * HOUR_MS + nth * attack.everyMs,
    digits: cardOf(attack.range(chance), chance),
    address: attack.address(chance),
    amount: 100,
    outcome: attack.outcome(chance),
    attack: true,
  }));
}
