// Conformance: what a processor answers to a sale or an auth.

import assert from "node:assert/strict";
import { inspect } from "node:util";
import type { ChargeType } from "../../src/payment/transaction.ts";
import type { Rule } from "./rule.ts";
import { assertVerdict, verdictOf } from "./verdict.ts";

const CHARGES: readonly ChargeType[] = ["sale", "auth"];

/** Requests with less and less beside the card. */
const FIELDS = [
  { street_address_1: "1 Main St", zip: "95030" },
  { street_address_1: "1 Main St" },
  { zip: "95030" },
  {},
];

export function chargeRules(rule: Rule): void {
  rule("an approved charge has a whole verdict with an identifier and an auth code", "answers", async (trial) => {
    for (const type of CHARGES) {
      const verdict = verdictOf(await trial.charge(trial.question(type)), "approved");
      assertVerdict(verdict);
      assert.equal(typeof verdict.transactionId, "string", inspect(verdict));
      assert.equal(typeof verdict.authCode, "string", inspect(verdict));
    }
  });

  rule("a declined charge has a whole verdict with the issuer's code and no auth code", "answers", async (trial) => {
    for (const type of CHARGES) {
      const verdict = verdictOf(await trial.charge(trial.question(type, {}, "declinedCard")), "declined");
      assertVerdict(verdict);
      assert.deepEqual([verdict.code, verdict.authCode], [trial.subject.declinedCard.code, null]);
    }
  });

  rule("whatever is sent beside the card, the verdict is whole", "answers", async (trial) => {
    for (const fields of FIELDS) {
      const verdict = verdictOf(await trial.charge(trial.question("sale", { fields })), "approved");
      assertVerdict(verdict);
    }
  });

  rule("nothing sent to verify, nothing verified", "answers", async (trial) => {
    const { avs, cvv, threeDSecure } = verdictOf(await trial.charge(trial.question("sale", { cvv: null })), "approved");
    assert.deepEqual([threeDSecure, avs === "match", cvv === "match"], [null, false, false]);
  });

  rule("3-D Secure values have an outcome, and a failed authentication does not block", "answers", async (trial) => {
    for (const [status, outcome] of [
      ["Y", "success"],
      ["A", "attempted"],
      ["N", "failed"],
      ["U", "unavailable"],
    ] as const) {
      const threeDSecure = {
        xid: "AAAA",
        eci: "05",
        cavv: "AAABBEg0VhI0VniQEjRWAAAAAAA=",
        status,
        version: 2,
      } as const;
      const verdict = verdictOf(await trial.charge(trial.question("sale", { threeDSecure })), "approved");
      assertVerdict(verdict);
      assert.ok([outcome, "error"].includes(verdict.threeDSecure ?? ""), `${status}: ${verdict.threeDSecure}`);
    }
  });

  for (const condition of ["answers", "slow"] as const) {
    rule(`many at once have each its own answer (${condition})`, condition, async (trial) => {
      const asked = Array.from({ length: 200 }, (_, index) => {
        const card = index % 3 === 0 ? "declinedCard" : "approvedCard";
        return { card, question: trial.question(CHARGES[index % 2] ?? "sale", { minor: BigInt(100 + index) }, card) };
      });
      const answers = await Promise.all(asked.map(({ question }) => trial.charge(question)));
      const verdicts = answers.map((answer, index) =>
        verdictOf(answer, asked[index]?.card === "approvedCard" ? "approved" : "declined"),
      );
      const given = verdicts.flatMap(({ transactionId }) => (transactionId === null ? [] : [transactionId]));
      assert.equal(new Set(given).size, given.length, "no identifier is given twice");
    });
  }

  rule("every charge is booked with its own amount", "answers", async (trial) => {
    const balance = trial.need(trial.subject.balance);
    const asked = Array.from({ length: 50 }, (_, index) => trial.question("sale", { minor: BigInt(100 + index) }));
    await Promise.all(asked.map((question) => trial.charge(question)));
    const booked = await Promise.all(asked.map(({ transactionId }) => balance(transactionId)));
    assert.deepEqual(
      booked,
      asked.map(({ amount }) => amount),
    );
    const declined = trial.question("sale", {}, "declinedCard");
    await trial.charge(declined);
    assert.equal(await balance(declined.transactionId), 0n);
  });

  rule("it takes the brands of its cards and is reachable", "answers", async (trial) => {
    for (const card of ["approvedCard", "declinedCard"] as const)
      assert.equal(trial.processor.takes(trial.question("sale", {}, card).card.brand), true, card);
    assert.equal((await trial.health()).reachable, true);
  });
}
