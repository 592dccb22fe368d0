import assert from "node:assert/strict";
import { appendFile, mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type Books, openBooks } from "./books.ts";
import { dayAsCsv } from "./export.ts";
import type { Operation, Question } from "./question.ts";

const NOON = new Date("2030-05-15T12:00:00Z");
const NEXT_DAY = new Date("2030-05-16T12:00:00Z");

const question = (operation: Operation, rrn: string, given: Partial<Question> = {}): Question => ({
  operation,
  terminal: "TERM01",
  merchant: "MERCHANT1",
  rrn,
  stan: "000001",
  amount: 1000n,
  verifies: false,
  currency: "840",
  card: operation === "sale" || operation === "auth" ? { number: "4111111111111111", expiry: "9912" } : null,
  followedCard: null,
  storedCard: null,
  originalRrn: operation === "reversal" ? rrn : null,
  originalMti: null,
  authCode: null,
  transaction: "t1",
  transmitted: "0515120000",
  tag: () => undefined,
  ...given,
});

async function withBooks(check: (books: () => Promise<Books>, path: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "books-"));
  try {
    await check(() => openBooks(folder), join(folder, "books.log"));
  } finally {
    await rm(folder, { recursive: true });
  }
}

const code = async (books: Books, asked: Question, now = NOON) => (await books.ask(asked, now)).code;
const follows = (originalRrn: string, amount = 1000n) => ({ originalRrn, amount });

test("a repeat has its first answer and books nothing, before and after a restart", () =>
  withBooks(async (open) => {
    const first = await open();
    const told = await first.ask(question("sale", "A"), NOON);
    assert.equal(told.code, "00");
    for (const answer of await Promise.all([1, 2].map(() => first.ask(question("sale", "A"), NEXT_DAY))))
      assert.equal(answer.id, told.id);
    assert.equal(first.balance("t1"), 1000n);
    await first.close();
    const second = await open();
    assert.deepEqual(await second.ask(question("sale", "A"), NEXT_DAY), { ...told, kind: "booked", ...bookedAt(NOON) });
    assert.equal(second.balance("t1"), 1000n);
    await second.close();
  }));

test("a number that was used for something else is refused, and nothing is booked", () =>
  withBooks(async (open) => {
    const books = await open();
    await books.ask(question("sale", "A"), NOON);
    for (const other of [
      question("sale", "A", { amount: 1001n }),
      question("sale", "A", { currency: "124" }),
      question("auth", "A"),
      question("refund", "A", follows("A")),
    ])
      assert.equal(await code(books, other), "94");
    assert.equal(books.balance("t1"), 1000n);
    await books.close();
  }));

test("captures, voids and refunds stay within what there is", () =>
  withBooks(async (open) => {
    const books = await open();
    await books.ask(question("auth", "A"), NOON);
    for (const [asked, expected, balance] of [
      [question("refund", "r0", follows("A", 1n)), "A2", 1000n],
      [question("capture", "c0", follows("A", 1001n)), "13", 1000n],
      [question("capture", "c1", follows("A", 600n)), "00", 1000n],
      [question("capture", "c2", follows("A", 401n)), "13", 1000n],
      [question("void", "v1", follows("A", 400n)), "00", 600n],
      [question("capture", "c3", follows("A", 1n)), "13", 600n],
      [question("refund", "r1", follows("A", 200n)), "00", 400n],
      [question("refund", "r2", follows("A", 401n)), "13", 400n],
      [question("void", "v2", follows("A", 401n)), "13", 400n],
      [question("void", "v3", follows("A", 400n)), "00", 0n],
      [question("refund", "r3", follows("A", 1n)), "13", 0n],
      [question("capture", "c4", follows("nobody", 1n)), "25", 0n],
      [question("refund", "r4", { ...follows("A", 1n), authCode: "WRONG1" }), "25", 0n],
      [question("refund", "r5", { ...follows("A", 1n), originalMti: "0200" }), "25", 0n],
    ] as const) {
      assert.equal(await code(books, asked), expected, `${asked.operation} ${asked.rrn}`);
      assert.equal(books.balance("t1"), balance, asked.rrn);
    }
    await books.close();
  }));

test("settled money is not voided, and CAD is refunded only once it has settled, voided only whole", () =>
  withBooks(async (open) => {
    const books = await open();
    for (const rrn of ["A", "B"]) await books.ask(question("sale", rrn, { currency: "124", transaction: rrn }), NOON);
    const cad = (operation: Operation, rrn: string, originalRrn: string, amount = 1000n) =>
      question(operation, rrn, { ...follows(originalRrn, amount), currency: "124" });
    assert.equal(await code(books, cad("refund", "r1", "A")), "A2");
    assert.equal(await code(books, cad("void", "v1", "A", 400n)), "13");
    assert.equal(await code(books, cad("void", "v2", "A")), "00");
    await books.settle(NEXT_DAY, NEXT_DAY);
    assert.equal(await code(books, cad("void", "v3", "B")), "A1");
    assert.equal(await code(books, cad("refund", "r2", "B", 400n)), "00");
    assert.deepEqual([books.balance("A"), books.balance("B")], [0n, 600n]);
    await books.close();
  }));

test("a reversal takes all back, of a charge that comes later too, and a reversed charge is not approved again", () =>
  withBooks(async (open) => {
    const books = await open();
    await books.ask(question("sale", "A"), NOON);
    assert.equal(await code(books, question("reversal", "A", { amount: 999n })), "64");
    await books.ask(question("sale", "B"), NOON);
    for (let time = 0; time < 2; time++) assert.equal(await code(books, question("reversal", "B")), "00");
    assert.equal(await code(books, question("sale", "B")), "12");
    assert.equal(await code(books, question("refund", "r1", follows("B"))), "12");
    assert.equal(await code(books, question("reversal", "C")), "00");
    assert.equal(await code(books, question("sale", "C")), "12");
    assert.equal(books.balance("t1"), 1000n);
    await books.close();
  }));

test("the card table holds for charges and for follow-ups, also after a restart", () =>
  withBooks(async (open) => {
    const before = await open();
    const card = (number: string, expiry = "9912") => ({ card: { number, expiry } });
    for (const [number, expected] of [
      ["4000000000000002", "05"],
      ["4000000000009995", "51"],
      ["4000000000000069", "54"],
      ["4000000000000127", "N7"],
      ["4000000000000911", "91"],
      ["4000000000000119", "96"],
      ["4111111111111112", "14"],
    ] as const)
      assert.equal(await code(before, question("sale", number.slice(-12), card(number))), expected, number);
    assert.equal(await code(before, question("sale", "E", card("4111111111111111", "3004"))), "54");
    assert.equal(await code(before, question("sale", "F", card("4111111111111111", "3005"))), "00");
    await before.ask(question("auth", "G", card("4000000000000341")), NOON);
    await before.ask(question("sale", "H", card("4000000000005126")), NOON);
    await before.close();
    const after = await open();
    assert.equal(await code(after, question("capture", "c", follows("G"))), "05");
    assert.equal(await code(after, question("void", "v", follows("G"))), "00");
    assert.equal(await code(after, question("refund", "r", follows("H"))), "05");
    await after.close();
  }));

test("a follow-up that names a card must name that of its charge, and the books say only that it did", () =>
  withBooks(async (open, path) => {
    const books = await open();
    await books.ask(question("auth", "A"), NOON);
    const capture = (rrn: string, followedCard: string | null) =>
      code(books, question("capture", rrn, { ...follows("A", 100n), followedCard }));
    assert.equal(await capture("B", "4111111111111111"), "00");
    assert.equal(await capture("C", null), "00");
    assert.equal(await capture("D", "5555555555554444"), "25");
    const given: unknown[] = [];
    for await (const entry of books.entries()) given.push(entry.kind === "booked" && entry.withCardNumber);
    assert.deepEqual(given, [undefined, true, undefined, true]);
    await books.close();
    assert.ok(!/4111111111111111|5555555555554444/.test(await readFile(path, "utf8")));
  }));

test("neither a card number nor a CVV is ever in the books", () =>
  withBooks(async (open, path) => {
    const books = await open();
    await books.ask(question("sale", "A", { tag: (tag) => (tag === "CV" ? "973" : undefined) }), NOON);
    await books.close();
    const text = await readFile(path, "utf8");
    assert.ok(text.includes("411111******1111"));
    assert.ok(!text.includes("4111111111111111") && !/\b973\b/.test(text));
  }));

test("what a killed process left of its last line is cut off, wherever it was cut", () =>
  withBooks(async (open, path) => {
    const books = await open();
    await books.ask(question("sale", "A"), NOON);
    await books.close();
    const whole = await readFile(path);
    const again = await open();
    await again.ask(question("sale", "B"), NOON);
    await again.close();
    const longer = (await readFile(path)).length;
    for (const length of [whole.length + 1, whole.length + 9, longer - 2, longer - 1]) {
      await truncate(path, length);
      const reopened = await open();
      assert.equal(reopened.balance("t1"), 1000n, `cut at ${length}`);
      assert.equal(await code(reopened, question("sale", "B")), "00");
      await reopened.close();
      assert.equal((await readFile(path)).length, longer);
    }
    await truncate(path, whole.length);
    await appendFile(path, Buffer.alloc(100));
    const last = await open();
    assert.equal(last.balance("t1"), 1000n);
    await last.close();
    assert.deepEqual(await readFile(path), whole);
  }));

test("damage in the midst of the books is no start, and says where", () =>
  withBooks(async (open, path) => {
    const books = await open();
    for (const rrn of ["A", "B", "C"]) await books.ask(question("sale", rrn), NOON);
    await books.close();
    const text = await readFile(path, "utf8");
    await writeFile(path, text.replace('"rrn":"B"', '"rrn":"X"'));
    await assert.rejects(open(), /damaged at line 2/);
  }));

test("a day's books come as CSV, without what stands in another day's", () =>
  withBooks(async (open) => {
    const books = await open();
    const tag = (name: string) => (name === "MR" ? 'Order "7"' : undefined);
    await books.ask(question("sale", "RRN000000001", { merchant: 'A "quoted", one', tag }), NOON);
    await books.ask(question("refund", "RRN000000002", follows("RRN000000001", 5n)), NOON);
    await books.ask(question("sale", "RRN000000003"), NEXT_DAY);
    const { id, authCode } = await books.ask(question("sale", "RRN000000001"), NOON);
    const { id: refundId } = await books.ask(question("refund", "RRN000000002", follows("RRN000000001", 5n)), NOON);
    const lines = [];
    for await (const line of dayAsCsv(books, "2030-05-15")) lines.push(line);
    const at = NOON.toISOString();
    const mask = "411111******1111";
    assert.deepEqual(lines, [
      "at,operation,terminal,merchant,rrn,stan,amount,currency,card,code,auth_code,id,original_rrn,transaction,sent_at,merchant_reference,expiry\n",
      `${at},sale,TERM01,"A ""quoted"", one",RRN000000001,000001,10.00,840,${mask},00,${authCode},${id},,t1,2030-05-15T12:00:00Z,"Order ""7""",9912\n`,
      `${at},refund,TERM01,MERCHANT1,RRN000000002,000001,0.05,840,${mask},00,,${refundId},RRN000000001,t1,2030-05-15T12:00:00Z,,\n`,
    ]);
    await books.close();
  }));

for (const [currency, numeric, amount] of [
  ["yen", "392", "1000"],
  ["dollars", "840", "10.00"],
  ["Kuwaiti dinars", "414", "1.000"],
  ["Icelandic kronur", "352", "1000"],
  ["rupiahs", "360", "10.00"],
] as const)
  test(`a thousand minor units of ${currency} are ${amount} in a day's books`, () =>
    withBooks(async (open) => {
      const books = await open();
      await books.ask(question("sale", "RRN000000001", { currency: numeric }), NOON);
      const [, line = ""] = await Array.fromAsync(dayAsCsv(books, "2030-05-15"));
      assert.deepEqual(line.split(",").slice(6, 8), [amount, numeric]);
      await books.close();
    }));

/** What else stands in a booked sale "A" of these tests. */
const bookedAt = (at: Date) => ({
  at: at.toISOString(),
  operation: "sale",
  terminal: "TERM01",
  merchant: "MERCHANT1",
  rrn: "A",
  stan: "000001",
  amount: "1000",
  currency: "840",
  cardMask: "411111******1111",
  originalRrn: "",
  transaction: "t1",
});
