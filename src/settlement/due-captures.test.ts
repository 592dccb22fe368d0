// What falls due while something else is captured: nobody waits for a processor that does not answer.

import assert from "node:assert/strict";
import { test } from "node:test";
import { cad, evening } from "../../test/fixtures/evening.ts";
import { until } from "../../test/receiver.ts";
import { at } from "../../test/transactions.ts";
import { startDueWork } from "./time.ts";

const IN_FLIGHT = ["auth 100 approved", "capture 100 pending"];
const NOT_SENT = ["auth 100 approved", "capture 100 not-sent"];
const CAPTURED = ["auth 100 approved", "capture 100 approved"];
const LEAVES = "warn a processor does not answer: its automatic capture goes on after a pause";

test("records whose processors do not answer keep no other waiting, also not one that falls due later", async () => {
  const silent = Array.from({ length: 4 }, () => cad({ settings: { timeout_ms: 120_000 } }));
  const later = cad({ schedule: { ...cad().schedule, auto_capture_at: "20:31" } });
  const { promise: silence, resolve: answer } = Promise.withResolvers<void>();
  let held = false;
  const { clock, node } = evening([...silent, later], {
    line: (id, type) => {
      held = type === "capture" && id !== later.id;
      return "answers";
    },
    way: () => (held ? silence : Promise.resolve()),
  });
  const { authorize, events, parts, open } = node();
  const waiting = await Promise.all(silent.map(({ id }) => authorize({ processorId: id })));
  const id = await authorize({ processorId: later.id });
  const all = () => Promise.all(waiting.map(events));
  clock.set(at("1 20:30"));
  const work = startDueWork(parts, open);
  try {
    await until("all that are due are asked for", async () => (await all()).every(({ length }) => length === 2));
    clock.set(at("1 20:31"));
    await until("the later one is captured", async () => (await events(id))[1] === CAPTURED[1]);
    assert.deepEqual(await all(), Array(4).fill(IN_FLIGHT));
  } finally {
    answer();
    await work.stop();
  }
  assert.deepEqual(await all(), Array(4).fill(CAPTURED), "what is in flight is finished");
});

test("a processor that does not answer is asked for a few captures, and for the rest when it answers again", async () => {
  let silent = true;
  const { clock, node, books } = evening(undefined, {
    line: (_, type) => (silent && type === "capture" ? "loses question" : "answers"),
  });
  const { authorize, events, resolve, parts, open, logged } = node();
  const ids = await Promise.all(Array.from({ length: 60 }, () => authorize()));
  clock.set(at("1 20:30"));
  const work = startDueWork(parts, open);
  try {
    await until("the record is left", () => logged.includes(LEAVES));
    const asked = books.asked.filter(({ type }) => type === "capture").length;
    assert.ok(asked >= 5 && asked < ids.length / 2, `${asked} of ${ids.length}`);
    silent = false;
    await until("all are captured", async () => {
      await resolve();
      return (await Promise.all(ids.map(events))).every(([, capture]) => capture === CAPTURED[1]);
    });
    await until("the record waits for its next time", async () => (await open.due(clock.now())).length === 0);
  } finally {
    await work.stop();
  }
  for (const id of ids) assert.equal(books.entriesOf(id).filter(({ type }) => type === "capture").length, 1);
});

test("authorizations that cannot be sent, one by one, do not keep others waiting at a processor that answers", async () => {
  let unsendable = 10;
  const { clock, node } = evening(undefined, {
    line: (_, type) => (type === "capture" && unsendable-- > 0 ? "refuses" : "answers"),
  });
  const { authorize, events, parts, open, logged } = node();
  const ids = await Promise.all(Array.from({ length: 100 }, () => authorize()));
  clock.set(at("1 20:30"));
  const work = startDueWork(parts, open);
  try {
    await until("the record waits for its next time", async () => (await open.due(clock.now())).length === 0);
  } finally {
    await work.stop();
  }
  assert.ok(!logged.includes(LEAVES), logged.join());
  const ends = (await Promise.all(ids.map(events))).map(([, capture]) => capture);
  assert.equal(ends.filter((end) => end === CAPTURED[1]).length, 90);
});

test("a processor that cannot be reached is asked after each pause whether it answers, and no capture is spent on that", async () => {
  let reachable = false;
  const { clock, node, books } = evening(undefined, {
    line: (_, type) => (type === "capture" && !reachable ? "refuses" : "answers"),
    reachable: () => reachable,
  });
  const { authorize, events, parts, open, logged } = node();
  const ids = await Promise.all(Array.from({ length: 60 }, () => authorize()));
  const asked = () => books.asked.filter(({ type }) => type === "capture").length;
  const leftTimes = (times: number) => () => logged.filter((line) => line === LEAVES).length >= times;
  clock.set(at("1 20:30"));
  const work = startDueWork(parts, open);
  let spent = 0;
  try {
    await until("the record is left", leftTimes(1));
    spent = asked();
    await until("it is left again after a pause", leftTimes(2));
    assert.equal(asked(), spent);
    reachable = true;
    await until("the record waits for its next time", async () => (await open.due(clock.now())).length === 0);
  } finally {
    await work.stop();
  }
  const ends = (await Promise.all(ids.map(events))).map(([, capture]) => capture);
  assert.deepEqual(
    [CAPTURED, NOT_SENT].map(([, word]) => ends.filter((end) => end === word).length),
    [ids.length - spent, spent],
  );
});
