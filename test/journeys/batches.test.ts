// Settlement batches over HTTP: what was captured before a cut-off is in its batch, with the same totals in its summary and
// in its events as CSV; nothing shows before the cut-off, and nothing of a batch moves when the schedule changes.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "./crash.fixture.ts";
import { linesOfCsv } from "./csv.fixture.ts";
import { startTestGateway, told } from "./gateway.ts";
import {
  expectStatus,
  type Gateway,
  type Json,
  merchantOf,
  money,
  NOBODY,
  passenger,
  sale,
} from "./merchant.fixture.ts";

const DAY_MS = 86_400_000;
const SCHEDULE = { auto_capture_at: "20:30", cutoff_at: "22:00", settled_at: "02:00", visible_at: "02:20" };
const MASTERCARD = { card_number: "5555555555554444" };
/** Only these times of capture are passed on the way. */
const OFF = { settlement: { auto_capture_at: null } };

interface Total {
  readonly operation: string;
  readonly card_brand: string;
  readonly count: number;
  readonly amount: string;
}

describe("the batches of an account", () => {
  let gateway: Gateway;
  let account: string;
  let day: string;
  let merchant: ReturnType<typeof merchantOf>;
  const batches = async (query = `processor_id=${account}`) =>
    expectStatus(await gateway.operator("GET", `/operator/batches?${query}`), 200).body;
  const batch = async (id: string) =>
    expectStatus(await gateway.operator("GET", `/operator/batches/${id}`), 200).body.batch;
  const goTo = async (instant: string) =>
    expectStatus(await gateway.operator("POST", "/operator/clock", { now: instant }), 200);
  const charged = async (path: "sale" | "auth", amount: string, over: Json = {}): Promise<string> =>
    (await merchant.charged(path, sale({ processor_id: account, amount, ...over }))).id;
  const shownBatch = async (id: string) => (await merchant.found(id)).events[0].batch_id;

  before(async () => {
    gateway = await startTestGateway();
    merchant = merchantOf(gateway);
    expectStatus(await gateway.operator("PATCH", `/operator/processors/${gateway.sandbox.processors.cad}`, OFF), 200);
    const { now } = (await gateway.operator("GET", "/operator/clock")).body;
    day = new Date(Date.parse(now) + DAY_MS).toISOString().slice(0, 10);
    await goTo(`${day}T12:00:00Z`);
    account = await merchant.processor({ currency: "CAD", settlement: SCHEDULE });
  });
  after(() => gateway.close());

  let first = "";
  const inFirst: string[] = [];

  test("begin with a cut-off: before it there is none, and then each event is in the one that it shows", async () => {
    const [visa, other] = [await charged("sale", "10.00"), await charged("sale", "0.01", MASTERCARD)];
    const [voided, captured] = [await charged("sale", "5.00"), await charged("auth", "7.50")];
    const declined = await charged("sale", "99.00", { card_number: "4000000000000002" });
    expectStatus(await merchant.follow(voided, "void"), 200);
    await goTo(`${day}T21:59:50Z`);
    assert.deepEqual(await batches(), { batches: [], meta: { last_page: 1, current_page: 1, total: 0 } });
    assert.equal(await shownBatch(visa), null);
    const [open] = await gateway.pool<{ id: string }[]>`select id from batches where processor_id = ${account}`;
    expectStatus(await gateway.get(`/api/batches/${open?.id}`), 404);
    expectStatus(await gateway.operator("GET", `/operator/batches/${open?.id}`), 404);

    await goTo(`${day}T22:00:00Z`);
    const late = await charged("sale", "30.00");
    const { batches: listed, meta } = await batches();
    assert.equal(meta.total, 1);
    assert.equal(listed[0].cutoff_at, `${day}T22:00:00+00:00`);
    first = listed[0].id;
    inFirst.push(visa, other, voided, captured);
    for (const id of [visa, other, captured]) assert.equal(await shownBatch(id), first);
    for (const id of [late, declined]) assert.equal(await shownBatch(id), null);
  });

  test("add up: by operation and brand, what was voided, and what goes to the merchant", async () => {
    const { totals, voided, net } = await batch(first);
    assert.deepEqual(totals, [
      { operation: "capture", card_brand: "visa", count: 1, amount: "7.50" },
      { operation: "sale", card_brand: "mastercard", count: 1, amount: "0.01" },
      { operation: "sale", card_brand: "visa", count: 2, amount: "15.00" },
    ]);
    assert.deepEqual([voided, net], ["5.00", "17.51"]);
  });

  test("list their events as CSV, which have the same totals", async () => {
    const answer = expectStatus(await gateway.operator("GET", `/operator/batches/${first}/events`), 200);
    assert.match(answer.headers.get("content-type") ?? "", /^text\/csv/);
    assert.equal(expectStatus(await gateway.get(`/api/batches/${first}/events`), 200).text, answer.text);
    const clerk = await merchant.token({ scopes: ["charge"] });
    assert.equal((await gateway.get(`/api/batches/${first}/events`, { token: clerk })).status, 403);
    const [names = [], ...lines] = linesOfCsv(answer.text);
    const rows = lines.map((line) => Object.fromEntries(names.map((name, index) => [name, line[index] ?? ""])));
    assert.deepEqual(rows.map((row) => row.transaction_id).sort(), [...inFirst].sort());
    const { totals } = await batch(first);
    const sums = [...Map.groupBy(rows, (row) => `${row.event_type} ${row.card_brand}`)].map(([group, some]): Total => {
      const [operation = "", card_brand = ""] = group.split(" ");
      const minor = some.reduce((sum, { amount }) => sum + Math.round(Number(amount) * 100), 0);
      return { operation, card_brand, count: some.length, amount: money(minor) };
    });
    const inOrder = (all: readonly Total[]) =>
      [...all].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    assert.deepEqual(inOrder(sums), inOrder(totals));
    assert.ok(rows.every(({ currency, card_number }) => currency === "CAD" && card_number?.includes("*")));
  });

  test("keep what they have when the schedule changes, and a refund is in the batch of its own day", async () => {
    const before = await batch(first);
    const settlement = { auto_capture_at: null, cutoff_at: "18:00" };
    expectStatus(await gateway.operator("PATCH", `/operator/processors/${account}`, { settlement }), 200);
    const next = new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);
    await goTo(`${next}T02:20:00Z`);
    const [visa = ""] = inFirst;
    expectStatus(await merchant.follow(visa, "refund", { amount: "4.00" }), 200);
    assert.equal(await shownBatch(visa), null);
    await goTo(`${next}T18:00:00Z`);
    const { batches: listed } = await batches();
    assert.deepEqual(
      listed.map((one: { cutoff_at: string }) => one.cutoff_at),
      [`${next}T18:00:00+00:00`, `${day}T22:00:00+00:00`],
    );
    const refunds = await batch(await shownBatch(visa));
    assert.equal(refunds.id, listed[0].id);
    assert.deepEqual(refunds.totals, [{ operation: "refund", card_brand: "visa", count: 1, amount: "4.00" }]);
    assert.equal(refunds.net, "-4.00");
    assert.deepEqual(await batch(first), before);
    // The sale of after the first cut-off had its own before the schedule changed.
    await goTo(`${next}T22:00:00Z`);
    const [third] = (await batches()).batches;
    assert.deepEqual([third.cutoff_at, (await batch(third.id)).net], [`${next}T22:00:00+00:00`, "30.00"]);
  });

  const ledger = async (query: string, token?: string) =>
    gateway.get(`/api/ledger?${query}`, token === undefined ? {} : { token });
  const days = () => {
    const last = new Date(Date.parse(day) + 2 * DAY_MS).toISOString().slice(0, 10);
    return `from=${day}&to=${last}`;
  };

  test("are the merchant's too, and the ledger's movements of each add up to its net", async () => {
    const { movements } = expectStatus(await ledger(days()), 200).body;
    const { batches: listed, meta } = expectStatus(await gateway.get(`/api/batches?processor_id=${account}`), 200).body;
    assert.deepEqual({ batches: listed, meta }, await batches());
    for (const { id } of listed) {
      const shown = expectStatus(await gateway.get(`/api/batches/${id}`), 200).body.batch;
      assert.deepEqual(shown, await batch(id));
      const own = movements.filter((one: Json) => one.batch_id === id);
      const sum = own.reduce(
        (total: number, { amount }: { amount: string }) => total + Math.round(Number(amount) * 100),
        0,
      );
      assert.equal(money(sum), shown.net);
    }
    assert.equal(listed.length, 3);
  });

  test("the ledger has a line a movement, as JSON and as CSV, and only those of its period", async () => {
    const { movements } = expectStatus(await ledger(days()), 200).body;
    const [visa = "", , voided = ""] = inFirst;
    const of = (id: string) => movements.filter((one: Json) => one.transaction_id === id);
    const lineOf = (all: readonly Json[]) =>
      all.map(({ movement, amount, currency }) => `${movement} ${amount} ${currency}`);
    assert.deepEqual(lineOf(of(voided)), ["sale 5.00 CAD", "void -5.00 CAD"]);
    assert.deepEqual(new Set(of(voided).map((one: Json) => one.batch_id)), new Set([first]));
    assert.deepEqual(lineOf(of(visa)), ["sale 10.00 CAD", "refund -4.00 CAD"]);
    const [sold] = of(visa);
    const next = new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);
    const { processor_transaction_id, id } = (await merchant.found(visa)).events[1];
    assert.deepEqual(
      { ...sold, occurred_at: sold.occurred_at.slice(0, 10) },
      {
        ...{
          occurred_at: day,
          settled_at: `${next}T02:20:00+00:00`,
          paid_at: null,
          movement: "sale",
          reversing: false,
        },
        ...{ currency: "CAD", amount: "10.00", merchant_transaction_id: "order", transaction_id: visa, event_id: id },
        ...{ passenger_id: null, passenger_name: null, ticket_number: null, batch_id: first },
        ...{ processor_id: account, processor_transaction_id, dispute_id: null },
      },
    );
    const answer = expectStatus(await ledger(`${days()}&format=csv`), 200);
    assert.equal(answer.headers.get("content-disposition"), 'attachment; filename="ledger.csv"');
    const [names = [], ...lines] = linesOfCsv(answer.text);
    assert.deepEqual(names, Object.keys(sold));
    const cells = movements.map((one: Json) => names.map((name) => String(one[name] ?? "")));
    assert.deepEqual(lines, cells);
    const onFirstDay = expectStatus(await ledger(`from=${day}&to=${day}`), 200).body.movements;
    assert.deepEqual(
      onFirstDay,
      movements.filter((one: { occurred_at: string }) => one.occurred_at.startsWith(day)),
    );
    assert.ok(onFirstDay.length > 0 && onFirstDay.length < movements.length);
    const exactly = `from=${sold.occurred_at.slice(0, 19)}Z&to=${sold.occurred_at.slice(0, 19)}Z`;
    assert.ok(expectStatus(await ledger(exactly), 200).body.movements.some((one: Json) => one.event_id === id));
    assert.deepEqual(expectStatus(await ledger("from=2001-01-01&to=2001-01-31"), 200).body, { movements: [] });
    const always = expectStatus(await ledger("from=0000-01-01&to=9999-12-31"), 200).body.movements;
    assert.equal(always.length, movements.length, "the widest period that can be written");
  });

  test("the ledger names the passengers that a movement names", async () => {
    const passengers = [passenger(), passenger({ ticket_number: "0010000000002", passenger_name: "ROE/JOHN" })];
    const { id } = await merchant.charged("sale", sale({ amount: "200.00", passenger_transport: passengers }));
    const { movements } = expectStatus(await ledger(`from=${day}&to=2999-12-31`), 200).body;
    const own = movements.filter((one: Json) => one.transaction_id === id);
    assert.deepEqual(
      own.map((one: Json) => [one.amount, one.ticket_number, one.passenger_name]),
      [
        ["100.00", "0141234567890", "DOE/JANE"],
        ["100.00", "0010000000002", "ROE/JOHN"],
      ],
    );
    // A spreadsheet would drop the zeros.
    const csv = expectStatus(await ledger(`from=${day}&to=2999-12-31&for=spreadsheet`), 200).text;
    assert.match(csv, /,'0010000000002,/);
  });

  test("CSV for a spreadsheet begins with a mark and keeps codes as texts, in every export", async () => {
    const token = gateway.sandbox.api_token;
    for (const [path, own] of [
      [`/api/ledger?${days()}`, token],
      ["/api/transactions?", token],
      [`/operator/batches/${first}/events?`, gateway.sandbox.operator_token],
    ] as const) {
      const answer = await fetch(
        `${gateway.url}${path}&format=csv&for=spreadsheet`.replace("events?&format=csv&", "events?"),
        {
          headers: { authorization: `Bearer ${own}` },
        },
      );
      const bytes = Buffer.from(await answer.arrayBuffer());
      assert.deepEqual([...bytes.subarray(0, 3)], [0xef, 0xbb, 0xbf], path);
      assert.doesNotMatch(bytes.toString(), /(^|[,"\n])=/);
    }
  });

  test("the ledger tells everything that is wrong with its query, and keeps to the scope", async () => {
    const day1 = "2031-05-01";
    for (const [query, expected] of [
      ["", "422 from, to"],
      [`from=${day1}`, "422 to"],
      ["from=2031-02-30&to=x", "422 from, to"],
      [`from=${day1}&to=2031-04-30`, "422 to"],
      [`from=${day1}&to=${day1}&format=xml`, "422 format"],
      [`from=${day1}&to=${day1}&for=people`, "422 for"],
      [`from=${day1}&to=${day1}&format=json&for=spreadsheet`, "422 for"],
      [`from=${day1}&to=${day1}&page=1`, "422 page"],
    ] as const) {
      const { status, body } = await ledger(query);
      assert.equal(`${status} ${Object.keys(body.error.message).sort().join(", ")}`, expected, query);
    }
    const charging = await merchant.token({ scopes: ["charge", "follow_up"] });
    for (const path of [`ledger?${days()}`, "batches", `batches/${first}`])
      assert.equal((await gateway.get(`/api/${path}`, { token: charging })).status, 403);
    for (const id of [NOBODY, "none"]) assert.equal((await gateway.get(`/api/batches/${id}`)).status, 404);
    for (const query of ["page=0", "processor_id=x", "merchant_id=1"])
      assert.equal(told(await gateway.get(`/api/batches?${query}`)), `422 ${query.split("=")[0]}`);
    assert.equal(told(await gateway.operator("GET", `/operator/batches/${first}/events?for=people`)), "422 for");
  });

  test("under /operator are the operator's alone, and others are not there", async () => {
    for (const path of ["", `/${first}`, `/${first}/events`]) {
      const answer = await gateway.call("GET", `/operator/batches${path}`, { token: gateway.sandbox.api_token });
      assert.equal(answer.status, 401, path);
    }
    for (const id of [NOBODY, "none", `${first}x`])
      for (const path of ["", "/events"])
        assert.equal((await gateway.operator("GET", `/operator/batches/${id}${path}`)).status, 404, id + path);
    for (const query of ["page=0", "page=x", "processor_id=x", "merchant_id=1", "batch=1"])
      assert.equal(told(await gateway.operator("GET", `/operator/batches?${query}`)), `422 ${query.split("=")[0]}`);
    const nobodys = await batches(`merchant_id=${NOBODY}`);
    assert.deepEqual([nobodys.batches, nobodys.meta.total], [[], 0]);
    assert.equal((await batches(`processor_id=${account}&page=2`)).batches.length, 0);
  });

  test("a merchant's money stands in each part of the settlement day, and moves on with the clock", async () => {
    const { now } = (await gateway.operator("GET", "/operator/clock")).body;
    const today = new Date(Date.parse(now) + DAY_MS).toISOString().slice(0, 10);
    await goTo(`${today}T12:00:00Z`);
    const own = await merchant.processor({ currency: "CAD", settlement: SCHEDULE });
    const stands = async () => {
      const { processors } = expectStatus(await gateway.get("/api/settlement"), 200).body.settlement;
      const { awaiting_capture, schedule, batches: parts } = processors.find(({ id }: Json) => id === own);
      assert.deepEqual(schedule, SCHEDULE);
      const shown = parts.map(({ part, count, captured, voided, refunded, net }: Json) =>
        [part, count, captured, voided, refunded, net].join(" "),
      );
      return [`${awaiting_capture.count} ${awaiting_capture.amount}`, ...shown];
    };
    assert.deepEqual(await stands(), ["0 0.00"]);
    const sell = (path: "sale" | "auth", amount: string) => charged(path, amount, { processor_id: own });
    const [sold] = [await sell("sale", "40.00"), await sell("auth", "9.00"), await sell("auth", "1.00")];
    expectStatus(await merchant.follow(await sell("auth", "6.00"), "capture", { amount: "2.00" }), 200);
    expectStatus(await merchant.follow(await sell("auth", "3.00"), "void"), 200);
    expectStatus(await merchant.follow(await sell("sale", "5.00"), "void"), 200);
    assert.deepEqual(await stands(), ["2 10.00", "collecting 3 47.00 5.00 0.00 42.00"]);
    await goTo(`${today}T20:30:00Z`);
    await until("both were captured", async () => (await stands())[0] === "0 0.00");
    assert.deepEqual(await stands(), ["0 0.00", "collecting 5 57.00 5.00 0.00 52.00"]);
    await goTo(`${today}T22:00:00Z`);
    await sell("sale", "0.50");
    const collecting = "collecting 1 0.50 0.00 0.00 0.50";
    assert.deepEqual(await stands(), ["0 0.00", "settling 5 57.00 5.00 0.00 52.00", collecting]);
    const next = new Date(Date.parse(today) + DAY_MS).toISOString().slice(0, 10);
    await goTo(`${next}T02:20:00Z`);
    expectStatus(await merchant.follow(sold, "refund", { amount: "10.00" }), 200);
    const refunding = "collecting 2 0.50 0.00 10.00 -9.50";
    assert.deepEqual(await stands(), ["0 0.00", "settled 5 57.00 5.00 0.00 52.00", refunding]);
    await goTo(`${next}T22:00:00Z`);
    assert.deepEqual(await stands(), [
      "0 0.00",
      "settled 5 57.00 5.00 0.00 52.00",
      refunding.replace("collecting", "settling"),
    ]);
    await goTo(`${new Date(Date.parse(next) + DAY_MS).toISOString().slice(0, 10)}T02:20:00Z`);
    assert.deepEqual(await stands(), ["0 0.00", refunding.replace("collecting", "settled")]);
    assert.equal((await gateway.get("/api/settlement?day=today")).status, 422);
  });
});
