import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { NoReport, type ReportLine } from "../../settlement-report.ts";
import { settlementDetails } from "./settlement-details.ts";

const TRANSACTION = "019e2f3a-0000-7000-8000-000000000001";
const SALE = "019e2f3a-0000-7000-8000-000000000002";
const CAPTURE = "019e2f3a-0000-7000-8000-000000000003";
const HEADER = [
  ...["Company Account", "Merchant Account", "Psp Reference", "Merchant Reference", "Payment Method", "Creation Date"],
  ...["TimeZone", "Type", "Modification Reference", "Gross Currency", "Gross Debit (GC)", "Gross Credit (GC)"],
  ...["Exchange Rate", "Net Currency", "Net Debit (NC)", "Net Credit (NC)", "Commission (NC)", "Markup (NC)"],
  ...["Scheme Fees (NC)", "Interchange (NC)", "Payment Method Variant", "Modification Merchant Reference"],
  ...["Batch Number"],
] as const;
type Fields = Readonly<Partial<Record<(typeof HEADER)[number], string>>>;

const SETTLED: Fields = {
  "Merchant Account": "TestMerchant",
  "Psp Reference": "PSP1",
  "Merchant Reference": `${TRANSACTION}_${SALE}_s`,
  Type: "Settled",
  "Modification Reference": "PSP2",
  "Gross Currency": "EUR",
  "Gross Credit (GC)": "10.00",
  "Net Currency": "EUR",
  "Net Credit (NC)": "9.70",
  "Batch Number": "7",
};
const quoted = (text: string) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const row = (fields: Fields) => HEADER.map((name) => quoted(fields[name] ?? "")).join(",");

async function read(text: string, cut = text.length + 1) {
  async function* pieces() {
    for (let at = 0; at < text.length; at += cut) yield text.slice(at, at + cut);
  }
  const record = { settings: { merchant_account: "TestMerchant" } };
  return (await Array.fromAsync(settlementDetails.read(pieces(), record))).flat();
}
const readRow = async (fields: Fields) => (await read(`${HEADER.join(",")}\n${row({ ...SETTLED, ...fields })}\n`))[0];

test("a settled payment is what came in, under the references that the gateway gave", async () => {
  assert.deepEqual(await readRow({}), {
    ...{ line: 2, kind: "captured", said: "Settled", id: "Settled PSP1 PSP2", batch: "7" },
    about: { transactionId: TRANSACTION, eventId: SALE },
    ...{ payment: "PSP1", operation: "PSP2" },
    ...{ gross: 10_000_000n, currency: "EUR", net: 9_700_000n, netCurrency: "EUR" },
  });
  const capture = await readRow({ "Modification Merchant Reference": `${TRANSACTION}_${CAPTURE}_c` });
  assert.deepEqual(capture && "about" in capture && capture.about, { transactionId: TRANSACTION, eventId: CAPTURE });
});

test("a capture that was made again under the same name is another line, and one that is there twice is not", async () => {
  const named = async (at: string) => {
    const line = await readRow({ "Creation Date": at });
    return line && "kind" in line ? [line.id, line.at] : line;
  };
  const [noon, next] = [Date.parse("2030-05-15T12:00:00Z"), Date.parse("2030-05-17T12:00:00Z")];
  assert.deepEqual(await named("2030-05-15 12:00:00"), ["Settled PSP1 PSP2 2030-05-15 12:00:00", noon]);
  assert.deepEqual(await named("2030-05-17 12:00:00"), ["Settled PSP1 PSP2 2030-05-17 12:00:00", next]);
  assert.deepEqual(await named(""), ["Settled PSP1 PSP2", undefined]);
  assert.deepEqual(await named("soon"), ["Settled PSP1 PSP2 soon", undefined]);
});

test("what Adyen kept, its rate and its name for a dispute are read where they are told", async () => {
  const said = async (fields: Fields) => {
    const line = await readRow(fields);
    return line && "kind" in line ? [line.fee, line.rate, line.dispute] : line;
  };
  const costs = { "Markup (NC)": "0.1", "Scheme Fees (NC)": "0.0525", "Interchange (NC)": "0.2" };
  assert.deepEqual(await said({}), [undefined, undefined, undefined]);
  assert.deepEqual(await said({ "Commission (NC)": "0.30" }), [300_000n, undefined, undefined]);
  assert.deepEqual(await said(costs), [352_500n, undefined, undefined]);
  assert.deepEqual(await said({ "Interchange (NC)": "-0.05" }), [-50_000n, undefined, undefined]);
  assert.deepEqual(await said({ "Exchange Rate": "1" }), [undefined, undefined, undefined]);
  const rate = { digits: 10_842n, decimals: 4 };
  assert.deepEqual(await said({ "Net Currency": "USD", "Exchange Rate": "1.0842" }), [undefined, rate, undefined]);
  assert.deepEqual(await said({ Type: "Chargeback" }), [undefined, undefined, "PSP2"]);
  assert.deepEqual(await said({ Type: "Fee", "Commission (NC)": "0.30" }), [undefined, undefined, undefined]);
});

const money = (line: Awaited<ReturnType<typeof readRow>>) =>
  line && "kind" in line ? [line.kind, line.gross, line.net] : line;
const NONE: Fields = { "Gross Credit (GC)": "", "Net Credit (NC)": "" };
for (const [rule, fields, expected] of [
  [
    "the gross amount may stand in either column",
    { ...NONE, "Gross Debit (GC)": "10", "Net Credit (NC)": "9.7" },
    ["captured", 10_000_000n, 9_700_000n],
  ],
  [
    "a refund went out",
    { ...NONE, Type: "Refunded", "Gross Credit (GC)": "4", "Net Debit (NC)": "4.05" },
    ["refunded", -4_000_000n, -4_050_000n],
  ],
  ["a refund that failed is back", { Type: "RefundedReversed" }, ["undone", 10_000_000n, 9_700_000n]],
  [
    "a chargeback went out",
    { ...NONE, Type: "Chargeback", "Gross Debit (GC)": "10", "Net Debit (NC)": "25" },
    ["chargeback", -10_000_000n, -25_000_000n],
  ],
  [
    "a fee has no gross amount",
    { ...NONE, Type: "Fee", "Psp Reference": "", "Net Debit (NC)": "0.0105" },
    ["fee", 0n, -10_500n],
  ],
  [
    "nor has a payout",
    { ...NONE, Type: "MerchantPayout", "Psp Reference": "", "Net Debit (NC)": "9" },
    ["payout", 0n, -9_000_000n],
  ],
  ["a capture that failed went out", { Type: "CaptureFailed" }, ["capture-failed", -10_000_000n, 9_700_000n]],
  ["a second chargeback, too", { Type: "SecondChargeback" }, ["chargeback", -10_000_000n, 9_700_000n]],
  ["a reserve is no payment", { Type: "ReserveAdjustment" }, ["reserve", 10_000_000n, 9_700_000n]],
  ["what is not known is told by its word", { Type: "DepositCorrection" }, ["other", 10_000_000n, 9_700_000n]],
] as const)
  test(rule, async () => assert.deepEqual(money(await readRow(fields)), expected));

for (const [what, fields] of [
  ["an amount in words", { "Gross Credit (GC)": "ten" }],
  ["an amount with a comma", { "Gross Credit (GC)": "1,000.00" }],
  ["a negative amount", { "Net Credit (NC)": "-9.70" }],
  ["both a debit and a credit", { "Gross Debit (GC)": "10.00" }],
  ["no amount for a settled payment", { "Gross Credit (GC)": "" }],
  ["a cost in words", { "Commission (NC)": "one" }],
  ["a cost with thousands", { "Markup (NC)": "1,000.00" }],
  ["a currency that is none", { "Net Currency": "euro" }],
  ["no batch", { "Batch Number": "" }],
  ["a type with a formula", { Type: "=1+1" }],
] as const)
  test(`${what} breaks its line, and the next is read`, async () => {
    const lines = await read([HEADER.join(","), row({ ...SETTLED, ...fields }), row(SETTLED)].join("\r\n"));
    assert.equal(lines.length, 2);
    assert.ok(lines[0] && "fault" in lines[0], JSON.stringify(fields));
    assert.ok(lines[1] && "kind" in lines[1]);
  });

test("lines of another merchant account are foreign, and payments that were made elsewhere have no name of ours", async () => {
  const both = [HEADER.join(","), row({ ...SETTLED, "Merchant Account": "Other" }), row(SETTLED)].join("\n");
  assert.deepEqual((await read(both))[0], { line: 2, foreign: true });
  const elsewhere = await readRow({ "Merchant Reference": "order 7" });
  assert.equal(elsewhere && "about" in elsewhere && elsewhere.about, null);
});

test("what is no such report is refused, and says why", async () => {
  for (const [text, why] of [
    ["", /empty/],
    [`${HEADER.join(",")}\n`, /no lines/],
    [[HEADER.join(","), row({ ...SETTLED, "Merchant Account": "Other" })].join("\n"), /of other merchant accounts/],
    ["a,b\n1,2\n", /line 1 names the columns, and lacks Merchant Account, Psp Reference/],
    [`${HEADER.join(",")},Type\n`, /names the column Type twice/],
    [
      "Merchant Account,Record Type,Captured (PC)\n",
      /is a Payment accounting report.*expected is a settlement details/,
    ],
    ["Psp Reference,Currency,Amount,Type\n", /is a Received payment details report.*expected is a settlement details/],
  ] as const)
    await assert.rejects(read(text), (fault: Error) => fault instanceof NoReport && why.test(fault.message));
});

const cents = fc.integer({ min: 1, max: 999_999_900 });
test("any report is read to the cent in whatever pieces it comes; cut off anywhere, no line of it becomes another", async () => {
  const lines = fc.array(fc.record({ gross: cents, net: cents, reference: fc.string({ maxLength: 20 }) }), {
    minLength: 1,
    maxLength: 6,
  });
  await fc.assert(
    fc.asyncProperty(lines, fc.integer({ min: 1, max: 40 }), fc.nat(3_000), async (given, pieces, end) => {
      const decimal = (cent: number) => (cent / 100).toFixed(2);
      const rows = given.map(({ gross, net, reference }, index) =>
        row({
          ...SETTLED,
          "Psp Reference": `PSP${index}`,
          "Merchant Reference": reference,
          "Gross Credit (GC)": decimal(gross),
          "Net Credit (NC)": decimal(net),
        }),
      );
      const text = [HEADER.join(","), ...rows, ""].join("\n");
      const whole = (await read(text, pieces)).filter((line): line is ReportLine => "kind" in line);
      assert.deepEqual(
        whole.map(({ gross, net }) => [gross, net]),
        given.map(({ gross, net }) => [BigInt(gross) * 10_000n, BigInt(net) * 10_000n]),
      );
      const most = Math.min(HEADER.join(",").length + end, text.length);
      // Of a file that ends with the names of its columns there is nothing to compare.
      const begun = await read(text.slice(0, most)).catch((fault: unknown) => {
        assert.ok(fault instanceof NoReport, String(fault));
        return [];
      });
      const cut = begun.filter((line): line is ReportLine => "kind" in line);
      assert.deepEqual(cut, whole.slice(0, cut.length));
    }),
    { numRuns: 200 },
  );
});
