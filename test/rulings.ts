// Rulings for the table tests of the rules: a transaction told in words, an amount, and what the rule says of it whole.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Capabilities, defaultTerms, withinTerms } from "../src/payment/account-terms.ts";
import { balances } from "../src/payment/balances.ts";
import type { Ruling, Situation } from "../src/payment/follow-up-rules.ts";
import { amountOf } from "../src/payment/money.ts";
import { type RefusalName, refuse } from "../src/payment/refusal.ts";
import { at, told } from "./transactions.ts";

export const EVERY_CAPABILITY: Capabilities = {
  partialVoid: true,
  multipleCaptures: true,
  refundBeforeSettlement: true,
};

/** All of them but these, as far as the terms of an account in this currency allow. */
export const capabilitiesIn = (currency: string, capabilities: Partial<Capabilities> = {}): Capabilities =>
  withinTerms(defaultTerms(currency), { ...EVERY_CAPABILITY, ...capabilities });

export const granted = (minor: bigint): Ruling => ({ kind: "granted", amount: amountOf(minor) });

export const refused = (name: RefusalName, field?: string, most?: bigint) =>
  refuse(name, field, most === undefined ? undefined : amountOf(most));

/** In words what is the case, the transaction's events, the amount that is asked, the ruling. */
export type Row = readonly [string, readonly string[], bigint | undefined, Ruling];

interface Circumstances {
  /** Noon of the first day, when most of what is told happens, unless said otherwise. */
  readonly now?: string;
  readonly capabilities?: Partial<Capabilities>;
}

/** One test a row, all of them in these circumstances. */
export function ruleTable(
  rule: string,
  decide: (situation: Situation) => Ruling,
  { now = "1 12:00", capabilities }: Circumstances,
  rows: readonly Row[],
): void {
  describe(rule, () => {
    for (const [name, [charge = "", ...steps], asked, expected] of rows)
      test(name, () => {
        const transaction = told(charge, ...steps);
        const amount = asked === undefined ? undefined : amountOf(asked);
        const money = balances(transaction, at(now), "reserved");
        const situation = {
          transaction,
          balances: money,
          amount,
          capabilities: capabilitiesIn(transaction.currency, capabilities),
        };
        assert.deepEqual(decide(situation), expected);
      });
  });
}
