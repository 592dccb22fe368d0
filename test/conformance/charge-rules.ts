// Conformance: what a processor answers to a sale or an auth.

import assert from "node:assert/strict";
import { inspect } from "node:util";
import { DECLINE_CATEGORIES } from "../../src/payment/decline.ts";
import { Secret } from "../../src/payment/secret.ts";
import { networkTransactionIdIn, type StoredCredential } from "../../src/payment/stored-credential.ts";
import type { ChargeType } from "../../src/payment/transaction.ts";
import { assertProcessorResponse, responseOf } from "./processor-response.ts";
import type { Rule } from "./rule.ts";
import { STORED } from "./stored-credentials.ts";

const CHARGES: readonly ChargeType[] = ["sale", "auth"];

/** Requests with less and less beside the card. */
const FIELDS = [
  { street_address_1: "1 Main St", zip: "95030" },
  { street_address_1: "1 Main St" },
  { zip: "95030" },
  {},
];

/** Of charges by numbers, and by tokens. */
export function answeredChargeRules(rule: Rule): void {
  rule("an approved charge has a whole response with an identifier and an auth code", "answers", async (trial) => {
    for (const type of CHARGES) {
      const response = responseOf(await trial.charge(trial.question(type)), "approved");
      assertProcessorResponse(response);
      assert.equal(typeof response.transactionId, "string", inspect(response));
      assert.equal(typeof response.authCode, "string", inspect(response));
    }
  });

  rule("a declined charge has a whole response with the issuer's code and no auth code", "answers", async (trial) => {
    for (const type of CHARGES) {
      const response = responseOf(await trial.charge(trial.question(type, {}, "declinedCard")), "declined");
      assertProcessorResponse(response);
      assert.deepEqual([response.code, response.authCode], [trial.subject.declinedCard.code, null]);
    }
  });

  rule("whatever is sent beside the card, the response is whole", "answers", async (trial) => {
    for (const fields of FIELDS) {
      const response = responseOf(await trial.charge(trial.question("sale", { fields })), "approved");
      assertProcessorResponse(response);
    }
  });

  rule("nothing sent to verify, nothing verified", "answers", async (trial) => {
    const { avs, cvv, threeDSecure } = responseOf(
      await trial.charge(trial.question("sale", { cvv: null })),
      "approved",
    );
    assert.deepEqual([threeDSecure, avs === "match", cvv === "match"], [null, false, false]);
  });
}

export function chargeRules(rule: Rule): void {
  answeredChargeRules(rule);

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
      const response = responseOf(await trial.charge(trial.question("sale", { threeDSecure })), "approved");
      assertProcessorResponse(response);
      assert.ok([outcome, "error"].includes(response.threeDSecure ?? ""), `${status}: ${response.threeDSecure}`);
    }
  });

  rule(
    "a card on file is charged whoever initiates it, and its answer has the scheme's id",
    "answers",
    async (trial) => {
      for (const type of CHARGES)
        for (const storedCredential of STORED) {
          const question = { ...trial.question(type, { cvv: null }), storedCredential };
          const { networkTransactionId } = responseOf(await trial.charge(question), "approved");
          assert.equal(networkTransactionIdIn(networkTransactionId), networkTransactionId, inspect(storedCredential));
          const later = { ...storedCredential, use: "later", networkTransactionId } as StoredCredential;
          const next = { ...trial.question(type, { cvv: null }), storedCredential: later };
          responseOf(await trial.charge(next), "approved");
        }
    },
  );

  for (const condition of ["answers", "slow"] as const) {
    rule(`many at once have each its own answer (${condition})`, condition, async (trial) => {
      const asked = Array.from({ length: 200 }, (_, index) => {
        const card = index % 3 === 0 ? "declinedCard" : "approvedCard";
        return {
          card,
          question: trial.question(CHARGES[index % 2] ?? "sale", { minor: BigInt(100 * (1 + index)) }, card),
        };
      });
      const answers = await Promise.all(asked.map(({ question }) => trial.charge(question)));
      const responses = answers.map((answer, index) =>
        responseOf(answer, asked[index]?.card === "approvedCard" ? "approved" : "declined"),
      );
      const given = responses.flatMap(({ transactionId }) => (transactionId === null ? [] : [transactionId]));
      assert.equal(new Set(given).size, given.length, "no identifier is given twice");
    });
  }

  rule("every charge is booked with its own amount", "answers", async (trial) => {
    const balance = trial.need(trial.subject.balance);
    const asked = Array.from({ length: 50 }, (_, index) =>
      trial.question("sale", { minor: BigInt(100 * (1 + index)) }),
    );
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

  rule("a decline says what the merchant can do about it", "answers", async (trial) => {
    const answer = await trial.charge(trial.question("sale", {}, "declinedCard"));
    assert.ok(answer.kind === "declined" && DECLINE_CATEGORIES.includes(answer.category), inspect(answer));
  });

  rule("a charge with another processor's token is not sent", "answers", async (trial) => {
    const instrument = {
      kind: "processor-token",
      token: new Secret("processor token", "token-of-another-processor"),
      customer: "customer-of-another-processor",
      cvv: undefined,
      brand: "visa",
    } as const;
    const answer = await trial.charge({ ...trial.question("sale"), instrument });
    assert.ok(answer.kind === "not-sent" || answer.kind === "declined", inspect(answer));
  });

  rule("it takes the brands of its cards and is reachable", "answers", async (trial) => {
    for (const card of ["approvedCard", "declinedCard"] as const)
      assert.equal(trial.processor.takes(trial.question("sale", {}, card).instrument.brand), true, card);
    assert.equal((await trial.health()).reachable, true);
  });
}
