import assert from "node:assert/strict";
import { test } from "node:test";
import { ZERO } from "../../payment/money.ts";
import type { ReportLine } from "../../processors/settlement-report.ts";
import { feesOf } from "./dispute-fees.ts";
import { DISPUTE_FINDINGS, type KnownDispute, type ReportFinding } from "./report-finding.ts";

const DISPUTE: KnownDispute = {
  ...{ id: "dispute", transactionId: "transaction", eventId: "event", reference: "D1", state: "needs_response" },
  ...{ currency: "EUR", withdrawn: ZERO, openedAt: new Date(0), movements: [] },
};
const euros = (amount: number) => BigInt(Math.round(amount * 1_000_000));
const LINE: ReportLine = {
  ...{ line: 2, kind: "chargeback", said: "Chargeback", id: "Chargeback P D1", batch: "1", dispute: "D1" },
  about: { transactionId: "transaction", eventId: "event" },
  ...{ gross: -euros(100), currency: "EUR", net: -euros(115), netCurrency: "EUR" },
};
const back = { kind: "chargeback-reversed", gross: euros(100) } as const;

const feeOf = (
  over: Partial<ReportLine>,
  dispute: KnownDispute | null = DISPUTE,
  kind: ReportFinding["kind"] = "chargeback",
) =>
  feesOf({ kind, here: null, there: { ...LINE, ...over }, dispute })
    .map(({ disputeId, fee: { name, amount, currency } }) => `${disputeId} ${name} ${amount} ${currency}`)
    .join();

test("a line about a dispute has the fee that it states, or that its net amount leaves", () => {
  assert.equal(feeOf({}), "dispute Chargeback P D1 1500 EUR");
  assert.equal(feeOf({ fee: euros(15) }), "dispute Chargeback P D1 1500 EUR");
  assert.equal(feeOf({ ...back, net: euros(85) }), "dispute Chargeback P D1 1500 EUR");
  // Given back.
  assert.equal(feeOf({ ...back, net: euros(115), fee: -euros(15) }), "dispute Chargeback P D1 -1500 EUR");
  const inDollars = { netCurrency: "USD", net: -euros(125), converted: -euros(110) };
  assert.equal(feeOf(inDollars), "dispute Chargeback P D1 1500 USD");
  assert.equal(feeOf({ ...inDollars, fee: euros(15) }), "dispute Chargeback P D1 1500 USD");
});

test("no fee is guessed", () => {
  assert.equal(feeOf({ net: -euros(100) }), "", "nothing was kept");
  assert.equal(feeOf({ netCurrency: "USD", net: -euros(125) }), "", "exchanged at a rate that is not told");
  assert.equal(feeOf({ fee: euros(10) }), "", "a line that does not add up");
  assert.equal(feeOf({ net: euros(85) }), "", "a line with the wrong sign");
  assert.equal(feeOf({ net: -euros(115.005) }), "", "of half a cent");
  assert.equal(feeOf({ id: null }), "", "of a line without a name, which may be read again");
  assert.equal(feeOf({}, null), "", "of a dispute that is not on record");
  for (const kind of DISPUTE_FINDINGS) assert.equal(feeOf({}, DISPUTE, kind), "", kind);
});
