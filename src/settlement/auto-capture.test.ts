import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Line } from "../../test/acquirer.ts";
import { conclusion, ended } from "../../test/conformance/intents.ts";
import { cad, evening } from "../../test/fixtures/evening.ts";
import { at, passengerId, told } from "../../test/transactions.ts";
import { unreliable } from "../../test/unreliable-journal.ts";
import { QueueFull } from "../journal/group-commit.ts";
import { JournalUnavailable } from "../journal/journal.ts";
import { amountOf } from "../payment/money.ts";
import { ShareUsedUp } from "../shares/turns.ts";
import { captureWhatIsDue } from "./auto-capture.ts";

const CAPTURED = ["auth 100 approved", "capture 100 approved"];
const OPEN = ["auth 100 approved"];
/** Its captures are declined. */
const DECLINES_CAPTURES = "4000000000000341";
const HALF = amountOf(50n);

describe("at its time of day every open authorization is captured whole", () => {
  test("those of before the time; one at the time waits for the next day", async () => {
    const { clock, node } = evening();
    const { authorize, capture, events } = node();
    const before = await authorize();
    clock.set(at("1 20:29:59.999"));
    const just = await authorize();
    await capture();
    assert.deepEqual(await events(before), OPEN);
    clock.set(at("1 20:30"));
    const missed = await authorize();
    await capture();
    assert.deepEqual(await Promise.all([before, just, missed].map(events)), [CAPTURED, CAPTURED, OPEN]);
    clock.set(at("2 20:29:59.999"));
    await capture();
    assert.deepEqual(await events(missed), OPEN);
    clock.set(at("2 20:30"));
    await capture();
    assert.deepEqual(await events(missed), CAPTURED);
  });

  test("a gateway that was down at the time captures when it is up, and then again at the next time", async () => {
    const { clock, node } = evening();
    const { authorize, capture, events } = node();
    const [first, second] = [await authorize(), await authorize()];
    clock.set(at("4 09:00"));
    await capture();
    assert.deepEqual(await Promise.all([first, second].map(events)), [CAPTURED, CAPTURED]);
    const third = await authorize();
    clock.set(at("4 20:29:59"));
    await capture();
    assert.deepEqual(await events(third), OPEN);
    clock.set(at("4 20:30"));
    await capture();
    assert.deepEqual(await events(third), CAPTURED);
  });

  test("of a transaction with passengers each gets his fares", async () => {
    const { clock, node } = evening();
    const { authorize, capture, find } = node();
    const passengers = told("CAD auth 100=60+40").passengers?.map(({ id: _, ...passenger }) => passenger) ?? null;
    const id = await authorize({ passengers });
    clock.set(at("1 20:30"));
    await capture();
    const { events, passengers: kept } = await find(id);
    const shares = kept?.map((passenger) => ({ passengerId: passenger.id, amount: passenger.fares }));
    assert.deepEqual([events[1]?.type, events[1]?.shares], ["capture", shares]);
    assert.notEqual(shares?.[0]?.passengerId, passengerId(1));
  });

  test("not one whose processor wants a card number that is not kept: it is told, and left as it is", async () => {
    const { clock, node } = evening();
    const { authorize, events, open, parts, logged } = node();
    const id = await authorize();
    const { find } = parts.processors;
    const wanting: typeof find = async (merchantId, processorId) => {
      const atWork = await find(merchantId, processorId);
      return { ...atWork, processor: { ...atWork.processor, keepsCardNumber: true } };
    };
    clock.set(at("1 20:30"));
    await captureWhatIsDue({ ...parts, processors: { ...parts.processors, find: wanting } }, open);
    assert.deepEqual(await events(id), OPEN);
    assert.ok(
      logged.some((line) => line.startsWith("error an authorization cannot be captured")),
      logged.join(),
    );
    clock.set(at("2 20:30"));
    await captureWhatIsDue(parts, open);
    assert.deepEqual(await events(id), OPEN, "it is not tried every day");
  });

  test("not a sale, not a charge that was declined, not a record without a time", async () => {
    const { clock, node } = evening([cad({ schedule: { ...cad().schedule, auto_capture_at: null } })]);
    const { authorize, charge, capture, events } = node();
    const [id, declined] = [await authorize(), await authorize({ digits: "4000000000000002" })];
    await charge();
    clock.set(at("9 20:30"));
    await capture();
    assert.deepEqual(await Promise.all([id, declined].map(events)), [OPEN, ["auth 100 declined"]]);
  });
});

describe("what the merchant has begun to decide, the gateway does not", () => {
  for (const type of ["capture", "void"] as const)
    test(`a ${type} that succeeded ends it, be it whole or in part`, async () => {
      const { clock, node } = evening([cad({ currency: "USD", schedule: cad().schedule })]);
      const { authorize, followUp, capture, events } = node();
      for (const amount of [undefined, HALF]) {
        const id = await authorize();
        await followUp(type, id, { amount });
        clock.set(at("1 20:30"));
        await capture();
        clock.set(at("2 20:30"));
        await capture();
        assert.deepEqual(await events(id), ["auth 100 approved", `${type} ${amount ?? 100n} approved`]);
      }
    });

  for (const by of ["the gateway", "the merchant"])
    test(`a capture by ${by} ends it, also if it failed after all; he may capture it again`, async () => {
      const { clock, node } = evening();
      const { authorize, followUp, capture, events, find, parts } = node();
      const id = await authorize();
      if (by === "the merchant") await followUp("capture", id);
      else clock.set(at("1 20:30"));
      await capture();
      const { merchantId, events: asked } = await find(id);
      const { processorResponse } = ended("declined", clock.now());
      const failure = { at: clock.now(), processorResponse, category: "wrong-state" } as const;
      await parts.journal.failLate({ merchantId, transactionId: id, sequence: asked.length }, failure);
      for (const time of ["1 20:30", "2 20:30"]) {
        clock.set(at(time));
        await capture();
      }
      assert.deepEqual(await events(id), ["auth 100 approved", "capture 100 failed-after-all"]);
      await followUp("capture", id);
      assert.deepEqual((await events(id)).slice(2), ["capture 100 approved"]);
    });

  test("one that failed does not", async () => {
    const { clock, node } = evening(undefined, { line: (_, type) => (type === "void" ? "refuses" : "answers") });
    const { authorize, followUp, capture, events } = node();
    const id = await authorize();
    await followUp("void", id);
    clock.set(at("1 20:30"));
    await capture();
    assert.deepEqual(await events(id), ["auth 100 approved", "void 100 not-sent", "capture 100 approved"]);
  });

  test("one in flight puts it off to the next time, when it has come to nothing", async () => {
    const { clock, node } = evening(undefined, {
      line: (_, type) => (type === "void" ? "loses question" : "answers"),
    });
    const { authorize, followUp, capture, events, find, parts } = node();
    const id = await authorize();
    await followUp("void", id);
    clock.set(at("1 20:30"));
    await capture();
    assert.deepEqual(await events(id), ["auth 100 approved", "void 100 pending"]);
    const transaction = await find(id);
    const [, cancel] = transaction.events;
    assert.ok(cancel);
    await parts.journal.conclude(conclusion(transaction, cancel, ended("declined", clock.now())));
    clock.set(at("2 20:30"));
    await capture();
    assert.deepEqual(await events(id), ["auth 100 approved", "void 100 declined", "capture 100 approved"]);
  });

  test("at the same moment: one of the two captures it", async () => {
    const { clock, node, books } = evening();
    const other = node();
    let id = "";
    const meanwhile = async () => void (await other.followUp("capture", id, { amount: HALF }));
    const { authorize, capture, events } = node((journal) => unreliable(journal, { append: [meanwhile] }));
    id = await authorize();
    clock.set(at("1 20:30"));
    await capture();
    assert.deepEqual(await events(id), ["auth 100 approved", "capture 50 approved"]);
    assert.equal(books.entriesOf(id).filter(({ type }) => type === "capture").length, 1);
  });

  test("at the same moment, and it fails: it is captured in the same round", async () => {
    const { clock, node } = evening(undefined, { line: (_, type) => (type === "void" ? "refuses" : "answers") });
    const other = node();
    let id = "";
    const meanwhile = async () => void (await other.followUp("void", id));
    const { authorize, capture, events, open } = node((journal) => unreliable(journal, { append: [meanwhile] }));
    id = await authorize();
    clock.set(at("1 20:30"));
    await capture();
    assert.deepEqual(await events(id), ["auth 100 approved", "void 100 not-sent", "capture 100 approved"]);
    assert.deepEqual(await open.due(clock.now()), [], "the record waits for its next time");
  });
});

describe("what the processor says to a capture", () => {
  test("no: it stays open and is tried at the next time, and only then", async () => {
    const { clock, node } = evening();
    const { authorize, capture, events } = node();
    const id = await authorize({ digits: DECLINES_CAPTURES });
    const declined = "capture 100 declined";
    clock.set(at("1 20:30"));
    await capture();
    await capture();
    assert.deepEqual(await events(id), [...OPEN, declined]);
    clock.set(at("2 20:30"));
    await capture();
    assert.deepEqual(await events(id), [...OPEN, declined, declined]);
  });

  test("nothing, and later no: it stays open and is tried at the next time", async () => {
    const lines: Line[] = ["answers", "loses answer"];
    const { clock, node } = evening(undefined, { line: () => lines.shift() ?? "answers" });
    const { authorize, capture, resolve, events } = node();
    const id = await authorize({ digits: DECLINES_CAPTURES });
    const declined = "capture 100 declined";
    clock.set(at("1 20:30"));
    await capture();
    assert.deepEqual(await events(id), [...OPEN, "capture 100 pending"]);
    await resolve();
    await capture();
    assert.deepEqual(await events(id), [...OPEN, declined]);
    clock.set(at("2 20:30"));
    await capture();
    assert.deepEqual(await events(id), [...OPEN, declined, declined]);
  });

  test("nothing: its outcome is found out, and it is not captured again", async () => {
    const lines: Line[] = ["answers", "loses answer"];
    const { clock, node, books } = evening(undefined, { line: () => lines.shift() ?? "answers" });
    const { authorize, capture, resolve, events, logged } = node();
    const id = await authorize();
    clock.set(at("1 20:30"));
    await capture();
    assert.deepEqual(await events(id), [...OPEN, "capture 100 pending"]);
    assert.ok(logged.includes("info automatic capture has ended"));
    await resolve();
    assert.deepEqual(await events(id), CAPTURED);
    clock.set(at("2 20:30"));
    await capture();
    assert.equal(books.entriesOf(id).filter(({ type }) => type === "capture").length, 1);
  });

  test("nothing for long: the other records do not wait for it", async () => {
    const [silent, quick] = [cad({ settings: { timeout_ms: 1_000 } }), cad()];
    const { clock, node } = evening([silent, quick], {
      line: (id, type) => (id === silent.id && type === "capture" ? "answers late" : "answers"),
    });
    const { authorize, capture, events } = node();
    const slow = await authorize({ processorId: silent.id });
    const id = await authorize({ processorId: quick.id });
    clock.set(at("1 20:30"));
    const all = capture();
    while ((await events(id)).length < 2 || (await events(id))[1] !== "capture 100 approved") await sleep(5);
    assert.deepEqual(await events(slow), [...OPEN, "capture 100 pending"]);
    await all;
  });
});

describe("when something breaks", () => {
  const COUNT = 5;
  const several = <T>(make: () => Promise<T>) => Promise.all(Array.from({ length: COUNT }, make));

  test("the database goes away: nothing is put off, and what is left is captured when it is back", async () => {
    const { clock, node, open } = evening();
    const away = node((journal) => unreliable(journal, { append: Array(COUNT).fill("away") }));
    const ids = await several(away.authorize);
    clock.set(at("1 20:30"));
    await assert.rejects(away.capture(), JournalUnavailable);
    assert.equal((await away.open.due(clock.now())).length, 1);
    const free = await open.join(away.parts.journal.find).lease((await away.open.due(clock.now()))[0] as never, COUNT);
    assert.equal(free.length, COUNT);
    open.letGo();
    await away.capture();
    assert.deepEqual(await Promise.all(ids.map(away.events)), Array(COUNT).fill(CAPTURED));
  });

  for (const fault of [new QueueFull("the queue is full"), new ShareUsedUp("own")])
    test(`there is no place for one more write (${fault.message}): it is not put off, and captured when there is`, async () => {
      const { clock, node } = evening();
      const { authorize, capture, events } = node((journal) => unreliable(journal, { append: [fault] }));
      const id = await authorize();
      clock.set(at("1 20:30"));
      await assert.rejects(capture(), fault);
      await capture();
      assert.deepEqual(await events(id), CAPTURED);
    });

  test("one authorization cannot be captured: the others are, and the fault is logged", async () => {
    const { clock, node } = evening();
    const { authorize, capture, events, logged } = node((journal) =>
      unreliable(journal, { append: ["fine", new Error("a bug")] }),
    );
    const ids = await several(authorize);
    clock.set(at("1 20:30"));
    await capture();
    const states = await Promise.all(ids.map(events));
    assert.equal(states.filter((words) => words.length === 2).length, COUNT - 1);
    assert.ok(logged.includes("error an authorization was not captured"));
    clock.set(at("2 20:30"));
    await capture();
    assert.deepEqual(await Promise.all(ids.map(events)), Array(COUNT).fill(CAPTURED));
  });

  test("one record cannot be captured: the others are, and the fault is told", async () => {
    const [broken, sound] = [cad(), cad()];
    const { clock, node, records } = evening([broken, sound]);
    const { authorize, capture, events } = node();
    const id = await authorize({ processorId: sound.id });
    records.splice(0, 1);
    clock.set(at("1 20:30"));
    await assert.rejects(capture(), /is gone/);
    assert.deepEqual(await events(id), CAPTURED);
  });

  test("the gateway is told to stop: what is in flight is finished, the rest is free for others at once", async () => {
    const stop = new AbortController();
    const { clock, node } = evening(undefined, {
      line: (_, type) => {
        if (type === "capture") stop.abort();
        return "answers";
      },
    });
    const { authorize, capture, events } = node();
    const ids = await Promise.all(Array.from({ length: 100 }, () => authorize()));
    clock.set(at("1 20:30"));
    await capture(stop.signal);
    const captured = async () => (await Promise.all(ids.map(events))).filter(({ length }) => length === 2).length;
    const before = await captured();
    assert.ok(before > 0 && before < ids.length, `${before} of ${ids.length}`);
    await node().capture();
    assert.equal(await captured(), ids.length);
  });
});

test("two nodes at once capture each once, and put the record off once", async () => {
  const { clock, node, books } = evening();
  const nodes = [node(), node()];
  const [{ authorize, events, open }] = nodes as [(typeof nodes)[0]];
  const ids = await Promise.all(Array.from({ length: 300 }, () => authorize()));
  clock.set(at("1 20:30"));
  await Promise.all(nodes.map(({ capture }) => capture()));
  for (const id of ids) assert.deepEqual(await events(id), CAPTURED);
  assert.equal(books.asked.filter(({ type }) => type === "capture").length, ids.length);
  assert.deepEqual(await open.due(at("2 20:29:59.999")), []);
});

test("the log says how far it is, every few seconds and at the end", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  let answer = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let asked = 0;
  const { clock, node } = evening(undefined, { way: async () => void (++asked > 2 && (await held)) });
  const { authorize, capture, logged } = node();
  await authorize();
  clock.set(at("1 20:30"));
  const all = capture();
  await sleep(20);
  t.mock.timers.tick(5_000);
  assert.deepEqual(logged, ["info automatic capture is running"]);
  answer();
  await all;
  assert.deepEqual(logged, ["info automatic capture is running", "info automatic capture has ended"]);
});
