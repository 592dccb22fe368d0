// Follow-ups for the table tests: what is asked of a transaction told in words, and the whole decision on it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Capabilities } from "../src/payment/account-terms.ts";
import { type Ask, decideFollowUp, type FollowUpRequest } from "../src/payment/follow-up.ts";
import { amountOf } from "../src/payment/money.ts";
import type { Refused } from "../src/payment/refusal.ts";
import type { FollowUpType, Share, Transaction } from "../src/payment/transaction.ts";
import { capabilitiesIn } from "./rulings.ts";
import { at, shares, told } from "./transactions.ts";

export type Told = readonly [string, ...string[]];

export interface Circumstances {
  readonly now?: string;
  readonly capabilities?: Partial<Capabilities>;
}

/** In words what is the case, the operation, the events before it, the request, the decision. */
export type Case = readonly [string, FollowUpType, Told, FollowUpRequest, Ask | Refused, Circumstances?];

export function decisionTable(rule: string, rows: readonly Case[]): void {
  describe(rule, () => {
    for (const [name, type, events, request, expected, { now = "1 12:00", capabilities } = {}] of rows)
      test(name, () => {
        const transaction = told(...events);
        const able = capabilitiesIn(transaction.currency, capabilities);
        assert.deepEqual(decideFollowUp(type, transaction, request, able, at(now)), expected);
      });
  });
}

/** A request for so much; undefined: for all that remains. */
export const minor = (amount: bigint | undefined): FollowUpRequest => ({
  amount: amount === undefined ? undefined : amountOf(amount),
  shares: undefined,
});

/** A request for the first passenger's part, the second's, and so on. */
export const forPassengers = (...parts: readonly bigint[]): FollowUpRequest => ({
  amount: amountOf(total(parts)),
  shares: shares(...parts),
});

/** A cent, two, and so on to one more than there ever was; of passengers' money all ways to share that too. */
export function requestsFor({ events: [charge], passengers }: Transaction): readonly FollowUpRequest[] {
  if (passengers === null)
    return upTo(charge.amount + 1n).map((amount) => ({ amount: amountOf(amount), shares: undefined }));
  const ways = passengers.reduce<readonly (readonly bigint[])[]>(
    (ways, { fares }) => ways.flatMap((way) => [0n, ...upTo(fares + 1n)].map((part) => [...way, part])),
    [[]],
  );
  return ways.filter((way) => way.some((part) => part > 0n)).map((way) => forPassengers(...way));
}

const upTo = (most: bigint): readonly bigint[] => Array.from({ length: Number(most) }, (_, index) => BigInt(index + 1));

export const ask = (type: FollowUpType, amount: bigint, parts: readonly Share[] | null = null): Ask => ({
  kind: "ask",
  type,
  amount: amountOf(amount),
  shares: parts,
});

/** The decision to ask for the first passenger's part, the second's, and so on. */
export const askFor = (type: FollowUpType, ...parts: readonly bigint[]): Ask =>
  ask(type, total(parts), shares(...parts));

const total = (parts: readonly bigint[]): bigint => parts.reduce((sum, part) => sum + part, 0n);
