import assert from "node:assert/strict";
import { test } from "node:test";
import { amountOf } from "../../payment/money.ts";
import { idEndingWith } from "../../uuid.ts";
import { NoReport } from "../settlement-report.ts";
import { adyenBookings } from "./bookings.ts";

const NOON = new Date("2030-05-15T12:00:00.000Z");
const idOf = (digit: string) => idEndingWith(digit.repeat(16), "abc", NOON);
const [TRANSACTION, CHARGE, OTHER] = ["1", "2", "3"].map(idOf) as [string, string, string];
const referenceOf = (event: string, letter: string) => `${TRANSACTION}_${event}_${letter}`;
const AUTH = referenceOf(CHARGE, "a");
const SALE = referenceOf(CHARGE, "s");

type Row = Readonly<Record<string, string>>;
const PAYMENT: Row = {
  ...{ "Merchant Account": "TestMerchant", "Psp Reference": "PSP1", "Merchant Reference": AUTH },
  ...{ "Payment Method": "mc", "Merchant Order Reference": 'order "17"' },
};
const ACCOUNTING: Row = {
  ...PAYMENT,
  ...{ "Record Type": "Authorised", "Payment Currency": "EUR", "Received (PC)": "-10.00", "Authorised (PC)": "10.00" },
  ...{ "Captured (PC)": "", "Modification Merchant Reference": "", "Modification Psp Reference": "" },
};
const RECEIVED: Row = {
  ...PAYMENT,
  ...{ Currency: "EUR", Amount: "10.00", Type: "Authorised", "Shopper PAN": "1111", "Authorisation Code": "A1B2C3" },
};
const SETTLED: Row = {
  ...PAYMENT,
  ...{ "Merchant Reference": SALE, Type: "Settled", "Modification Reference": "PSP2", "Gross Currency": "EUR" },
  ...{ "Gross Debit (GC)": "", "Gross Credit (GC)": "10.00", "Modification Merchant Reference": "" },
};

const quoted = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const csv = (...rows: readonly Row[]) =>
  [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))]
    .map((row) => row.map(quoted).join())
    .join("\n");

async function read(text: string) {
  async function* pieces() {
    for (let at = 0; at < text.length; at += 7) yield text.slice(at, at + 7);
  }
  const record = { currency: "EUR", settings: { merchant_account: "TestMerchant" } };
  assert.ok(adyenBookings.read);
  return (await Array.fromAsync(adyenBookings.read(pieces(), record))).flat();
}
/** What one line says, in short. */
async function told(row: Row): Promise<string> {
  const [line] = await read(csv(row));
  if (line === undefined || "foreign" in line) return "nothing";
  if ("fault" in line) return `fault: ${line.fault}`;
  const { operation, approved, canceled, nothingHeld, isPerhapsVoid, amount, reference, eventId } = line;
  const words = [operation, amount, approved ? "approved" : "declined", canceled && "canceled"];
  return [...words, nothingHeld && "taken back", isPerhapsVoid && "perhaps", reference, eventId === OTHER && "other"]
    .filter((one) => one !== undefined && one !== false)
    .join(" ");
}

test("an authorization of each report has all names, and what the report knows of the card", async () => {
  const common = {
    ...{ line: 2, operation: "auth", reference: "PSP1", at: NOON, amount: amountOf(1000n), currency: "EUR" },
    ...{ approved: true, nothingHeld: false, code: "00", transactionId: TRANSACTION, eventId: CHARGE, ofCharge: null },
    ...{ merchantTransactionId: 'order "17"', processorTransactionId: "PSP1", trace: null },
  };
  const card = { brand: "mastercard", expiryMonth: null, expiryYear: null };
  assert.deepEqual(await read(csv(ACCOUNTING)), [
    { ...common, card: { ...card, mask: "*".repeat(16) }, authCode: null },
  ]);
  assert.deepEqual(await read(csv(RECEIVED)), [
    { ...common, card: { ...card, mask: `${"*".repeat(12)}1111` }, authCode: "A1B2C3" },
  ]);
});

test("of a card number in a report only the last four digits are taken", async () => {
  for (const pan of ["1111", "4111111111111111", "411111******1111", "XXXX-1111"]) {
    const [line] = await read(csv({ ...RECEIVED, "Shopper PAN": pan }));
    assert.equal(line && "card" in line && line.card?.mask, `${"*".repeat(12)}1111`);
  }
});

const modified = (type: string, letter: string, over: Row): Row => ({
  ...{ ...ACCOUNTING, "Record Type": type, "Received (PC)": "", "Authorised (PC)": "" },
  ...{ "Modification Merchant Reference": referenceOf(OTHER, letter), "Modification Psp Reference": "PSP2" },
  ...over,
});

for (const [what, row, expected] of [
  ["a payment that was received", { ...ACCOUNTING, "Record Type": "Received" }, "nothing"],
  ["an error, which says neither yes nor no", { ...ACCOUNTING, "Record Type": "Error" }, "nothing"],
  ["an authorization that expired", { ...ACCOUNTING, "Record Type": "Expired" }, "nothing"],
  ["a refused one", { ...ACCOUNTING, "Record Type": "Refused" }, "auth 1000 declined PSP1"],
  ["a sale", { ...ACCOUNTING, "Merchant Reference": SALE }, "sale 1000 approved PSP1"],
  [
    "its capture by Adyen itself",
    { ...ACCOUNTING, "Merchant Reference": SALE, "Record Type": "SentForSettle", "Captured (PC)": "10.00" },
    "nothing",
  ],
  [
    "a capture of a part",
    modified("SentForSettle", "c", { "Authorised (PC)": "-4.00", "Captured (PC)": "4.00" }),
    "capture 400 approved PSP2 other",
  ],
  [
    "the same when it is settled",
    modified("Settled", "c", { "Captured (PC)": "-4.00" }),
    "capture 400 approved PSP2 other",
  ],
  [
    "a capture without a name of Adyen's",
    modified("SentForSettle", "c", { "Captured (PC)": "4.00", "Modification Psp Reference": "" }),
    `capture 400 approved ${OTHER} other`,
  ],
  ["a refund", modified("SentForRefund", "r", { "Captured (PC)": "-3.00" }), "refund 300 approved PSP2 other"],
  [
    "a void of captured money",
    modified("SentForRefund", "v", { "Captured (PC)": "-3.00" }),
    "void 300 approved perhaps PSP2 other",
  ],
  ["a void", modified("Cancelled", "v", { "Authorised (PC)": "-10.00" }), "void 1000 approved perhaps PSP2 other"],
  [
    "a cancellation of a charge that was never answered",
    modified("Cancelled", "a", { "Authorised (PC)": "-10.00", "Modification Merchant Reference": AUTH }),
    "reversal 1000 approved taken back PSP1",
  ],
  ["a capture that failed", modified("CaptureFailed", "c", {}), "fault: PSP1: CaptureFailed, which is entered by hand"],
  ["a refund that failed", modified("RefundFailed", "r", {}), "fault: PSP1: RefundFailed, which is entered by hand"],
  [
    "an amount in words",
    { ...ACCOUNTING, "Authorised (PC)": "ten" },
    "fault: an amount must be digits with a point and at most two decimals",
  ],
  ["a payment of another program", { ...ACCOUNTING, "Merchant Reference": "order 7" }, "nothing"],
  ["another merchant account", { ...ACCOUNTING, "Merchant Account": "Other" }, "nothing"],
  ["a refused payment", { ...RECEIVED, Type: "Refused" }, "auth 1000 declined PSP1"],
  ["a payment that was canceled since", { ...RECEIVED, Type: "Cancelled" }, "auth 1000 approved canceled PSP1"],
  ["a payment that was settled since", { ...RECEIVED, Type: "Settled" }, "auth 1000 approved PSP1"],
  ["a payment that nobody has decided yet", { ...RECEIVED, Type: "Received" }, "nothing"],
  ["a settled sale", SETTLED, "sale 1000 approved PSP1"],
] as const)
  test(`${what}: ${expected}`, async () => assert.equal(await told(row), expected));

test("a file that is none of these reports, or lacks a column, is refused with what was expected", async () => {
  const without = (row: Row, ...names: string[]) =>
    csv(Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name))));
  for (const [text, words] of [
    ["", /^it is empty$/],
    [
      "a,b\n1,2\n",
      /line 1 does not name the columns.*Payment accounting.*Received payment details.*settlement details/,
    ],
    ['"open\n', /line 1:/],
    [
      without(ACCOUNTING, "Captured (PC)"),
      /is a Payment accounting report, and lacks the columns Captured \(PC\): add/,
    ],
    [
      without(ACCOUNTING, "Modification Merchant Reference", "Psp Reference"),
      /Psp Reference, Modification Merchant Ref/,
    ],
    [without(RECEIVED, "Currency"), /is a Received payment details report, and lacks the columns Currency/],
    [without(SETTLED, "Gross Debit (GC)"), /is a settlement details report, and lacks the columns Gross Debit \(GC\)/],
  ] as const)
    await assert.rejects(read(text), (fault: Error) => fault instanceof NoReport && words.test(fault.message), text);
});
