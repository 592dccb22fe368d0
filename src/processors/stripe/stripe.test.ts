// What Stripe's host does wrong, and what it means: nothing is guessed, nothing is done twice.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, beforeEach, describe, test } from "node:test";
import type { Host } from "../../../hosts/stripe/host.ts";
import type { Misconduct, Operation } from "../../../hosts/stripe/misbehaviour.ts";
import {
  type ChargeGiven,
  chargeQuestion,
  followUpInquiry,
  followUpQuestion,
  inquiryQuestion,
  timeoutReversalQuestion,
} from "../../../test/conformance/questions.ts";
import { openStripe, stripeSettings, testHost } from "../../../test/conformance/stripe-subject.ts";
import type { Answer, Approval, CardChargeQuestion, Processor } from "../processor.ts";

let host: Host;
let processor: Processor;

before(async () => {
  host = await testHost();
  processor = openStripe(stripeSettings(host.port));
});

after(async () => {
  await processor.close();
  await host.stop();
});

beforeEach(() => {
  host.behave();
  Object.assign(host.account, { takesCardNumbers: true, chargesEnabled: true, keysKept: true });
});

const soon = (ms = 5_000) => AbortSignal.timeout(ms);
const card = (number: string, given: ChargeGiven = {}) => chargeQuestion("sale", { number, ...given });
const good = (type: "sale" | "auth" = "sale", given: ChargeGiven = {}) =>
  chargeQuestion(type, { number: "4242424242424242", ...given });
const ask = (question: CardChargeQuestion, of = processor) => of.charge(question, soon());
const balance = ({ transactionId }: CardChargeQuestion) => host.ledger.state.balance(transactionId);

async function approved(question: CardChargeQuestion, of = processor): Promise<Approval> {
  const answer = await ask(question, of);
  assert.ok(answer.kind === "approved", JSON.stringify(answer));
  return answer;
}

async function inquired(question: CardChargeQuestion) {
  const answer = await processor.inquire?.(inquiryQuestion(question), soon());
  assert.ok(answer);
  return answer;
}

const followUp = async (type: "capture" | "void" | "refund", charge: CardChargeQuestion, given = {}) =>
  followUpQuestion(type, charge, (await approved(charge)).processorResponse, given);

describe("each decline has a code and a category", () => {
  for (const [number, code, category, message] of [
    ["4000000000000002", "05", "refused", "GENERIC DECLINE"],
    ["4000000000009995", "51", "insufficient-funds", "INSUFFICIENT FUNDS"],
    ["4000000000009987", "41", "do-not-retry", "LOST CARD"],
    ["4000000000009979", "43", "do-not-retry", "STOLEN CARD"],
    ["4100000000000019", "59", "suspected-fraud", "FRAUDULENT"],
    ["4000000000000069", "54", "wrong-data", "EXPIRED CARD"],
    ["4000000000000127", "82", "wrong-data", "INCORRECT CVC"],
    ["4000000000000119", "96", "try-later", "PROCESSING ERROR"],
    ["4242424242424241", "14", "wrong-data", "INCORRECT NUMBER"],
  ] as const)
    test(message, async () => {
      const question = card(number);
      const answer = await ask(question);
      assert.ok(answer.kind === "declined");
      const { processorResponse: response } = answer;
      assert.deepEqual([response.code, answer.category, response.message], [code, category, message]);
      assert.equal(balance(question), 0);
    });
});

test("address and CVV are told in the API's words, with Stripe's beside them", async () => {
  const fields = { street_address_1: "1 Main St", zip: "95030" };
  for (const [number, given, expected] of [
    ["4242424242424242", { fields }, ["match", "match", "pass"]],
    ["4242424242424242", { fields: { zip: "95030" } }, ["postal_match", "match", "pass"]],
    ["4242424242424242", { fields: { street_address_1: "1 Main St" } }, ["address_match", "match", "pass"]],
    ["4000000000000010", { fields }, ["no_match", "match", "pass"]],
    ["4000000000000101", {}, [null, "no_match", "fail"]],
    ["4242424242424242", { cvv: null }, [null, null, null]],
  ] as const) {
    const { avs, cvv, rawCvv } = (await approved(card(number, given))).processorResponse;
    assert.deepEqual([avs, cvv, rawCvv], expected);
  }
});

test("a payer who would have to authenticate is no sale, and the payment is taken back", async () => {
  const question = card("4000002760003184");
  assert.equal((await ask(question)).kind, "action-required");
  assert.deepEqual(await processor.timeoutReversal(timeoutReversalQuestion(question), soon()), { kind: "confirmed" });
  const answer = await inquired(question);
  assert.ok(answer.kind === "declined" && answer.processorResponse.message.startsWith("CANCELED"));
});

test("an authentication that comes with the charge is enough", async () => {
  const xid = Buffer.from("019e2f3a-0000-7000-8000-000000000001").toString("base64");
  const threeDSecure = { xid, eci: "05", cavv: "AAABBEg0VhI0VniQEjRWAAAAAAA=", status: "Y", version: 2 } as const;
  const { processorResponse } = await approved(card("4000002760003184", { threeDSecure }));
  assert.deepEqual([processorResponse.threeDSecure, processorResponse.rawThreeDSecure], ["success", "authenticated"]);
});

/** What the caller is told, and then an inquiry, of a charge during which this happens. */
const CHARGES: readonly (readonly [Misconduct, Operation, Answer["kind"], string, number])[] = [
  ["too-many", "create", "not-sent", "unknown", 0],
  ["too-many", "confirm", "not-sent", "unknown", 0],
  ["error-before", "confirm", "unanswered", "unknown", 0],
  ["error-after", "confirm", "unanswered", "approved", 1000],
  ["disconnect-before", "confirm", "unanswered", "unknown", 0],
  ["disconnect-after", "confirm", "unanswered", "approved", 1000],
  ["half", "confirm", "unanswered", "approved", 1000],
  ["garbage", "confirm", "unanswered", "approved", 1000],
  ["error-after", "create", "not-sent", "unknown", 0],
  ["half", "create", "unanswered", "unknown", 0],
  // Without a payment method no payment is confirmed, whatever became of it.
  ["too-many", "card", "not-sent", "unknown", 0],
  ["error-before", "card", "not-sent", "unknown", 0],
  ["error-after", "card", "not-sent", "unknown", 0],
  ["disconnect-before", "card", "not-sent", "unknown", 0],
  ["disconnect-after", "card", "not-sent", "unknown", 0],
  ["half", "card", "not-sent", "unknown", 0],
  ["garbage", "card", "not-sent", "unknown", 0],
];

for (const [what, on, told, found, taken] of CHARGES)
  test(`a charge with ${what} at ${on} is ${told}, and what became of it is known by asking: ${found}`, async () => {
    const question = good();
    host.misbehave({ what, on: [on], times: 1 });
    const answer = await ask(question);
    assert.equal(answer.kind, told);
    assert.ok("why" in answer && answer.why !== "");
    assert.equal((await inquired(question)).kind, found);
    assert.equal(balance(question), taken);
  });

test("a charge whose payment Stripe failed to create without saying so is taken back: no card was sent for it", async () => {
  const question = good();
  host.misbehave({ what: "error-before", on: ["create"], times: 1 });
  host.misbehave({ what: "garbage", on: ["create"], times: 1 });
  assert.equal((await ask(question)).kind, "unanswered");
  assert.equal((await inquired(question)).kind, "unknown");
  assert.equal((await processor.timeoutReversal(timeoutReversalQuestion(question), soon())).kind, "confirmed");
  assert.equal(balance(question), 0);
});

for (const type of ["capture", "refund", "void"] as const)
  for (const what of ["error-after", "disconnect-after", "half", "garbage"] as const)
    test(`a ${type} with ${what} is unanswered, and an inquiry finds it done once`, async () => {
      const charge = good(type === "refund" ? "sale" : "auth");
      const question = await followUp(type, charge, { uncaptured: type === "refund" ? 0n : 1000n });
      host.misbehave({ what, on: [type === "void" ? "cancel" : type], times: 1 });
      assert.equal((await processor.followUp(question, soon())).kind, "unanswered");
      const found = await processor.inquire?.(followUpInquiry(charge, question), soon());
      assert.equal(found?.kind, "approved");
      assert.equal(balance(charge), type === "capture" ? 1000 : 0);
    });

describe("a follow-up that got a 500 and was not done, which its key remembers", () => {
  for (const [what, type, path, given, left] of [
    ["a void", "void", "auth", { uncaptured: 1000n }, 0],
    ["a capture of all", "capture", "auth", { uncaptured: 1000n }, 1000],
    ["a refund of all", "refund", "sale", {}, 0],
    ["a refund of more than half of what is left", "refund", "sale", { minor: 501n }, 499],
  ] as const)
    test(`${what} is done when it is asked again, since Stripe does it only once`, async () => {
      const charge = good(path);
      const question = await followUp(type, charge, given);
      host.misbehave({ what: "error-before", on: [type === "void" ? "cancel" : type], times: 1 });
      assert.equal((await processor.followUp(question, soon())).kind, "unanswered");
      assert.equal((await processor.inquire?.(followUpInquiry(charge, question), soon()))?.kind, "unknown");
      assert.equal((await processor.followUp(question, soon())).kind, "approved");
      assert.equal(balance(charge), left);
    });

  for (const [what, type, path, given, left] of [
    ["a refund of half", "refund", "sale", { minor: 500n }, 1000],
    ["a capture of half, after which more is captured", "capture", "auth", { minor: 500n, uncaptured: 1000n }, 1000],
  ] as const)
    test(`${what} stays unanswered: Stripe might carry out both`, async () => {
      const charge = good(path);
      const question = await followUp(type, charge, given);
      host.misbehave({ what: "error-before", on: [type], times: 1 });
      for (const _ of [1, 2, 3]) assert.equal((await processor.followUp(question, soon())).kind, "unanswered");
      assert.equal(balance(charge), left);
      host.forgetErrors();
      assert.equal((await processor.followUp(question, soon())).kind, "approved");
    });

  test("a refund of all that was captured stays unanswered while more may be captured: Stripe might carry out both", async () => {
    const charge = good("auth");
    const capture = await followUp("capture", charge, { minor: 400n, uncaptured: 1000n });
    assert.equal((await processor.followUp(capture, soon())).kind, "approved");
    const refund = await followUp("refund", charge, { minor: 400n, uncaptured: 600n });
    host.misbehave({ what: "error-before", on: ["refund"], times: 1 });
    for (const _ of [1, 2]) assert.equal((await processor.followUp(refund, soon())).kind, "unanswered");
    assert.equal(balance(charge), 1000);
    host.forgetErrors();
    assert.equal((await processor.followUp(refund, soon())).kind, "approved");
    assert.equal(balance(charge), 600);
  });

  test("a refund that Stripe carried out meanwhile is found, and not refused", async () => {
    const charge = good();
    const question = await followUp("refund", charge);
    host.misbehave({ what: "error-after", on: ["refund"], times: 1 });
    assert.equal((await processor.followUp(question, soon())).kind, "unanswered");
    host.account.keysKept = false;
    assert.equal((await processor.followUp(question, soon())).kind, "approved");
    assert.equal(balance(charge), 0);
  });

  test("a refund that Stripe carried out and that failed since is not asked for once more: an inquiry tells its end", async () => {
    const charge = good();
    const question = await followUp("refund", charge);
    host.misbehave({ what: "error-after", on: ["refund"], times: 1 });
    assert.equal((await processor.followUp(question, soon())).kind, "unanswered");
    host.end(question.reference, "declined");
    assert.equal((await processor.followUp(question, soon())).kind, "unanswered");
    assert.equal(balance(charge), 1000);
    assert.equal((await processor.inquire?.(followUpInquiry(charge, question), soon()))?.kind, "declined");
  });

  test("a reversal whose refund failed after all asks for another one", async () => {
    const question = good();
    await approved(question);
    const reversed = async () => (await processor.timeoutReversal(timeoutReversalQuestion(question), soon())).kind;
    host.misbehave({ what: "accept", on: ["refund"], times: 1 });
    assert.equal(await reversed(), "unanswered");
    const [refund] = [...host.ledger.state.refunds.values()].filter(
      ({ metadata }) => metadata.faregate_reversal_of === question.reference,
    );
    assert.ok(refund);
    host.ledger.refund({ ...refund, status: "failed", failure: "expired_or_canceled_card" });
    assert.equal(await reversed(), "confirmed");
    assert.equal(balance(question), 0);
  });

  test("a reversal of a charge of which some was given back elsewhere gives back the rest, and no more", async () => {
    const question = good();
    const { transactionId } = (await approved(question)).processorResponse;
    const elsewhere = { id: "re_elsewhere", created: 0, payment: transactionId ?? "", currency: "usd", metadata: {} };
    host.ledger.refund({ ...elsewhere, amount: 400, status: "succeeded", failure: null });
    host.ledger.refund({ ...elsewhere, id: "re_failed", amount: 100, status: "failed", failure: "unknown" });
    const reversed = await processor.timeoutReversal(timeoutReversalQuestion(question), soon());
    assert.deepEqual(reversed, { kind: "confirmed" });
    assert.equal(host.ledger.state.refunded(elsewhere.payment), 1000);
  });

  test("a reversal whose refund got one is confirmed when it is asked again", async () => {
    const question = good();
    await approved(question);
    host.misbehave({ what: "error-before", on: ["refund"], times: 1 });
    assert.equal((await processor.timeoutReversal(timeoutReversalQuestion(question), soon())).kind, "unanswered");
    assert.equal((await processor.timeoutReversal(timeoutReversalQuestion(question), soon())).kind, "confirmed");
    assert.equal(balance(question), 0);
  });
});

test("a follow-up that Stripe turns away was not done, whatever was wrong", async () => {
  const charge = good();
  const refund = await followUp("refund", charge);
  const stranger = openStripe({ ...stripeSettings(host.port), secret_key: "sk_test_ofanotheraccount" });
  assert.equal((await stranger.followUp(refund, soon())).kind, "not-sent");
  await stranger.close();
  host.misbehave({ what: "too-many", on: ["refund"], times: 1 });
  assert.equal((await processor.followUp(refund, soon())).kind, "not-sent");
  assert.equal((await processor.followUp(refund, soon())).kind, "approved");
});

test("a refund that Stripe refuses and does not let be looked for is unanswered: it was sent", async () => {
  const charge = good();
  const question = await followUp("refund", charge);
  assert.equal((await processor.followUp(question, soon())).kind, "approved");
  const again = { ...question, reference: randomUUID() };
  host.misbehave({ what: "too-many", on: ["look"], times: 1 });
  assert.equal((await processor.followUp(again, soon())).kind, "unanswered");
  assert.equal((await processor.followUp(again, soon())).kind, "declined");
});

test("of two refunds under one reference, of which one failed, the other is its end", async () => {
  const charge = good();
  const question = await followUp("refund", charge);
  const told = async () => (await processor.inquire?.(followUpInquiry(charge, question), soon()))?.kind;
  assert.equal((await processor.followUp(question, soon())).kind, "approved");
  host.end(question.reference, "declined");
  assert.equal(await told(), "declined");
  host.account.keysKept = false;
  assert.equal((await processor.followUp(question, soon())).kind, "approved");
  assert.equal(await told(), "approved");
  assert.equal(balance(charge), 0);
});

describe("when Stripe no longer has the key", () => {
  const LATER = { now: () => new Date(Date.now() + 2 * 86_400_000) };

  test("a charge is found by our reference, and taken back", async () => {
    const later = openStripe(stripeSettings(host.port), "USD", LATER);
    const question = good();
    await approved(question);
    host.account.keysKept = false;
    const found = await later.inquire?.(inquiryQuestion(question), soon());
    assert.equal(found?.kind, "approved");
    assert.deepEqual(await later.timeoutReversal(timeoutReversalQuestion(question), soon()), { kind: "confirmed" });
    assert.equal(balance(question), 0);
    await later.close();
  });

  test("a capture, a refund and a void that were done are not done again", async () => {
    const captured = good("auth");
    const capture = await followUp("capture", captured, { minor: 400n, uncaptured: 1000n });
    const refunded = good("sale");
    const refund = await followUp("refund", refunded, { minor: 400n });
    for (const [charge, question] of [
      [captured, capture],
      [refunded, refund],
    ] as const) {
      await processor.followUp(question, soon());
      host.account.keysKept = false;
      // The gateway inquires first, and repeats only what nobody has heard of.
      assert.equal((await processor.inquire?.(followUpInquiry(charge, question), soon()))?.kind, "approved");
      host.account.keysKept = true;
    }
    assert.deepEqual([balance(captured), balance(refunded)], [1000, 600]);
  });

  test("a charge that was worded otherwise then is still found", async () => {
    const question = good();
    await approved(question);
    const reworded = { ...inquiryQuestion(question), merchantTransactionId: "another order" };
    assert.equal((await processor.inquire?.(reworded, soon()))?.kind, "approved");
  });
});

test("an account without access to raw card data is told what is missing, by the charge and by the check", async () => {
  host.account.takesCardNumbers = false;
  const answer = await ask(good());
  assert.ok(answer.kind === "declined" && answer.category === "configuration");
  assert.match(answer.processorResponse.detail ?? "", /directly to the Stripe API/);
  const checks = (await processor.check?.(soon())) ?? [];
  const wrong = checks.filter(({ result }) => result === "wrong");
  assert.deepEqual(
    wrong.map(({ what }) => what),
    ["card numbers"],
  );
  assert.match(wrong[0]?.detail ?? "", /ask Stripe's support/);
});

test("a check says what is wrong with key and account, and is content with a good one", async () => {
  const results = async (of: Processor) =>
    ((await of.check?.(soon())) ?? []).map(({ what, result }) => `${what}: ${result}`);
  assert.deepEqual(await results(processor), [
    "key: ok",
    "account: ok",
    "payments: ok",
    "search of payments: ok",
    "refunds: ok",
    "card numbers: ok",
    "webhooks: unknown",
  ]);
  host.account.chargesEnabled = false;
  assert.ok((await results(processor)).includes("account: wrong"));
  const stranger = openStripe({ ...stripeSettings(host.port), secret_key: "sk_test_ofanotheraccount" });
  assert.deepEqual(await results(stranger), ["key: wrong"]);
  assert.equal((await stranger.health(soon())).reachable, false);
  await stranger.close();
});

test("amounts go in Stripe's own units, and what Stripe cannot say is not sent", async () => {
  for (const [currency, minor, units] of [
    ["JPY", 100_000n, 1000],
    ["ISK", 100_000n, 100_000],
    ["KWD", 125n, 1250],
    ["MGA", 500n, 5],
  ] as const) {
    const question = good("sale", { currency, minor });
    await approved(question, processor);
    assert.equal(balance(question), units, currency);
  }
  assert.equal((await ask(good("sale", { currency: "MGA", minor: 550n }))).kind, "not-sent");
});
