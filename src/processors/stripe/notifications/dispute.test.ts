import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { renderAmount } from "../../../payment/money.ts";
import { newsOfDispute } from "./dispute.ts";

const dispute = (over: object = {}) => ({
  id: "du_1",
  object: "dispute",
  amount: 1000,
  currency: "usd",
  charge: "ch_1",
  payment_intent: "pi_1",
  status: "needs_response",
  reason: "product_not_received",
  payment_method_details: { type: "card", card: { brand: "visa", network: "visa", network_reason_code: "13.1" } },
  evidence_details: { due_by: 1_936_000_000 },
  balance_transactions: [],
  ...over,
});

const AT = new Date("2031-05-01T12:00:00Z");
const newsOf = (over: object, at = AT) =>
  newsOfDispute({ id: "evt_1", type: "charge.dispute.updated", at, object: dispute(over) });

describe("what a status means", () => {
  for (const [status, expected] of [
    ["warning_needs_response", "inquiry needs_response"],
    ["warning_under_review", "inquiry under_review"],
    ["warning_closed", "inquiry closed"],
    ["needs_response", "chargeback needs_response"],
    ["under_review", "chargeback under_review"],
    ["prevented", "- closed"],
    ["appeal_needs_response", "pre_arbitration needs_response"],
    ["appeal_under_review", "pre_arbitration under_review"],
    ["won", "- won"],
    ["lost", "- lost"],
  ] as const)
    test(`${status}: ${expected}`, () => {
      const { stage = "-", state } = newsOf({ status })?.report ?? {};
      assert.equal(`${stage} ${state}`, expected);
    });
});

test("what was withdrawn is what the balance moved by, or all of it where the account is in another currency", () => {
  const withdrawn = (over: object, ...amounts: readonly (readonly [number, string])[]) => {
    const movements = amounts.map(([amount, currency]) => ({ amount, currency, fee: 1500 }));
    const found = newsOf({ ...over, balance_transactions: movements })?.report.withdrawn;
    return found === undefined ? undefined : renderAmount(found);
  };
  assert.equal(withdrawn({}), "0.00");
  assert.equal(withdrawn({}, [-1000, "usd"]), "10.00");
  assert.equal(withdrawn({}, [-1200, "usd"]), "12.00");
  assert.equal(withdrawn({}, [-1000, "usd"], [400, "usd"]), "6.00");
  assert.equal(withdrawn({}, [-1000, "usd"], [1000, "usd"]), "0.00");
  assert.equal(withdrawn({}, [-913, "eur"]), "10.00");
  assert.equal(withdrawn({}, [-913, "eur"], [921, "eur"]), "0.00");
  assert.equal(withdrawn({ currency: "jpy" }, [-1000, "jpy"]), "1000.00");
});

test("a fee is that of a movement, by its name, in the currency of the account", () => {
  const fees = (...movements: readonly object[]) =>
    newsOf({ balance_transactions: movements.map((one) => ({ amount: -1000, currency: "usd", ...one })) })?.report.fees;
  const took = { name: "txn_1", amount: 1500n, currency: "USD" };
  assert.deepEqual(fees({ id: "txn_1", fee: 1500 }), [took]);
  assert.deepEqual(fees({ id: "txn_1", fee: 1500 }, { id: "txn_2", amount: 1000, fee: -1500 }), [
    took,
    { ...took, name: "txn_2", amount: -1500n },
  ]);
  assert.deepEqual(fees({ id: "txn_1", fee: 1500, currency: "eur" }), [{ ...took, currency: "EUR" }]);
  assert.deepEqual(fees({ id: "txn_1", fee: 1500, currency: "jpy" }), [{ ...took, amount: 150_000n, currency: "JPY" }]);
  assert.deepEqual(fees({ id: "txn_1", fee: 1500, currency: "kwd" }), [{ ...took, amount: 150n, currency: "KWD" }]);
});

test("no fee is told where Stripe tells none, or one that is not understood", () => {
  for (const wrong of [
    { id: "txn_1" },
    { id: "txn_1", fee: 0 },
    { fee: 1500 },
    { id: "txn_1", fee: 1500, currency: "xxx" },
    { id: "txn_1", fee: 1501, currency: "kwd" },
  ]) {
    const report = newsOf({ balance_transactions: [{ amount: -1000, currency: "usd", ...wrong }] })?.report;
    assert.deepEqual([report?.state, report && "fees" in report], ["needs_response", false], JSON.stringify(wrong));
  }
  assert.equal(newsOf({})?.report.fees, undefined);
});

test("an event is later by its time, and within a second by what had come of it", () => {
  const order = (over: object, seconds = 0) =>
    newsOf(over, new Date(AT.getTime() + seconds * 1_000))?.report.order ?? -1;
  const moved = { balance_transactions: [{ amount: -1000, currency: "usd" }] };
  const orders = [
    order({}),
    order({ status: "under_review" }),
    order(moved),
    order({ ...moved, status: "won" }),
    order({ status: "warning_needs_response" }, 1),
  ];
  assert.deepEqual(
    orders,
    [...new Set(orders)].sort((a, b) => a - b),
  );
});

test("of two events in one second the later one is that of the later status, and however much moved, the next second is later", () => {
  const order = (over: object, seconds = 0) =>
    newsOf(over, new Date(AT.getTime() + seconds * 1_000))?.report.order ?? -1;
  const course = [
    ...["warning_needs_response", "warning_under_review", "warning_closed", "needs_response", "under_review"],
    ...["prevented", "lost", "appeal_needs_response", "appeal_under_review", "won"],
  ];
  const movements = Array.from({ length: 20 }, () => ({ amount: -1, currency: "usd" }));
  const orders = [
    ...course.map((status) => order({ status })),
    order({ status: "needs_response", balance_transactions: movements }),
    order({ status: "warning_needs_response" }, 1),
  ];
  assert.deepEqual(
    orders,
    [...new Set(orders)].sort((a, b) => a - b),
  );
});

test("it names the dispute, the payment, the reason in words and the due date", () => {
  const { reference, payment, report } = newsOf({}) ?? {};
  assert.deepEqual([reference, payment], ["du_1", "pi_1"]);
  assert.deepEqual(
    [report?.reason, report?.reasonCode, report?.respondBy],
    ["Merchandise or services not received", "13.1", new Date(1_936_000_000_000)],
  );
  const bare = newsOf({ payment_method_details: null, payment_intent: null, evidence_details: { due_by: 0 } });
  assert.deepEqual(
    [bare?.payment, bare?.report.reason, bare?.report.reasonCode, bare?.report.respondBy],
    [null, "Product not received", undefined, null],
  );
});

test("the network's reason code is read where the published document has it, and nowhere else", () => {
  for (const [over, expected] of [
    [{ payment_method_details: { card: { network_reason_code: "10.4" } } }, "10.4"],
    [{ payment_method_details: { card: { network_reason_code: null } } }, undefined],
    [{ payment_method_details: { card: null } }, undefined],
    [{ payment_method_details: { type: "klarna" } }, undefined],
    [{ payment_method_details: undefined, network_reason_code: "13.1" }, undefined],
  ] as const)
    assert.equal(newsOf(over)?.report.reasonCode, expected, JSON.stringify(over));
});

test("a due date that is no date is left out, and the dispute is told", () => {
  const due = (due_by: number) => newsOf({ evidence_details: { due_by } })?.report;
  assert.deepEqual(due(253_402_300_799)?.respondBy, new Date("9999-12-31T23:59:59Z"));
  for (const wrong of [253_402_300_800, 9e15, -1]) {
    const report = due(wrong);
    assert.deepEqual([report?.state, report?.respondBy], ["needs_response", undefined], String(wrong));
  }
});

test("what is no dispute, or has a status, a currency or an amount that is not understood, is none to go by", () => {
  for (const wrong of [
    { object: "charge" },
    { status: "new_status" },
    { status: "constructor" },
    { currency: "xxx" },
    { currency: "kwd", amount: 1001 },
    { amount: -1 },
    { id: "" },
    { balance_transactions: null },
  ])
    assert.equal(newsOf(wrong), undefined, JSON.stringify(wrong));
});
