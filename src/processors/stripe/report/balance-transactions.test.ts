import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { NoReport } from "../../settlement-report.ts";
import { balanceLine } from "./balance-line.ts";
import { balanceTransactions } from "./balance-transactions.ts";

const TRANSACTION = "019e2f3a-0000-7000-8000-000000000001";
const EVENT = "019e2f3a-0000-7000-8000-000000000002";
const metadata = { faregate_transaction: TRANSACTION, faregate_reference: EVENT };
const CHARGE = { id: "ch_1", object: "charge", amount: 1000, amount_captured: 1000, currency: "usd", metadata };
const CAPTURED = {
  ...{ id: "txn_1", object: "balance_transaction", amount: 1000, fee: 59, net: 941, currency: "usd" },
  ...{ type: "charge", reporting_category: "charge", source: CHARGE },
};
const LINE = {
  ...{ line: 1, kind: "captured", said: "charge", id: "txn_1", batch: null },
  about: { transactionId: TRANSACTION, eventId: EVENT },
  ...{ gross: 10_000_000n, currency: "USD", net: 9_410_000n, netCurrency: "USD", fee: 590_000n },
};

test("a captured charge is what came in, under the names that its payment was given", () => {
  assert.deepEqual(balanceLine(CAPTURED, 1, null), LINE);
  assert.deepEqual(balanceLine({ ...CAPTURED, later: "field" }, 1, "po_1"), { ...LINE, batch: "po_1" });
});

const shown = (over: object) => {
  const line = balanceLine({ ...CAPTURED, ...over }, 1, null);
  return "fault" in line ? line.fault : [line.kind, line.gross, line.currency, line.net, line.netCurrency];
};
const out = { amount: -500, fee: 0, net: -500 };
test("the fee, what was exchanged and at which rate, and the dispute are read where Stripe tells them", () => {
  const said = (over: object) => {
    const line = balanceLine({ ...CAPTURED, ...over }, 1, null);
    return "fault" in line ? line.fault : [line.fee, line.converted, line.rate, line.dispute];
  };
  const dispute = { amount: -500, fee: 1500, net: -2000, type: "adjustment", reporting_category: "dispute" };
  assert.deepEqual(said({}), [590_000n, undefined, undefined, undefined]);
  const euros = { currency: "eur", exchange_rate: 0.92 };
  assert.deepEqual(said(euros), [590_000n, 10_000_000n, { digits: 92n, decimals: 2 }, undefined]);
  assert.deepEqual(said({ ...euros, exchange_rate: null }), [590_000n, 10_000_000n, undefined, undefined]);
  // Of smallest units, or of major ones? Stripe does not say.
  assert.deepEqual(said({ ...euros, currency: "jpy" }), [59_000_000n, 1_000_000_000n, undefined, undefined]);
  assert.deepEqual(said({ ...dispute, source: "du_1" }), [15_000_000n, undefined, undefined, "du_1"]);
  assert.deepEqual(said({ ...dispute, source: { id: "dp_1", object: "dispute" } }).at(-1), "dp_1");
  assert.deepEqual(said({ ...dispute, source: null }).at(-1), undefined);
  assert.deepEqual(said({ type: "stripe_fee", reporting_category: "fee" }), Array(4).fill(undefined));
});

for (const [type, reporting_category, kind] of [
  ["payment_failure_refund", "charge_failure", "capture-failed"],
  ["adjustment", "refund_failure", "undone"],
  ["adjustment", "fee", "fee"],
  ["reserve_transaction", "risk_reserved_funds", "reserve"],
  ["payout_minimum_balance_hold", "payout_minimum_balance_hold", "reserve"],
  ["adjustment", "other_adjustment", "other"],
  ["topup", "topup", "other"],
  ["something_new", "something_new", "other"],
] as const)
  test(`${type} of the category ${reporting_category} is ${kind}`, () => {
    const line = balanceLine({ ...CAPTURED, type, reporting_category }, 1, null);
    assert.equal("kind" in line && line.kind, kind);
  });

for (const [rule, over, expected] of [
  [
    "a refund",
    { ...out, type: "refund", reporting_category: "refund", source: null },
    ["refunded", -5_000_000n, "USD", -5_000_000n, "USD"],
  ],
  [
    "a refund that failed",
    { amount: 500, fee: 0, net: 500, type: "refund_failure" },
    ["undone", 5_000_000n, "USD", 5_000_000n, "USD"],
  ],
  [
    "a dispute",
    { ...out, fee: 1500, net: -2000, type: "adjustment", reporting_category: "dispute", source: "du_1" },
    ["chargeback", -5_000_000n, "USD", -20_000_000n, "USD"],
  ],
  [
    "a dispute that was won",
    { amount: 500, fee: 0, net: 500, type: "adjustment", reporting_category: "dispute_reversal", source: null },
    ["chargeback-reversed", 5_000_000n, "USD", 5_000_000n, "USD"],
  ],
  [
    "a payout",
    { ...out, type: "payout", reporting_category: "payout", source: { id: "po_1", object: "payout" } },
    ["payout", -5_000_000n, "USD", -5_000_000n, "USD"],
  ],
  ["yen have no decimals", { currency: "jpy", source: null }, ["captured", 1_000_000_000n, "JPY", 941_000_000n, "JPY"]],
  ["dinars have three", { currency: "kwd", source: null }, ["captured", 1_000_000n, "KWD", 941_000n, "KWD"]],
  [
    "paid out in another currency: what was asked for",
    { currency: "eur" },
    ["captured", 10_000_000n, "USD", 9_410_000n, "EUR"],
  ],
  [
    "a refund in another currency went out, too",
    { ...out, currency: "eur", type: "refund", reporting_category: "refund" },
    ["refunded", -10_000_000n, "USD", -5_000_000n, "EUR"],
  ],
  [
    "what was authorized and not captured",
    { ...out, type: "refund", reporting_category: "partial_capture_reversal", source: null },
    ["released", -5_000_000n, "USD", -5_000_000n, "USD"],
  ],
] as const)
  test(rule, () => assert.deepEqual(shown(over), expected));

test("a charge that was captured in part is booked whole, and what was asked for is what was captured", () => {
  const captured = (amount_captured: number, over: object = {}) => {
    const line = balanceLine({ ...CAPTURED, ...over, source: { ...CHARGE, amount_captured } }, 1, null);
    return "gross" in line ? [line.gross, line.booked, line.net] : line;
  };
  assert.deepEqual(captured(600), [6_000_000n, 10_000_000n, 9_410_000n]);
  assert.deepEqual(captured(1000), [10_000_000n, undefined, 9_410_000n]);
  // One of several captures, of which the charge tells the sum.
  assert.deepEqual(captured(600, { amount: 400, fee: 0, net: 400 }), [4_000_000n, undefined, 4_000_000n]);
});

test("a refund that takes an unanswered charge back names that charge; what has no names of ours is nobody's here", () => {
  const about = (metadata: unknown) => {
    const line = balanceLine({ ...CAPTURED, source: { ...CHARGE, metadata } }, 1, null);
    return "about" in line ? line.about : line;
  };
  const reversal = { faregate_transaction: TRANSACTION, faregate_reversal_of: EVENT };
  assert.deepEqual(about(reversal), LINE.about);
  for (const other of [{}, null, { faregate_reference: EVENT }, { ...metadata, faregate_transaction: "' or 1=1" }])
    assert.equal(about(other), null);
});

test("a refund without names of ours is of the charge that Stripe was asked to show with it", () => {
  const refund = { id: "re_1", object: "refund", amount: 500, currency: "usd", metadata: {}, payment_intent: "pi_1" };
  const said = (source: unknown, over: object = {}) => {
    const line = balanceLine(
      { ...CAPTURED, ...out, type: "refund", reporting_category: "refund", source, ...over },
      1,
      null,
    );
    return "about" in line ? [line.about, line.operation] : line;
  };
  assert.deepEqual(said({ ...refund, charge: CHARGE }), [LINE.about, "re_1"]);
  assert.deepEqual(said({ ...refund, charge: CHARGE, metadata }), [LINE.about, "re_1"]);
  const failed = { amount: 500, net: 500, type: "refund_failure", reporting_category: "refund_failure" };
  assert.deepEqual(said({ ...refund, charge: CHARGE }, failed), [LINE.about, "re_1"]);
  for (const charge of ["ch_1", null, undefined, { ...CHARGE, metadata: {} }])
    assert.deepEqual(said({ ...refund, charge }), [null, "re_1"]);
  const released = { reporting_category: "partial_capture_reversal" };
  assert.deepEqual(said({ ...refund, charge: CHARGE }, released), [null, undefined], "no money of it moved");
});

for (const [what, over, fault] of [
  ["a net amount that does not follow", { net: 942 }, /is not its amount less its fee/],
  ["a net amount that is less than what follows", { net: 940 }, /is not its amount less its fee/],
  ["half a cent", { amount: 0.5 }, /as Stripe describes it/],
  ["an amount in words", { amount: "1000" }, /as Stripe describes it/],
  ["a currency that nobody counts", { currency: "iqd", source: null }, /not counted/],
  ["another object", { object: "charge" }, /as Stripe describes it/],
] as const)
  test(`${what} is a broken line`, () => assert.match(String(shown(over)), fault));

async function read(text: string) {
  async function* pieces() {
    for (let at = 0; at < text.length; at += 11) yield text.slice(at, at + 11);
  }
  return (await Array.fromAsync(balanceTransactions.read(pieces(), { settings: {} }))).flat();
}

test("a list in a file is read whole or not at all: cut off anywhere it is none, and neither is one that goes on", async () => {
  const text = JSON.stringify({ object: "list", data: [CAPTURED, { ...CAPTURED, id: "txn_2" }], has_more: false });
  assert.deepEqual(await read(text), [LINE, { ...LINE, line: 2, id: "txn_2" }]);
  await fc.assert(
    fc.asyncProperty(fc.nat(text.length - 1), async (end) => {
      await assert.rejects(read(text.slice(0, end)), NoReport);
    }),
  );
  const empty = JSON.stringify({ object: "list", data: [], has_more: false });
  for (const other of [text.replace("false", "true"), empty, "[]", '{"object":"list"}', "null"])
    await assert.rejects(read(other), NoReport);
});

test("whatever the file holds, it is a report, a broken line or no report, and never a fault of ours", async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), async (one, source) => {
      const data = [one, { ...CAPTURED, source }];
      const lines = await read(JSON.stringify({ object: "list", data, has_more: false }));
      assert.equal(lines.length, 2);
    }),
  );
});
