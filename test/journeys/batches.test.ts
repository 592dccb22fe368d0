// Settlement batches over HTTP: what was captured before a cut-off is in its batch, with the same totals in its summary and
// in its events as CSV; nothing shows before the cut-off, and nothing of a batch moves when the schedule changes.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { linesOfCsv } from "./csv.fixture.ts";
import { startTestGateway, told } from "./gateway.ts";
import { expectStatus, type Gateway, type Json, merchantOf, money, NOBODY, sale } from "./merchant.fixture.ts";

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

  test("are the operator's alone, and others are not there", async () => {
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
});
