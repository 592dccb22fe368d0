import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { COLUMNS } from "../../../../acquirer/export.ts";
import { NoBooks } from "../../books.ts";
import { bookLines } from "./book-line.ts";

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
      fault: "it has 1 fields, and the first line has 14",
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
