import assert from "node:assert/strict";
import { test } from "node:test";
import { NoBooks } from "../../books.ts";
import { booksReader } from "./read-books.ts";

const DAY = "2030-05-15";
const RECORD = { currency: "USD", settings: { terminal_id: "T1", merchant_id: "M1" } };
const HEADER = "at,operation,terminal,merchant,rrn,amount,currency,code,transaction";
const line = (operation: string, code: string, { terminal = "T1", currency = "840" } = {}) =>
  `${DAY}T12:00:00.000Z,${operation},${terminal},M1,0123456789AZ,12.50,${currency},${code},`;

async function read(text: string, record = RECORD) {
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
    const [booked, ...others] = await read(`${HEADER}\n${line(operation, code)}\n`);
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
  const [foreign, broken] = await read(text);
  assert.deepEqual(foreign, { line: 2, foreign: true });
  assert.ok(broken && "fault" in broken);
});

test("a number that two currencies share is the account's own, and one that is no currency's stays as it came", async () => {
  const currencies = async (currency: string) => {
    const text = [HEADER, line("sale", "00", { currency: "532" }), line("sale", "00", { currency: "999" }), ""];
    const lines = await read(text.join("\n"), { ...RECORD, currency });
    return lines.map((one) => ("currency" in one ? one.currency : one));
  };
  assert.deepEqual(await currencies("ANG"), ["ANG", "999"]);
  assert.deepEqual(await currencies("USD"), ["XCG", "999"]);
});

test("an empty file is no day's books", async () => {
  await assert.rejects(read(""), NoBooks);
});

test("an event has the reference that its messages carry", () => {
  const id = "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77";
  assert.match(booksReader.referenceOf(id), /^[0-9A-Z]{12}$/);
  assert.equal(booksReader.referenceOf(id), booksReader.referenceOf(id));
});
