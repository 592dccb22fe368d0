// Conformance: a kind that says what its own tokens are charges them as it charges card numbers, and every other kind sends none.

import assert from "node:assert/strict";
import { inspect } from "node:util";
import { CARD_BRANDS } from "../../src/payment/card-brand.ts";
import { Secret } from "../../src/payment/secret.ts";
import { PASSENGERS } from "../foreign/charges.ts";
import { answeredChargeRules } from "./charge-rules.ts";
import { unansweredChargeRules } from "./failure-rules.ts";
import { followUpRules } from "./follow-up-rules.ts";
import { assertProcessorResponse, responseOf } from "./processor-response.ts";
import { repeatedChargeRules } from "./repeat-rules.ts";
import { type Rule, rulesOf, type Trial } from "./rule.ts";
import type { Open } from "./subject.ts";

const SOON_MS = 60_000;
const CARDS = ["approvedCard", "declinedCard"] as const;

const describeToken = async (trial: Trial, token: string, customer: string | undefined) => {
  const answer = await trial.processor.describeToken?.(
    { token: new Secret("processor token", token), customer },
    AbortSignal.timeout(SOON_MS),
  );
  assert.ok(answer, "it describes tokens");
  return answer;
};

export function ownTokenRules(open: Open): void {
  const rule = rulesOf(open, "own token");
  answeredChargeRules(rule);
  followUpRules(rule);
  unansweredChargeRules(rule);
  repeatedChargeRules(rule);

  rule("each of its tokens is described as the card that it stands for", "answers", async (trial) => {
    for (const card of CARDS) {
      const { token, customer, lastFour } = trial.ownToken(card);
      const answer = await describeToken(trial, token, customer);
      assert.ok(answer.kind === "described", inspect(answer));
      const { brand, expiryMonth, expiryYear, firstSix = "" } = answer.card;
      assert.deepEqual([answer.card.lastFour, answer.customer], [lastFour, customer]);
      assert.ok(CARD_BRANDS.includes(brand) && trial.processor.takes(brand), brand);
      assert.match(`${expiryMonth}/${expiryYear} ${firstSix}`, /^(0[1-9]|1[0-2])\/20\d{2} (\d{6})?$/);
      assert.ok(!inspect(answer, { depth: null, showHidden: true }).includes(token), "the answer repeats the token");
    }
  });

  rule("what is no token of its customer is wrong, and its field is named", "answers", async (trial) => {
    const { token, customer } = trial.ownToken("approvedCard");
    for (const [given, whose, fields] of [
      ["token-of-another-processor", customer, ["processor_token"]],
      ["", customer, ["processor_token"]],
      ["../other/path?of=it", customer, ["processor_token"]],
      [`${token}x`, customer, ["processor_token"]],
      [token, `${customer}x`, ["processor_token", "processor_customer"]],
    ] as const) {
      const answer = await describeToken(trial, given, whose);
      assert.ok(answer.kind === "wrong" && fields.some((field) => field === answer.field), inspect(answer));
      assert.notEqual(answer.why, "", "it says why");
    }
  });

  rule("whether there is a token that nobody was reached about is not known", "refuses connections", async (trial) => {
    const { token, customer } = trial.ownToken("approvedCard");
    assert.equal((await describeToken(trial, token, customer)).kind, "not-sent");
  });

  rule("a charge with passengers is approved", "answers", async (trial) => {
    for (const type of ["sale", "auth"] as const) {
      const charge = { ...trial.question(type), passengers: PASSENGERS };
      if (trial.processor.cannotExpress({ ...charge, passengers: PASSENGERS.length }).length > 0) continue;
      assertProcessorResponse(responseOf(await trial.charge(charge), "approved"));
    }
  });

  rule("every charge is booked once, with its own amount, however many there are at once", "answers", async (trial) => {
    const balance = trial.need(trial.subject.balance);
    const charges = Array.from({ length: 30 }, (_, index) =>
      trial.question("sale", { minor: BigInt(100 * (1 + index)) }),
    );
    await Promise.all(charges.map((charge) => trial.charge(charge)));
    for (const { transactionId, amount } of charges) assert.equal(await balance(transactionId), amount);
    const declined = trial.question("sale", {}, "declinedCard");
    responseOf(await trial.charge(declined), "declined");
    assert.equal(await balance(declined.transactionId), 0n);
  });
}

export function withoutTokenRules(rule: Rule): void {
  rule("it describes no token: whoever stores one is told so before anything is sent", "answers", async (trial) => {
    assert.equal(trial.processor.describeToken, undefined);
    assert.equal(trial.subject.ownTokens, undefined);
  });
}
