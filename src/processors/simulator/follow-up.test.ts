import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { chargeQuestion, followUpQuestion } from "../../../test/conformance/questions.ts";
import { CAD_TERMS, defaultTerms, ORDINARY_TERMS } from "../../payment/account-terms.ts";
import { amountOf } from "../../payment/money.ts";
import type { SettlementTimes } from "../../payment/outcome.ts";
import { defaultSchedule, settlementTimes } from "../../payment/settlement.ts";
import type { ChargeType, FollowUpType } from "../../payment/transaction.ts";
import type { CapturedPart } from "../processor.ts";
import { type Account, judgeFollowUp, settlesAt } from "./follow-up.ts";

const TODAY = settlementTimes(defaultSchedule("CAD"), new Date("2030-05-15T12:00:00Z"));
const TOMORROW = settlementTimes(defaultSchedule("CAD"), new Date("2030-05-15T23:00:00Z"));
const ID = "019e2f3a-1234-7000-8000-0123456789ab";
const SETTLES_MS = settlesAt(ID, TODAY).getTime();
const JUST_BEFORE = new Date(SETTLES_MS - 1);
const SETTLED = new Date(SETTLES_MS);
const VISIBLE = new Date("2030-05-16T02:20:00Z");

const part = (left: bigint, settlement: SettlementTimes): CapturedPart => ({ left: amountOf(left), settlement });
const PARTS = [part(6000n, TODAY), part(4000n, TOMORROW)];

interface Asked {
  readonly currency?: string;
  readonly number?: string;
  readonly minor?: bigint;
  readonly uncaptured?: bigint;
  readonly captures?: readonly CapturedPart[];
  readonly now?: Date;
  readonly terms?: Account;
  readonly charge?: ChargeType;
}

/** The code of the answer to a follow-up of a charge of 100.00, by default a sale, whose money was captured at noon. */
function code(type: FollowUpType, asked: Asked = {}): string {
  const { currency = "CAD", number = "4111111111111111", minor = 10_000n, captures = [part(10_000n, TODAY)] } = asked;
  const charge = chargeQuestion(asked.charge ?? "sale", { currency, number, transactionId: ID, minor: 10_000n });
  const question = followUpQuestion(type, charge, null, { minor, captures, uncaptured: asked.uncaptured ?? 0n });
  const answer = judgeFollowUp(
    question,
    asked.terms ?? defaultTerms(currency),
    asked.now ?? new Date("2030-05-15T13:00:00Z"),
  );
  assert.ok(answer.kind === "approved" || answer.kind === "declined");
  assert.equal(
    answer.kind === "declined" && answer.category === "already-settled",
    answer.processorResponse.code === "A1",
  );
  return answer.processorResponse.code;
}

test("the card that declines captures and the one that declines refunds decline nothing else", () => {
  for (const [number, declines] of [
    ["4000000000000341", "capture"],
    ["4000000000005126", "refund"],
  ] as const)
    for (const type of ["capture", "void", "refund"] as const)
      assert.equal(code(type, { number, currency: "USD" }), type === declines ? "05" : "00", `${number} ${type}`);
});

test("a CAD void is approved until the money settles, a CAD refund from then on", () => {
  for (const [now, ofVoid, ofRefund] of [
    [new Date("2030-05-15T13:00:00Z"), "00", "A2"],
    [TODAY.cutoffAt, "00", "A2"],
    [JUST_BEFORE, "00", "A2"],
    [SETTLED, "A1", "00"],
    [TODAY.settledAt, "A1", "00"],
    [VISIBLE, "A1", "00"],
  ] as const)
    assert.deepEqual([code("void", { now }), code("refund", { now })], [ofVoid, ofRefund], now.toISOString());
});

test("at every instant of the window either the void or the refund of a CAD charge succeeds, never both", () => {
  for (let ms = TODAY.cutoffAt.getTime() - 60_000; ms <= TODAY.visibleAt.getTime() + 60_000; ms += 30_000) {
    const codes = [code("void", { now: new Date(ms) }), code("refund", { now: new Date(ms) })];
    assert.equal(codes.filter((each) => each === "00").length, 1, codes.join());
  }
});

test("an authorization of which nothing was captured is voided at any time", () => {
  assert.equal(code("void", { captures: [], uncaptured: 10_000n, now: VISIBLE }), "00");
  assert.equal(code("refund", { captures: [], uncaptured: 10_000n, now: VISIBLE }), "A2");
});

test("in other currencies both are approved at any time", () => {
  for (const now of [JUST_BEFORE, SETTLED, VISIBLE])
    for (const type of ["capture", "void", "refund"] as const)
      assert.equal(code(type, { currency: "USD", now }), "00", type);
});

test("it is the account's terms that decide, whatever the currency", () => {
  for (const now of [JUST_BEFORE, SETTLED, VISIBLE])
    for (const type of ["capture", "void", "refund"] as const) {
      assert.equal(code(type, { currency: "USD", terms: CAD_TERMS, now }), code(type, { currency: "CAD", now }), type);
      assert.equal(code(type, { currency: "CAD", terms: ORDINARY_TERMS, now }), "00", type);
    }
});

test("without the capability to refund before settlement a refund waits for it, in any currency", () => {
  const terms = { ...ORDINARY_TERMS, refundBeforeSettlement: false };
  assert.equal(code("refund", { currency: "USD", terms, now: JUST_BEFORE }), "A2");
  assert.equal(code("refund", { currency: "USD", terms, now: SETTLED }), "00");
});

test("it may refund what was captured of an authorization before that settles, and a sale not", () => {
  const terms = { ...ORDINARY_TERMS, refundBeforeSettlement: false, refundsCapturedAuthorizations: true };
  const early = (charge: ChargeType, given: Account) => code("refund", { charge, terms: given, now: JUST_BEFORE });
  assert.deepEqual([early("auth", terms), early("sale", terms)], ["00", "A2"]);
  assert.equal(early("auth", { ...terms, refundsCapturedAuthorizations: false }), "A2");
});

describe("a CAD authorization captured in parts", () => {
  test("what was never captured is voided after the captured part has visibly settled", () => {
    assert.equal(code("void", { minor: 4000n, uncaptured: 4000n, captures: [part(6000n, TODAY)], now: VISIBLE }), "00");
  });

  test("a void of all of it fails once a part has settled", () => {
    assert.equal(code("void", { now: SETTLED, captures: PARTS }), "A1");
    assert.equal(code("void", { now: JUST_BEFORE, captures: PARTS }), "00");
  });

  test("a void of the part that has not settled succeeds", () => {
    assert.equal(code("void", { minor: 4000n, now: SETTLED, captures: PARTS }), "00");
    assert.equal(code("void", { minor: 4001n, now: SETTLED, captures: PARTS }), "A1");
  });

  test("a refund of the settled part is not held up by the other", () => {
    assert.equal(code("refund", { minor: 6000n, now: SETTLED, captures: PARTS }), "00");
    assert.equal(code("refund", { minor: 6001n, now: SETTLED, captures: PARTS }), "A2");
    assert.equal(code("refund", { minor: 6000n, now: JUST_BEFORE, captures: PARTS }), "A2");
  });
});
