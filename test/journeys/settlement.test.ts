// The day of an account over HTTP: automatic capture, cut-off, window, settled; on every kind of day, under every kind of
// schedule, and with the merchant at work at the same moment.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startTestGateway, told } from "./gateway.ts";
import { expectStatus, type Gateway, type Json, merchantOf, NOBODY, passenger, sale } from "./merchant.fixture.ts";
import { newInstallation } from "./nodes.fixture.ts";

/** For what comes by itself, however busy the machine is. */
const PATIENCE_MS = 120_000;

const DAY_MS = 86_400_000;
const SCHEDULE = { auto_capture_at: "20:30", cutoff_at: "22:00", settled_at: "02:00", visible_at: "02:20" };
/** The clock passes years quickly if it need not stop every evening. */
const OFF = { auto_capture_at: null };
/** Its captures are declined. */
const DECLINES_CAPTURES = "4000000000000341";

interface Shown {
  readonly event_type: string;
  readonly success: boolean;
  readonly status: string;
  readonly amount: string;
  readonly batch_id: string | null;
}

function accountOf(gateway: Gateway) {
  const { processor, charged, follow, found } = merchantOf(gateway);
  const goTo = async (instant: string) =>
    expectStatus(await gateway.operator("POST", "/operator/clock", { now: instant }), 200);
  const events = async (id: string): Promise<readonly Shown[]> => (await found(id)).events;
  return {
    follow,
    goTo,
    events,
    /** Noon of the next day by the sandbox's clock. @returns the day: `2030-05-01` */
    nextDay: async (): Promise<string> => {
      const { now } = (await gateway.operator("GET", "/operator/clock")).body;
      const day = new Date(Date.parse(now) + DAY_MS).toISOString().slice(0, 10);
      await goTo(`${day}T12:00:00Z`);
      return day;
    },
    account: (over: Json = {}) => processor({ currency: "CAD", settlement: SCHEDULE, ...over }),
    change: async (id: string, settlement: Json) =>
      expectStatus(await gateway.operator("PATCH", `/operator/processors/${id}`, { settlement }), 200),
    charge: async (path: "sale" | "auth", processor_id: string, over: Json = {}): Promise<string> =>
      (await charged(path, sale({ processor_id, amount: "10.00", ...over }))).id,
    /** Of the newest event. */
    status: async (id: string) => (await events(id))[0]?.status,
    inWords: async (id: string) =>
      (await events(id)).map(({ event_type, success }) => (success ? event_type : `no ${event_type}`)).reverse(),
  };
}

function firstLeapYearFrom(year: number): number {
  return new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1 ? year : firstLeapYearFrom(year + 1);
}

const after24 = (day: string, days = 1): string => new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);

describe("an account's day", () => {
  let gateway: Gateway;
  let the: ReturnType<typeof accountOf>;
  before(async () => {
    gateway = await startTestGateway();
    the = accountOf(gateway);
    await the.change(gateway.sandbox.processors.cad ?? "", OFF);
  });
  after(() => gateway.close());

  test("once it is over a void is refused as too late, whatever it says of the passengers", async () => {
    const account = await the.account({ settlement: { ...SCHEDULE, ...OFF } });
    const day = await the.nextDay();
    const id = await the.charge("sale", account, { amount: "100.00", passenger_transport: [passenger()] });
    const [{ id: passenger_id }] = (await gateway.get(`/api/transactions/${id}`)).body.transaction.passengers;
    await the.goTo(`${after24(day)}T02:20:00Z`);
    const base = ["A settled transaction cannot be voided. Use a refund."];
    for (const body of [
      {},
      { amount: "100.00" },
      { passenger_transport: [{ passenger_id, amount: "100.00" }] },
      { amount: "100.00", passenger_transport: [{ passenger_id: NOBODY, amount: "100.00" }] },
      { amount: "100.00", passenger_transport: [{ passenger_id, amount: "100.00" }] },
    ]) {
      const answer = await the.follow(id, "void", body);
      assert.deepEqual(answer.body, {
        error: { status: 422, code: "void-after-settlement", message: { base } },
        debug: [],
      });
    }
    assert.equal(told(await the.follow(id, "void", { amount: "1,00" })), "422 amount base");
  });

  test("an account in another currency that is given the terms of a CAD one goes through the same day", async () => {
    const settings = { partial_void: false, refund_before_settlement: false, settles_unseen: true };
    for (const over of [{}, { currency: "USD", settings }]) {
      const day = await the.nextDay();
      const account = await the.account(over);
      const [held, sold] = [await the.charge("auth", account), await the.charge("sale", account)];
      assert.equal(told(await the.follow(sold, "void", { amount: "4.00" })), "422 amount");
      assert.equal(told(await the.follow(sold, "refund")), "422 base");
      await the.goTo(`${day}T20:30:00Z`);
      assert.deepEqual(await the.inWords(held), ["auth", "capture"]);
      await the.change(account, OFF);
      await the.goTo(`${after24(day)}T02:19:59Z`);
      assert.equal(told(await the.follow(sold, "void")), "422 base");
      expectStatus(await the.follow(sold, "refund"), 200);
      assert.deepEqual(await the.inWords(sold), ["sale", "no void", "refund"]);
    }
  });

  const leapYear = firstLeapYearFrom(new Date().getUTCFullYear() + 3);
  for (const [name, day, next] of [
    ["the last of a year", `${leapYear - 2}-12-31`, `${leapYear - 1}-01-01`],
    ["the last of a February", `${leapYear - 1}-02-28`, `${leapYear - 1}-03-01`],
    ["the day before a leap day", `${leapYear}-02-28`, `${leapYear}-02-29`],
    ["a leap day", `${leapYear}-02-29`, `${leapYear}-03-01`],
    ["the last of a month of thirty days", `${leapYear}-04-30`, `${leapYear}-05-01`],
  ] as const)
    test(`is 24 hours, also ${name}`, async () => {
      await the.goTo(`${day}T12:00:00Z`);
      const id = await the.account();
      const [sold, open] = [await the.charge("sale", id), await the.charge("auth", id)];
      await the.goTo(`${day}T20:29:50Z`);
      assert.deepEqual(await the.inWords(open), ["auth"]);
      await the.goTo(`${day}T20:30:02Z`);
      assert.deepEqual(await the.inWords(open), ["auth", "capture"]);
      const statuses = async () => [await the.status(sold), await the.status(open)];
      for (const [instant, expected] of [
        [`${day}T21:59:50Z`, "pending_settlement"],
        [`${day}T22:00:00Z`, "unsettled"],
        [`${next}T02:19:50Z`, "unsettled"],
        [`${next}T02:20:00Z`, "settled"],
      ] as const) {
        await the.goTo(instant);
        assert.deepEqual(await statuses(), [expected, expected], instant);
      }
      const [batch] = (await gateway.operator("GET", `/operator/batches?processor_id=${id}`)).body.batches;
      assert.equal(batch.cutoff_at, `${day}T22:00:00+00:00`);
      assert.deepEqual((await the.events(sold))[0]?.batch_id, batch.id);
      await the.change(id, OFF);
    });

  test("may have its cut-off after midnight, and its automatic capture before it", async () => {
    const id = await the.account({
      settlement: { auto_capture_at: "23:45", cutoff_at: "00:30", settled_at: "04:00", visible_at: "04:10" },
    });
    const day = await the.nextDay();
    const next = after24(day);
    const open = await the.charge("auth", id);
    await the.goTo(`${day}T23:45:01Z`);
    const missed = await the.charge("auth", id);
    assert.equal(await the.status(open), "pending_settlement");
    await the.goTo(`${next}T00:29:50Z`);
    assert.equal(await the.status(open), "pending_settlement");
    await the.goTo(`${next}T00:30:00Z`);
    assert.equal(await the.status(open), "unsettled");
    await the.goTo(`${next}T04:10:00Z`);
    assert.deepEqual([await the.status(open), await the.status(missed)], ["settled", "authorized"]);
    await the.goTo(`${next}T23:45:01Z`);
    assert.equal(await the.status(missed), "pending_settlement");
  });

  for (const [time, to] of [
    ["cutoff_at", "18:00"],
    ["visible_at", "03:30"],
    ["settled_at", "23:00"],
  ] as const)
    test(`has its ${time} changed from one moment to the next, and what was captured before keeps its own`, async () => {
      const id = await the.account();
      const day = await the.nextDay();
      const kept = await the.charge("sale", id);
      await the.change(id, { [time]: to });
      const changed = await the.charge("sale", id);
      const next = after24(day);
      const rows: readonly (readonly [string, string, string])[] = [
        [`${day}T17:59:50Z`, "pending_settlement", "pending_settlement"],
        [`${day}T18:00:00Z`, "pending_settlement", time === "cutoff_at" ? "unsettled" : "pending_settlement"],
        [`${day}T22:00:00Z`, "unsettled", "unsettled"],
        [`${next}T02:20:00Z`, "settled", time === "visible_at" ? "unsettled" : "settled"],
        [`${next}T03:30:00Z`, "settled", "settled"],
      ];
      for (const [instant, first, second] of rows) {
        await the.goTo(instant);
        assert.deepEqual([await the.status(kept), await the.status(changed)], [first, second], instant);
      }
    });

  test("has its automatic capture moved, switched off and on again, for all that is open then", async () => {
    const id = await the.account();
    const day = await the.nextDay();
    const [moved, off] = [await the.charge("auth", id), after24(day)];
    await the.change(id, { auto_capture_at: "15:00" });
    await the.goTo(`${day}T15:00:01Z`);
    assert.deepEqual(await the.inWords(moved), ["auth", "capture"]);
    const open = await the.charge("auth", id);
    await the.change(id, { auto_capture_at: null });
    await the.goTo(`${off}T23:00:00Z`);
    assert.deepEqual(await the.inWords(open), ["auth"]);
    const [meanwhile, touched] = [await the.charge("auth", id), await the.charge("auth", id)];
    expectStatus(await the.follow(touched, "void"), 200);
    await the.change(id, { auto_capture_at: "23:30" });
    await the.goTo(`${off}T23:30:01Z`);
    for (const one of [open, meanwhile]) assert.deepEqual(await the.inWords(one), ["auth", "capture"]);
    assert.deepEqual(await the.inWords(touched), ["auth", "void"]);
  });

  test("ends with a declined capture open, and each day tries it once", async () => {
    const id = await the.account();
    const day = await the.nextDay();
    const open = await the.charge("auth", id, { card_number: DECLINES_CAPTURES });
    await the.goTo(`${after24(day)}T20:29:50Z`);
    assert.deepEqual(await the.inWords(open), ["auth", "no capture"]);
    await the.goTo(`${after24(day)}T20:30:02Z`);
    assert.deepEqual(await the.inWords(open), ["auth", "no capture", "no capture"]);
  });

  test("ends with a capture without an answer pending, and it is captured once when there is one", async () => {
    const settings = { silent_operations: ["capture"], timeout_ms: 100 };
    const id = await the.account({ settings });
    const day = await the.nextDay();
    const open = await the.charge("auth", id);
    await the.goTo(`${day}T20:30:02Z`);
    assert.equal(await the.status(open), "pending");
    await the.goTo(`${after24(day)}T20:30:02Z`);
    assert.deepEqual(await the.inWords(open), ["auth", "no capture"]);
    expectStatus(
      await gateway.operator("PATCH", `/operator/processors/${id}`, { settings: { silent_operations: null } }),
      200,
    );
    for (let waitedMs = 0; (await the.status(open)) === "pending" && waitedMs < PATIENCE_MS; waitedMs += 100) {
      // It is asked again by the sandbox's clock, after pauses that grow.
      await the.goTo(
        new Date(Date.parse((await gateway.operator("GET", "/operator/clock")).body.now) + 60_000).toISOString(),
      );
      await sleep(100);
    }
    assert.deepEqual(await the.inWords(open), ["auth", "capture"]);
  });

  test("and the merchant at work at the very moment: everything is captured or voided once", async () => {
    const id = await the.account();
    const day = await the.nextDay();
    const ids = await Promise.all(Array.from({ length: 30 }, () => the.charge("auth", id)));
    await the.goTo(`${day}T20:29:58Z`);
    const merchant = ids.map(async (one, index) => {
      await sleep(index * 10);
      const answer = await the.follow(one, index % 2 === 0 ? "capture" : "void", { amount: "10.00" });
      assert.match(told(answer), /^(200|409 base|422 (amount|base))$/);
    });
    await Promise.all([...merchant, sleep(100).then(() => the.goTo(`${day}T20:30:00Z`))]);
    await the.goTo(`${day}T20:31:00Z`);
    for (const one of ids) {
      const words = await the.inWords(one);
      const done = words.slice(1).filter((word) => !word.startsWith("no "));
      // What the gateway captured the merchant may still void, and nothing else.
      assert.match(done.join(), /^(capture|void|capture,void)$/, words.join());
    }
  });
});

test("two nodes capture a full book together, everything once", async () => {
  const installation = await newInstallation();
  const [first, second] = [await installation.startNode(), await installation.startNode()];
  try {
    const the = accountOf(first);
    const day = await the.nextDay();
    const id = await the.account();
    const ids: string[] = [];
    while (ids.length < 400) ids.push(...(await Promise.all(Array.from({ length: 50 }, () => the.charge("auth", id)))));
    await the.goTo(`${day}T20:29:59Z`);
    const byNode = async () => {
      const rows = await first.pool<{ node_id: number; count: number }[]>`
        select node_id, count(*)::int as count from events where type = 'capture' group by node_id`;
      return rows.map(({ count }) => count);
    };
    // No move: each node finds by itself that the time has come.
    const allOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);
    for (let waitedMs = 0; allOf(await byNode()) < ids.length && waitedMs < PATIENCE_MS; waitedMs += 100)
      await sleep(100);
    await sleep(1_500);
    const counts = await byNode();
    assert.equal(allOf(counts), ids.length, `captured by node: ${counts}`);
    for (const one of ids.slice(0, 50)) assert.deepEqual(await the.inWords(one), ["auth", "capture"]);
  } finally {
    await Promise.all([first.close(), second.close()]);
    await installation.remove();
  }
});
