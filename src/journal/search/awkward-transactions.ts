// For tests: transactions whose texts are near each other in every awkward way, so that prefixes find some and miss others.

import { v7 } from "uuid";
import { amountOf } from "../../payment/money.ts";
import type { Event, EventType, Transaction } from "../../payment/transaction.ts";

export const WORDS = [
  "A",
  "a",
  "Ann",
  "Anna",
  "ann",
  "An%",
  "An_",
  "An\\",
  "An%n",
  "100%",
  "100 percent",
  "under_score",
  "underscore",
  "back\\slash",
  "Ünal",
  "U\u0308nal",
  "日本",
  "日本語",
  "😀",
  "😀😁",
  "😁",
  "\ud7ff",
  "\ue000",
  "\uffff",
  "\u{10ffff}",
  "\u{10ffff}\u{10ffff}",
  "x\u007f",
  "x\u0080",
  "it's",
  '"quoted"',
  "{curly,braces}",
  "NULL",
] as const;
const STATES = ["CA", "ca", "NY", "1"] as const;
const CARDS = ["411111", "411112", "555555"] as const;
export const USERS = [v7(), v7()] as const;
const PROCESSOR = v7();

const oneOf = <T>(values: readonly T[], chance: () => number): T => values[Math.floor(chance() * values.length)] as T;

/** @param chance gives numbers from 0 up to 1 */
export function awkwardTransaction(merchantId: string, now: Date, chance: () => number): Transaction {
  const word = () =>
    chance() < 0.2 ? {} : { word: oneOf(WORDS, chance) + (chance() < 0.3 ? oneOf(WORDS, chance) : "") };
  const maybe = (field: string) => Object.entries(word()).map(([, value]) => [field, value]);
  const state = (field: string) => (chance() < 0.2 ? [] : [[field, oneOf(STATES, chance)]]);
  const words = ["first_name", "last_name", "email", "mobile_phone", "city", "zip", "shipping_city", "shipping_zip"];
  return {
    merchantId,
    id: v7(),
    userId: oneOf(USERS, chance),
    createdAt: now,
    currency: "USD",
    merchantTransactionId: oneOf(WORDS, chance) + String(Math.floor(chance() * 100)),
    card: {
      mask: "************",
      firstSix: oneOf(CARDS, chance),
      brand: "visa",
      expiryMonth: "01",
      expiryYear: "2031",
    },
    fields: Object.fromEntries([...words.flatMap(maybe), ...state("state"), ...state("shipping_state")]),
    meta: chance() < 0.2 ? '{"rank": 1.10}' : null,
    threeDSecure: null,
    passengers: null,
    events: [eventOf("sale", 1, now)],
  };
}

export const eventOf = (type: EventType, sequence: number, createdAt: Date): Event => ({
  id: v7(),
  sequence,
  type,
  amount: amountOf(100n),
  shares: null,
  processorId: PROCESSOR,
  ipAddress: null,
  reversal: false,
  createdAt,
  outcome: null,
});

/** Small numbers from a seed (mulberry32): the same transactions in every run. */
export function chanceFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
