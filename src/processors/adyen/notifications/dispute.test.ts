import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { renderAmount } from "../../../payment/money.ts";
import { disputeOf } from "./dispute.ts";
import type { Item } from "./item.ts";

const item = (eventCode: string, over: Partial<Item> = {}): Item => ({
  eventCode,
  success: "true",
  pspReference: "DISPUTE",
  originalReference: "PAYMENT",
  merchantReference: "",
  merchantAccountCode: "TestMerchant",
  amount: { value: 1000, currency: "EUR" },
  eventDate: "2031-05-01T01:00:00+01:00",
  ...over,
});

const reportOf = (eventCode: string, over: Partial<Item> = {}) => disputeOf(item(eventCode, over))?.report;

describe("what a step of a dispute says", () => {
  for (const [eventCode, expected, additionalData] of [
    ["REQUEST_FOR_INFORMATION", "inquiry needs_response"],
    ["NOTIFICATION_OF_CHARGEBACK", "chargeback needs_response"],
    ["CHARGEBACK", "chargeback - 10.00"],
    ["INFORMATION_SUPPLIED", "- under_review"],
    ["DISPUTE_DEFENSE_PERIOD_ENDED", "- lost"],
    ["DISPUTE_DEFENSE_PERIOD_ENDED", "- closed", { rfiReasonCode: "1" }],
    ["CHARGEBACK_REVERSED", "chargeback under_review 0.00", { disputeStatus: "Pending" }],
    ["CHARGEBACK_REVERSED", "chargeback won 0.00", { disputeStatus: "Won" }],
    ["ISSUER_RESPONSE_TIMEFRAME_EXPIRED", "- won"],
    ["SECOND_CHARGEBACK", "second_chargeback lost 10.00"],
    ["SECOND_CHARGEBACK", "second_chargeback lost 10.00", { disputeStatus: "Won" }],
    ["PREARBITRATION_OPEN", "pre_arbitration needs_response"],
    ["PREARBITRATION_ACCEPTED", "pre_arbitration lost", { disputeStatus: "Lost" }],
    ["PREARBITRATION_DECLINED", "pre_arbitration under_review"],
    ["PREARBITRATION_WON", "pre_arbitration won"],
    ["PREARBITRATION_LOST", "pre_arbitration lost"],
    ["PREARBITRATION_ISSUER_WITHDRAWN", "pre_arbitration won"],
    ["SCHEME_ARBITRATION", "arbitration under_review"],
    ["SCHEME_ARBITRATION_WON", "arbitration won"],
    ["SCHEME_ARBITRATION_LOST", "arbitration lost"],
  ] as const)
    test(`${eventCode} ${JSON.stringify(additionalData ?? {})}: ${expected}`, () => {
      const report = reportOf(eventCode, additionalData && { additionalData });
      const { stage = "-", state = "-", withdrawn } = report ?? {};
      assert.equal([stage, state, ...(withdrawn === undefined ? [] : [renderAmount(withdrawn)])].join(" "), expected);
    });
});

test("steps are in the order of a dispute, and those of an inquiry before its chargeback", () => {
  const inquiry = { additionalData: { rfiReasonCode: "1" } };
  const orders = [
    reportOf("REQUEST_FOR_INFORMATION", inquiry),
    reportOf("INFORMATION_SUPPLIED", inquiry),
    reportOf("DISPUTE_DEFENSE_PERIOD_ENDED", inquiry),
    reportOf("NOTIFICATION_OF_CHARGEBACK"),
    reportOf("CHARGEBACK"),
    reportOf("INFORMATION_SUPPLIED"),
    reportOf("CHARGEBACK_REVERSED"),
    reportOf("SECOND_CHARGEBACK"),
    reportOf("PREARBITRATION_LOST"),
  ].map((report) => report?.order ?? -1);
  assert.deepEqual(
    orders,
    [...new Set(orders)].sort((a, b) => a - b),
  );
});

test("code, reason and due date are shown, in words of the network's where Adyen gives none", () => {
  const additionalData = { chargebackReasonCode: " 4853", defensePeriodEndsAt: "2031-07-31T03:03:07+02:00" };
  const shown = (over: Partial<Item>) => {
    const { reason, reasonCode, respondBy } = reportOf("CHARGEBACK", { additionalData, ...over }) ?? {};
    return [reason, reasonCode, respondBy?.toISOString()];
  };
  assert.deepEqual(shown({ reason: "" }), ["Cardholder dispute", "4853", "2031-07-31T01:03:07.000Z"]);
  assert.deepEqual(shown({ reason: "502:Cardmember Dispute", additionalData: { defensePeriodEndsAt: 7 } }), [
    "502:Cardmember Dispute",
    undefined,
    undefined,
  ]);
  assert.deepEqual(shown({ reason: "card 4111111111111111", additionalData: {} })[0], undefined);
});

test("an amount is in Adyen's minor units; what has none, did not succeed or says no step is no dispute to go by", () => {
  const disputed = (value: number, currency: string) => {
    const found = reportOf("CHARGEBACK", { amount: { value, currency } })?.disputed;
    return found && `${renderAmount(found.amount)} ${found.currency}`;
  };
  assert.deepEqual(
    [
      disputed(1000, "JPY"),
      disputed(1000, "CLP"),
      disputed(12_340, "KWD"),
      disputed(12_345, "KWD"),
      disputed(1, "XXX"),
    ],
    ["1000.00 JPY", "10.00 CLP", "12.34 KWD", undefined, undefined],
  );
  const { amount: _, ...without } = item("CHARGEBACK");
  for (const none of [
    without,
    item("ISSUER_COMMENTS"),
    item("CHARGEBACK", { success: "false" }),
    item("CHARGEBACK", { pspReference: "" }),
  ])
    assert.equal(disputeOf(none), undefined);
});
