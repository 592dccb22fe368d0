// What falls due while something else is captured: nobody waits for a processor that does not answer.

import assert from "node:assert/strict";
import { test } from "node:test";
import { cad, type Evening, type EveningNode, evening } from "../../test/fixtures/evening.ts";
import { until } from "../../test/receiver.ts";
import { at } from "../../test/transactions.ts";
import { unreliable } from "../../test/unreliable-journal.ts";
import { DueCaptures } from "./due-captures.ts";
import { startDueWork } from "./time.ts";

const OPEN = "auth 100 approved";
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

test("of more records than may wait at once none is forgotten", async () => {
  const records = Array.from({ length: 150 }, () => cad());
  const { clock, node } = evening(records);
  const { authorize, events, parts, open } = node();
  const ids = await Promise.all(records.map(({ id }) => authorize({ processorId: id })));
  clock.set(at("1 20:30"));
  const work = startDueWork(parts, open);
  try {
    await until("all are captured", async () =>
      (await Promise.all(ids.map(events))).every(([, capture]) => capture === CAPTURED[1]),
    );
  } finally {
    await work.stop();
  }
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

test("authorizations that cannot be sent, one by one, do not keep others waiting, and are captured when they have rested", async () => {
  let unsendable = 10;
  const { clock, node, books } = evening(undefined, {
    line: (_, type) => (type === "capture" && unsendable-- > 0 ? "refuses" : "answers"),
  });
  const { authorize, events, parts, open, logged } = node();
  const ids = await Promise.all(Array.from({ length: 100 }, () => authorize()));
  const ends = async () => (await Promise.all(ids.map(events))).map((all) => all.at(-1));
  const captured = async () => (await ends()).filter((end) => end === CAPTURED[1]).length;
  clock.set(at("1 20:30"));
  const work = startDueWork(parts, open);
  try {
    await until("the others are captured", async () => (await captured()) === 90);
    assert.equal((await open.due(clock.now())).length, 1, "the record stays due");
    clock.set(at("1 20:30:10"));
    await until("the record waits for its next time", async () => (await open.due(clock.now())).length === 0);
  } finally {
    await work.stop();
  }
  assert.ok(!logged.includes(LEAVES), logged.join());
  assert.equal(await captured(), 100);
  for (const id of ids) assert.equal(books.entriesOf(id).filter(({ type }) => type === "capture").length, 1);
});

/** What is due at this instant is begun once, and ends. */
const looking = ({ clock }: Pick<Evening, "clock">, { parts, open }: EveningNode) => {
  const captures = new DueCaptures(parts, open, new AbortController().signal);
  return async (time: string) => {
    clock.set(at(time));
    await captures.begin();
    await captures.ended();
  };
};

test("one that cannot be sent is tried five times, after longer and longer rests, and then at the next time", async () => {
  const whole = evening(undefined, { line: (_, type) => (type === "capture" ? "refuses" : "answers") });
  const one = whole.node();
  const look = looking(whole, one);
  const id = await one.authorize();
  let tries = 0;
  for (const [before, time] of [
    ["1 20:29:59.999", "1 20:30"],
    ["1 20:30:09.999", "1 20:30:10"],
    ["1 20:30:39.999", "1 20:30:40"],
    ["1 20:32:39.999", "1 20:32:40"],
    ["1 20:37:39.999", "1 20:37:40"],
    ["2 20:29:59.999", "2 20:30"],
  ] as const) {
    await look(before);
    assert.equal((await one.events(id)).length, 1 + tries, before);
    await look(time);
    assert.deepEqual(await one.events(id), [OPEN, ...Array(++tries).fill(NOT_SENT[1])], time);
  }
});

test("one that could not be sent is not tried before its processor can be reached, also by another node, and is captured once", async () => {
  let reachable = false;
  const whole = evening(undefined, {
    line: (_, type) => (type === "capture" && !reachable ? "refuses" : "answers"),
    reachable: () => reachable,
  });
  const nodes = [whole.node(), whole.node()] as const;
  const looks = nodes.map((one) => looking(whole, one));
  const all = async (time: string) => {
    await Promise.all(looks.map((look) => look(time)));
    return nodes[0].events(id);
  };
  const id = await nodes[0].authorize();
  assert.deepEqual(await all("1 20:30"), NOT_SENT);
  for (const time of ["1 20:30:10", "1 20:40", "1 23:00", "2 12:00"]) assert.deepEqual(await all(time), NOT_SENT, time);
  reachable = true;
  await until("it is captured after the record's pause", async () => (await all("2 12:00:10")).length > 2);
  assert.deepEqual(await nodes[0].events(id), [...NOT_SENT, CAPTURED[1]]);
  assert.deepEqual(await nodes[0].open.due(at("2 20:29:59.999")), [], "the record waits for its next time");
});

test("a processor that says for ever that it cannot be reached gets what is due at the next time", async () => {
  let unsendable = 1;
  const whole = evening(undefined, {
    line: (_, type) => (type === "capture" && unsendable-- > 0 ? "refuses" : "answers"),
    reachable: () => false,
  });
  const one = whole.node();
  const look = looking(whole, one);
  const first = await one.authorize();
  await look("1 20:30");
  assert.deepEqual(await one.events(first), NOT_SENT);
  whole.clock.set(at("1 21:00"));
  const second = await one.authorize();
  await look("2 20:29:59.999");
  assert.deepEqual(await one.events(second), [OPEN]);
  await until("the second is captured", async () => {
    await look("2 20:30:10");
    return (await one.events(second))[1] === CAPTURED[1];
  });
  assert.deepEqual(await one.open.due(at("3 20:29:59.999")), [], "the record waits for its next time");
});

test("a processor that says that it cannot be reached, and takes captures, gets all but the one that could not be sent", async () => {
  let captures = 0;
  const whole = evening(undefined, {
    line: (_, type) => {
      if (type !== "capture") return "answers";
      captures++;
      if (captures === 50) whole.clock.set(at("1 20:30:10"));
      return captures === 1 ? "refuses" : "answers";
    },
    reachable: () => false,
  });
  const one = whole.node();
  const ids = await Promise.all(Array.from({ length: 200 }, () => one.authorize()));
  await looking(whole, one)("1 20:30");
  const ends = (await Promise.all(ids.map(one.events))).map(([, ...all]) => all.join());
  assert.equal(ends.filter((end) => end === CAPTURED[1]).length, 199);
});

test("one whose intent was written while the database went away is captured for the same day, once that is known", async () => {
  const whole = evening();
  const one = whole.node((journal) => unreliable(journal, { append: ["done and lost"] }));
  const look = looking(whole, one);
  const id = await one.authorize();
  await look("1 20:30");
  assert.deepEqual(await one.events(id), IN_FLIGHT);
  await look("1 20:30:01");
  await one.parts.retryQueue.retry();
  assert.deepEqual(await one.events(id), NOT_SENT);
  await look("1 20:30:11");
  assert.deepEqual(await one.events(id), [...NOT_SENT, CAPTURED[1]]);
  assert.deepEqual(await one.open.due(at("2 20:29:59.999")), [], "the record waits for its next time");
});

test("one that is in flight for long waits for the next time", async () => {
  const whole = evening(undefined, { line: (_, type) => (type === "capture" ? "loses question" : "answers") });
  const one = whole.node();
  const look = looking(whole, one);
  const id = await one.authorize();
  whole.clock.set(at("1 20:30"));
  await one.followUp("capture", id);
  for (const time of ["1 20:30:01", "1 20:35", "1 20:40"]) {
    await look(time);
    assert.equal((await one.open.due(whole.clock.now())).length, time === "1 20:40" ? 0 : 1, time);
  }
  assert.deepEqual(await one.events(id), IN_FLIGHT);
});

test("an authorization that rests is over when its merchant captures or voids it meanwhile", async () => {
  for (const type of ["capture", "void"] as const) {
    let refuses = true;
    const whole = evening(undefined, { line: (_, asked) => (refuses && asked === "capture" ? "refuses" : "answers") });
    const one = whole.node();
    const look = looking(whole, one);
    const id = await one.authorize();
    await look("1 20:30");
    refuses = false;
    await one.followUp(type, id);
    await look("1 20:30:10");
    assert.deepEqual(await one.events(id), [...NOT_SENT, `${type} 100 approved`]);
    assert.deepEqual(await one.open.due(at("2 20:29:59.999")), []);
  }
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
    clock.set(at("1 20:31"));
    await until("it is left again after a pause", leftTimes(2));
    assert.equal(asked(), spent);
    reachable = true;
    await until("the record waits for its next time", async () => (await open.due(clock.now())).length === 0);
  } finally {
    await work.stop();
  }
  const ends = (await Promise.all(ids.map(events))).map(([, ...captures]) => captures.join());
  assert.deepEqual(
    [CAPTURED[1], `${NOT_SENT[1]},${CAPTURED[1]}`].map((word) => ends.filter((end) => end === word).length),
    [ids.length - spent, spent],
  );
});
