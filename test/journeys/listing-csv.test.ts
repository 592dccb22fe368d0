// All matches of a list as CSV over HTTP (specification 4.6, decisions 8). Pages and filters stand in listing.test.ts.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { linesOfCsv } from "./csv.fixture.ts";
import { type Answer, startTestGateway, told } from "./gateway.ts";
import { listsOf } from "./listing.fixture.ts";
import { expectStatus, type Gateway, merchantOf, type OwnMerchant, transactionOf } from "./merchant.fixture.ts";

const COLUMNS = [
  ...["id", "created_at", "updated_at", "merchant_transaction_id", "event_type", "success", "status", "amount"],
  ...["currency", "authorized", "captured", "voided", "refunded", "processor_id", "processor_code"],
  ...["processor_message", "processor_transaction_id", "auth_code", "user_id", "card_number", "card_brand"],
  ...["first_name", "last_name", "email", "mobile_phone", "city", "state", "country", "zip"],
  ...["shipping_city", "shipping_state", "shipping_zip", "events", "card_id"],
];

/** As they come back: with an apostrophe wherever some reader lets a cell begin. */
const DEFUSED: Readonly<Record<string, string>> = {
  "=1+1": "'=1+1",
  "+1": "'+1",
  "-1": "'-1",
  "@SUM(A1)": "'@SUM(A1)",
  "\t=1": "'\t'=1",
  ";=1": "';'=1",
  "a;-1": "a;'-1",
  "a\n=1": "a\n'=1",
  " =1": "' =1",
  "＝1": "'＝1",
  "=cmd|' /C calc'!A0": "'=cmd|' /C calc'!A0",
  '="x",y': '\'="x",y',
};

/** Twice as many exports as are written for one merchant at once. */
const CLIENTS = 8;

describe("lists as CSV", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());
  const { own, listOf, charged, charge, multiply } = listsOf(() => gateway);
  const csvOf = async (merchant: OwnMerchant, search: Readonly<Record<string, string>> = {}) => {
    const answer = expectStatus(await listOf(merchant, { ...search, format: "csv" }), 200);
    const [header = [], ...rows] = linesOfCsv(answer.text);
    assert.deepEqual(header, COLUMNS);
    return rows.map((row) => Object.fromEntries(COLUMNS.map((name, index) => [name, row[index]])));
  };

  test("a list without matches is a header", async () => {
    const merchant = await own();
    const answer: Answer = expectStatus(await listOf(merchant, { format: "csv" }), 200);
    assert.equal(answer.text, `${COLUMNS.join()}\r\n`);
    assert.equal(answer.headers.get("content-type"), "text/csv; charset=utf-8");
    assert.equal(answer.headers.get("content-disposition"), 'attachment; filename="transactions.csv"');
    await charged(merchant);
    assert.deepEqual(await csvOf(merchant, { "search[city]": "nowhere" }), []);
  });

  test("a line has the charge, what its follow-ups add up to, and as many columns as the header", async () => {
    const merchant = await own();
    const { token, userId, processors } = merchant;
    const { follow } = merchantOf(gateway);
    const { id } = await charged(merchant, { amount: "10.00", city: "Oslo", country: "NO" }, "auth");
    for (const [operation, amount] of [
      ["capture", "6.00"],
      ["void", "1.50"],
      ["refund", "2.25"],
    ] as const)
      expectStatus(await follow(id, operation, { amount }, { token }), 200);
    await charged(merchant, { card_number: "4000000000000002" });
    const [declined, captured] = await csvOf(merchant);
    const shown = transactionOf(await gateway.get(`/api/transactions/${id}`, { token }));
    const charge = shown.events.at(-1);
    const { processor_message, processor_transaction_id, auth_code } = charge;
    assert.deepEqual(captured, {
      ...Object.fromEntries(COLUMNS.map((name) => [name, ""])),
      ...{ id, created_at: shown.created_at, updated_at: shown.updated_at, merchant_transaction_id: "order" },
      ...{ event_type: "auth", success: "true", status: charge.status, amount: "10.00", currency: "USD" },
      ...{ authorized: "10.00", captured: "6.00", voided: "1.50", refunded: "2.25", processor_id: processors[0] },
      ...{ processor_code: "00", processor_message, processor_transaction_id, auth_code, user_id: userId },
      ...{ card_number: "411111******1111", card_brand: "visa", city: "Oslo", country: "NO", events: "4" },
    });
    assert.deepEqual(
      [declined?.success, declined?.status, declined?.processor_code, declined?.authorized, declined?.auth_code],
      ["false", "declined", "05", "0.00", ""],
    );
  });

  test("whatever is in a field stays in its column, and no spreadsheet runs it as a formula", async () => {
    const merchant = await own();
    const texts = [
      'a "quoted", text',
      "two\r\nlines\nand a tab\t",
      "'",
      ",;|",
      " blanks ",
      '"',
      "é漢\u{1f600}",
      "=1+1",
      "+1",
      "-1",
      "@SUM(A1)",
      "\t=1",
      ";=1",
      "a;-1",
      "two\nlines",
      "two\rlines",
      "a\n=1",
      " =1",
      "＝1",
      "=cmd|' /C calc'!A0",
      '="x",y',
    ];
    for (const last_name of texts) await charged(merchant, { last_name, merchant_transaction_id: last_name });
    const rows = (await csvOf(merchant)).reverse();
    for (const [index, sent] of texts.entries()) {
      const expected = DEFUSED[sent] ?? sent;
      assert.deepEqual([rows[index]?.last_name, rows[index]?.merchant_transaction_id], [expected, expected]);
    }
  });

  test("filters hold as for pages, and wrong ones are told in JSON", async () => {
    const merchant = await own();
    for (const city of ["Oslo", "Bergen", "Oslo S"]) await charged(merchant, { city });
    const rows = await csvOf(merchant, { "search[city]": "Oslo" });
    assert.deepEqual(
      rows.map(({ city }) => city),
      ["Oslo S", "Oslo"],
    );
    assert.equal(told(await listOf(merchant, { format: "csv", "search[town]": "x" })), "422 search.town");
    assert.equal(told(await listOf(merchant, { format: "csv", page: "0" })), "422 page");
    assert.equal(told(await listOf(merchant, { format: "csv", colour: "red" })), "422 colour");
    assert.equal(told(await listOf(merchant, { format: "csv", "search[city]": "" })), "422 search.city");
  });

  describe("of five thousand", () => {
    let merchant: OwnMerchant;
    let ids: readonly string[];
    before(async () => {
      merchant = await own();
      const charged = await charge(merchant, 500, 64);
      ids = [...charged, ...(await multiply(merchant, 9))];
      assert.equal(ids.length, 5_000);
    });

    const open = (signal?: AbortSignal) =>
      fetch(`${gateway.url}/api/transactions?format=csv`, {
        headers: { authorization: `Bearer ${merchant.token}` },
        signal: signal ?? null,
      });

    test("all come, each once, newest first, in pieces as they are read", async () => {
      const answer = await open();
      assert.equal(answer.headers.get("content-length"), null);
      const pieces = [];
      for await (const piece of answer.body ?? []) pieces.push(piece);
      assert.ok(pieces.length > 5, `${pieces.length} pieces`);
      const [header, ...rows] = linesOfCsv(Buffer.concat(pieces).toString());
      assert.deepEqual(header, COLUMNS);
      assert.deepEqual(rows.map(([id]) => id).sort(), [...ids].sort());
      const times = rows.map(([, created = ""]) => created);
      assert.deepEqual(times, times.toSorted().reverse());
    });

    test("what is charged meanwhile is not among them, and nothing is missing", async () => {
      const answer = await open();
      const reader = answer.body?.getReader();
      const pieces = [];
      // The names of the columns may come before anything was read from the database.
      while (linesOfCsv(Buffer.concat(pieces).toString()).length < 2)
        pieces.push((await reader?.read())?.value ?? assert.fail());
      const later = await charge(merchant, 20);
      for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) pieces.push(next.value);
      const rows = linesOfCsv(Buffer.concat(pieces).toString()).slice(1);
      const found = new Set(rows.map(([id]) => id));
      assert.ok(ids.every((id) => found.has(id)));
      assert.ok(later.every((id) => !found.has(id)));
    });

    test("clients that hang up, or read nothing, keep nobody else waiting", async () => {
      const hung = [];
      for (let client = 0; client < CLIENTS; client++) {
        const hanging = new AbortController();
        const answer = await open(hanging.signal);
        await answer.body?.getReader().read();
        hung.push(hanging);
      }
      // Each of them has an answer in flight of which it reads nothing more.
      const since = performance.now();
      expectStatus(await listOf(merchant), 200);
      expectStatus(await gateway.get("/health/ready"), 200);
      for (const hanging of hung) hanging.abort();
      await charged(merchant);
      assert.equal((await csvOf(merchant)).length, ids.length + 21);
      // On a busy machine the list itself takes seconds; what hangs, hangs for good.
      assert.ok(performance.now() - since < 60_000);
    });
  });
});
