// The sandbox's clock over HTTP: it goes forward only, every node follows it, and what falls due on the way has run before
// its answer.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ownMs } from "../own-time.ts";
import { startLiveTestGateway, told } from "./gateway.ts";
import { expectStatus, type Gateway, merchantOf, sale } from "./merchant.fixture.ts";
import { type Installation, newInstallation } from "./nodes.fixture.ts";

const DAY_MS = 86_400_000;
const SECOND_MS = 1_000;
/** A month of days with an empty book. */
const MONTH_MS = 10_000;

const nowOf = async (gateway: Gateway): Promise<number> =>
  Date.parse(expectStatus(await gateway.operator("GET", "/operator/clock"), 200).body.now);
const move = (gateway: Gateway, to: number | string) =>
  gateway.operator("POST", "/operator/clock", { now: typeof to === "string" ? to : new Date(to).toISOString() });
/** Timestamps have whole seconds, and a busy machine takes a few for an answer. */
const about = (one: number, other: number) => Math.abs(one - other) <= 10 * SECOND_MS;
const midnight = (instant: number): number => Math.floor(instant / DAY_MS) * DAY_MS;

describe("the sandbox's clock", () => {
  let installation: Installation;
  let node: Gateway;
  before(async () => {
    installation = await newInstallation();
    node = await installation.startNode();
  });
  after(async () => {
    await node.close();
    await installation.remove();
  });

  test("is real time until it is moved, and runs on by itself", async () => {
    assert.ok(about(await nowOf(node), Date.now()));
    const to = (await nowOf(node)) + DAY_MS;
    const answer = expectStatus(await move(node, to), 200);
    assert.ok(about(Date.parse(answer.body.now), to));
    await sleep(1_100);
    const later = await nowOf(node);
    assert.ok(later > to && later < to + 60 * SECOND_MS);
  });

  test("goes forward only, and not for ever: anything else is an error of now", async () => {
    const now = await nowOf(node);
    for (const wrong of [
      now - 2 * SECOND_MS,
      "2001-01-01T00:00:00Z",
      "2200-01-01T00:00:00Z",
      "tomorrow",
      "",
      "2031-02-30T00:00:00Z",
    ])
      assert.equal(told(await move(node, wrong)), "422 now", String(wrong));
    assert.equal(told(await node.operator("POST", "/operator/clock", {})), "422 now");
    assert.ok(about(await nowOf(node), now));
  });

  test("takes the time that it shows, and says of what is no time what it wants", async () => {
    for (let tries = 0; tries < 5; tries++) {
      const { now } = expectStatus(await node.operator("GET", "/operator/clock"), 200).body;
      const answer = await move(node, now);
      // The second may have passed on the way.
      if (answer.status === 200) break;
      assert.ok(tries < 4, answer.text);
    }
    for (const wrong of ["2031-11-22", "2031-11-22T00:00:00"])
      assert.deepEqual((await move(node, wrong)).body.error.message, {
        now: ["must be a time with its offset from UTC, like 2039-01-31T00:00:00Z"],
      });
  });

  test("takes an instant of any offset", async () => {
    const to = midnight(await nowOf(node)) + 2 * DAY_MS;
    const inToronto = `${new Date(to - 5 * 3_600_000).toISOString().slice(0, 19)}-05:00`;
    assert.ok(about(Date.parse(expectStatus(await move(node, inToronto), 200).body.now), to));
  });

  test("is the operator's alone", async () => {
    for (const token of [node.sandbox.api_token, null]) {
      assert.equal((await node.call("GET", "/operator/clock", { token })).status, 401);
      assert.equal(
        (await node.call("POST", "/operator/clock", { token, json: { now: "2199-01-01T00:00:00Z" } })).status,
        401,
      );
    }
  });

  test("what carries a time follows it", async () => {
    const { charged } = merchantOf(node);
    await move(node, (await nowOf(node)) + DAY_MS);
    const now = await nowOf(node);
    const { created_at, events } = await charged("sale", sale());
    for (const time of [created_at, events[0].created_at, events[0].updated_at])
      assert.ok(about(Date.parse(time), now), time);
  });

  test("each move is in the audit log, with the time before and after", async () => {
    const before = await nowOf(node);
    const to = before + 3_600_000;
    await move(node, to);
    const [entry] = (await node.operator("GET", "/operator/audit-log")).body.entries;
    assert.deepEqual([entry.action, entry.subject], ["clock.change", "clock sandbox"]);
    assert.ok(about(Date.parse(entry.before.now), before) && about(Date.parse(entry.after.now), to));
  });

  test("other nodes follow it within a second, and it stays where it is over restarts", async () => {
    const other = await installation.startNode();
    try {
      for (const [mover, follower] of [
        [node, other],
        [other, node],
      ] as const) {
        const to = (await nowOf(mover)) + 10 * DAY_MS;
        const tookMs = await ownMs(async () => {
          await move(mover, to);
          while ((await nowOf(follower)) < to) await sleep(20);
        });
        assert.ok(tookMs < 2 * SECOND_MS, `${tookMs} ms`);
      }
    } finally {
      await other.close();
    }
    const before = await nowOf(node);
    await node.close();
    node = await installation.startNode();
    const after = await nowOf(node);
    assert.ok(after >= before && after < before + 60 * SECOND_MS);
  });

  test("two moves at once go one after the other, and the clock ends at the later one", async () => {
    const now = await nowOf(node);
    const answers = await Promise.all([3, 1, 2].map((days) => move(node, now + days * DAY_MS)));
    // Those that come after the farthest are too late.
    assert.equal(answers[0]?.status, 200);
    for (const answer of answers) assert.match(told(answer), /^(200|422 now)$/);
    assert.ok(about(await nowOf(node), now + 3 * DAY_MS));
  });

  test("what falls due on the way runs in the order of time, each at its instant, before the answer", async () => {
    const { processor, charged, found } = merchantOf(node);
    const settlement = { cutoff_at: "22:00", settled_at: "02:00", visible_at: "02:20" };
    const start = midnight(await nowOf(node)) + DAY_MS;
    await move(node, start + 12 * 3_600_000);
    const times = ["23:10", "03:20", "14:05"];
    const ids = [];
    for (const auto_capture_at of times) {
      const id = await processor({ currency: "CAD", settlement: { ...settlement, auto_capture_at } });
      ids.push((await charged("auth", sale({ processor_id: id }))).id);
    }
    expectStatus(await move(node, start + 3 * DAY_MS), 200);
    const captures = (await Promise.all(ids.map(found))).map(({ events }) => events[0]);
    assert.deepEqual(
      captures.map(({ event_type, success }) => [event_type, success]),
      times.map(() => ["capture", true]),
    );
    const expected = [start, start + DAY_MS, start].map((day, index) => {
      const [hours = 0, minutes = 0] = (times[index] ?? "").split(":").map(Number);
      return day + (hours * 60 + minutes) * 60_000;
    });
    for (const [index, { created_at }] of captures.entries()) {
      const lateMs = Date.parse(created_at) - (expected[index] ?? 0);
      assert.ok(lateMs >= 0 && lateMs < 30 * SECOND_MS, `${times[index]} at ${created_at}`);
    }
  });

  test("a month passes within seconds, in one move and day by day", async (t) => {
    const measure = async (name: string, work: () => Promise<void>) => {
      const ms = await ownMs(work);
      t.diagnostic(`${name}: ${ms.toFixed(0)} ms`);
      assert.ok(ms < MONTH_MS, `${name}: ${ms.toFixed(0)} ms`);
    };
    await measure("a month in one move", async () => {
      expectStatus(await move(node, (await nowOf(node)) + 30 * DAY_MS), 200);
    });
    await measure("a month day by day", async () => {
      for (let day = 0; day < 30; day++) expectStatus(await move(node, (await nowOf(node)) + DAY_MS), 200);
    });
  });
});

test("in live mode there is no clock to move", async () => {
  const live = await startLiveTestGateway();
  try {
    assert.equal((await live.operator("GET", "/operator/clock")).status, 404);
    assert.equal((await live.operator("POST", "/operator/clock", { now: "2199-01-01T00:00:00Z" })).status, 404);
  } finally {
    await live.close();
  }
});
