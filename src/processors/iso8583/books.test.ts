import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { COLUMNS } from "../../../acquirer/export.ts";
import { NoBooks } from "../books.ts";
import { bookLines, booksReader } from "./books.ts";

const DAY = "2030-05-15";
const RIGHT: Readonly<Record<(typeof COLUMNS)[number], string>> = {
  at: "2030-05-15T23:59:59.999Z",
  operation: "sale",
  terminal: "T1",
  merchant: "M1",
  rrn: "0123456789AZ",
  stan: "000001",
  amount: "12.50",
  currency: "124",
  card: "411111******1111",
  code: "00",
  auth_code: "",
  id: "",
  original_rrn: "",
  transaction: "0193E5B0-7c1a-7a3e-9d54-5b2f0c8e1a77",
  sent_at: "2030-05-15T23:59:59Z",
  merchant_reference: "order 1",
  expiry: "3012",
};
const header = (columns: readonly string[] = COLUMNS) => bookLines({ line: 1, fields: columns }, DAY);
const read = (over: Partial<typeof RIGHT> = {}) => {
  const row = { ...RIGHT, ...over };
  return header()({ line: 7, fields: COLUMNS.map((column) => row[column]) });
};

test("a line is read by the names of its columns, in whatever order", () => {
  const expected = {
    line: 7,
    operation: "sale",
    terminal: "T1",
    merchant: "M1",
    rrn: "0123456789AZ",
    amount: 1250n,
    currency: "CAD",
    numericCurrency: "124",
    code: "00",
    transactionId: "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77",
  };
  assert.deepEqual(read(), expected);
  const backwards = COLUMNS.toReversed();
  assert.deepEqual(header(backwards)({ line: 7, fields: backwards.map((column) => RIGHT[column]) }), expected);
  assert.deepEqual(read({ transaction: "their own" }), { ...expected, transactionId: null });
});

describe("a line is broken, and says what would be right, by", () => {
  for (const [field, value, fault] of [
    ["at", "2030-05-15 12:00:00", /^at must be a time like/],
    ["at", "2030-05-16T00:00:00.000Z", /^at must be of the day 2030-05-15$/],
    ["at", "2030-05-15T24:00:00Z", /^at must be a time/],
    ["operation", "sales", /^operation must be one of sale, auth,/],
    ["rrn", "0123456789a1", /^rrn must be twelve/],
    ["rrn", "0123456789A", /^rrn must be twelve/],
    ["amount", "12.5", /^amount must be digits/],
    ["amount", "-1.00", /^amount must be digits/],
    ["amount", "1,000.00", /^amount must be digits/],
    ["amount", "12.500", /^amount must be digits with a point and two decimals$/],
    ["currency", "CAD", /^currency must be three digits/],
    ["code", "0", /^code must be two/],
  ] as const)
    test(`${field} ${value}`, () => {
      const line = read({ [field]: value });
      assert.ok("fault" in line);
      assert.match(line.fault, fault);
      assert.equal(line.line, 7);
    });

  test("a field too few", () => {
    assert.deepEqual(header()({ line: 9, fields: ["a"] }), {
      line: 9,
      fault: "it has 1 fields, and the first line has 17",
    });
  });
});

test("an amount has the decimals of its currency", () => {
  for (const [currency, amount, expected] of [
    ["392", "1250", 1250n],
    ["414", "12.500", 12_500n],
    ["414", "12.505", 12_505n],
  ] as const) {
    const line = read({ currency, amount });
    assert.ok("amount" in line);
    assert.equal(line.amount, expected);
  }
  assert.deepEqual(read({ currency: "392", amount: "1250.00" }), { line: 7, fault: "amount must be digits" });
  assert.deepEqual(read({ currency: "414", amount: "12.50" }), {
    line: 7,
    fault: "amount must be digits with a point and three decimals",
  });
});

test("a first line without the columns that are needed is no day's books, and says which it lacks", () => {
  assert.throws(() => header(COLUMNS.filter((column) => column !== "rrn" && column !== "code")), {
    name: NoBooks.prototype.name,
    message: "line 1 names the columns, and lacks rrn, code",
  });
  assert.doesNotThrow(() => header([`\uFEFF${COLUMNS[0]}`, ...COLUMNS.slice(1)]));
});

const RECORD = { currency: "USD", settings: { terminal_id: "T1", merchant_id: "M1" } };
const HEADER = "at,operation,terminal,merchant,rrn,amount,currency,code,transaction";
const line = (operation: string, code: string, { terminal = "T1", currency = "840" } = {}) =>
  `${DAY}T12:00:00.000Z,${operation},${terminal},M1,0123456789AZ,12.50,${currency},${code},`;

async function readBooks(text: string, record = RECORD) {
  async function* piecemeal() {
    for (let at = 0; at < text.length; at += 7) yield text.slice(at, at + 7);
  }
  return (await Array.fromAsync(booksReader.read(piecemeal(), record, DAY))).flat();
}

test("a line says in words of no protocol what was booked: whether it moved money, and whether a charge holds none any more", async () => {
  for (const [operation, code, approved, nothingHeld] of [
    ["sale", "00", true, false],
    ["sale", "05", false, false],
    ["sale", "68", false, false],
    ["reversal", "00", true, true],
    ["reversal", "25", false, true],
    ["reversal", "64", false, false],
  ] as const) {
    const [booked, ...others] = await readBooks(`${HEADER}\n${line(operation, code)}\n`);
    assert.deepEqual(others, []);
    assert.deepEqual(booked, {
      line: 2,
      operation,
      reference: "0123456789AZ",
      amount: 1250n,
      currency: "USD",
      code,
      approved,
      nothingHeld,
      transactionId: null,
    });
  }
});

test("lines of another terminal or merchant are foreign, and broken ones are named", async () => {
  const text = [HEADER, line("sale", "00", { terminal: "T2" }), line("sales", "00"), ""].join("\n");
  const [foreign, broken] = await readBooks(text);
  assert.deepEqual(foreign, { line: 2, foreign: true });
  assert.ok(broken && "fault" in broken);
});

test("a number that two currencies share is the account's own, and one that is no currency's stays as it came", async () => {
  const currencies = async (currency: string) => {
    const text = [HEADER, line("sale", "00", { currency: "532" }), line("sale", "00", { currency: "999" }), ""];
    const lines = await readBooks(text.join("\n"), { ...RECORD, currency });
    return lines.map((one) => ("currency" in one ? one.currency : one));
  };
  assert.deepEqual(await currencies("ANG"), ["ANG", "999"]);
  assert.deepEqual(await currencies("USD"), ["XCG", "999"]);
});

test("an empty file is no day's books", async () => {
  await assert.rejects(readBooks(""), NoBooks);
});

test("an event has the reference that its messages carry", () => {
  const id = "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77";
  assert.match(booksReader.referenceOf(id), /^[0-9A-Z]{12}$/);
  assert.equal(booksReader.referenceOf(id), booksReader.referenceOf(id));
});
