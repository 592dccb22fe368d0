import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Line } from "../../test/acquirer.ts";
import { idOf, installation, inWords, record, render, resolveDue } from "../../test/gateway-in-memory.ts";
import { type Troubles, unreliable } from "../../test/unreliable-journal.ts";
import { amountOf } from "../payment/money.ts";
import { processorQueues } from "./processor-queues.ts";

const USD = record();
const SALE = "sale 100 approved";
const SECOND_MS = 1_000;

/** The lines of the questions, one after the other. */
function gateway(...lines: Line[]) {
  const whole = installation([USD], { line: () => lines.shift() ?? "answers" });
  const pass = (ms: number) => whole.clock.set(new Date(whole.clock.now().getTime() + ms));
  return { ...whole, pass };
}
const soon = () => new Promise((resolve) => setTimeout(resolve, 20));

describe("an unanswered charge is reversed until the processor confirms it", () => {
  test("again and again, each time after a longer pause, to a minute at most", async () => {
    const { join, books, pass, memory } = gateway("loses answer", ...Array<Line>(9).fill("loses answer"));
    const { charge, resolve } = join();
    await charge();
    const pauses: number[] = [];
    for (let seconds = 0; memory.unresolved > 0; seconds = 0) {
      while ((await resolve()) === 0) {
        pass(SECOND_MS);
        seconds++;
      }
      pauses.push(seconds);
    }
    assert.deepEqual(pauses, [0, 2, 4, 8, 16, 32, 60, 60, 60, 60]);
    assert.deepEqual(new Set(books.asked.map(({ reference }) => reference)).size, 1);
    assert.equal(books.asked.at(-1)?.given, "confirmed");
  });

  test("a refused connection, or a fault of ours, is no confirmation", async () => {
    const { join, books, pass, memory } = gateway("loses question", "refuses", "breaks");
    const { charge, resolve } = join();
    await charge();
    for (let rounds = 0; rounds < 2; rounds++) {
      await resolve();
      assert.equal(memory.unresolved, 1);
      pass(60 * SECOND_MS);
    }
    await resolve();
    assert.deepEqual([memory.unresolved, books.asked.length], [0, 4]);
  });

  test("a round that breaks leaves the event to the next lease, and the others are looked at", async () => {
    const { join, pass, memory } = gateway("loses answer", "loses answer");
    const { charge, resolve, logged } = join((journal) =>
      unreliable(journal, { find: [new Error("CONNECTION_CLOSED")] }),
    );
    await charge();
    await charge();
    assert.equal(await resolve(), 2);
    assert.equal(memory.unresolved, 1);
    assert.ok(logged.includes("warn an event could not be resolved yet"));
    assert.equal(await resolve(), 0);
    pass(9 * SECOND_MS);
    assert.equal(await resolve(), 0);
    pass(SECOND_MS);
    assert.equal(await resolve(), 1);
    assert.equal(memory.unresolved, 0);
  });

  test("what one node has leased is not taken by another, however long its processor takes", async () => {
    const lines: Line[] = ["loses answer"];
    const { promise: arrival, resolve: arrive } = Promise.withResolvers<void>();
    let way = Promise.resolve();
    const patient = record({ settings: { timeout_ms: 60 * SECOND_MS } });
    const whole = installation([patient], { line: () => lines.shift() ?? "answers", way: () => way });
    const [one, other] = [whole.join(), whole.join()];
    await one.charge();
    way = arrival;
    const quick = processorQueues(one.parts, one.backlog, render, { ms: 10 * SECOND_MS, renewEveryMs: 5 });
    const working = resolveDue(one.parts, one.backlog, quick);
    for (let rounds = 0; rounds < 5; rounds++) {
      await soon();
      whole.clock.set(new Date(whole.clock.now().getTime() + 9 * SECOND_MS));
      assert.deepEqual(await other.backlog.leaseDue(patient.id, whole.clock.now(), SECOND_MS, 1), []);
    }
    arrive();
    await working;
    assert.equal(whole.books.asked.filter(({ type }) => type === "reversal").length, 1);
  });
});

describe("what waits for a processor is tried at a rate that it can bear", () => {
  const OTHER = record();
  /** Processor records whose questions are held up on their way, and what lets them go. */
  function heldUp(records = [USD]) {
    const lines = new Map<string, Line>();
    const held = new Map<string, () => void>();
    let waiting: (() => void)[] = [];
    let most = 0;
    const whole = installation(records, {
      line: (id) => lines.get(id) ?? "answers",
      way: () =>
        new Promise<void>((resolve) => {
          if (!held.has("all")) return resolve();
          waiting.push(resolve);
          most = Math.max(most, waiting.length);
        }),
    });
    const pass = (ms: number) => whole.clock.set(new Date(whole.clock.now().getTime() + ms));
    return {
      ...whole,
      lines,
      pass,
      hold: () => void held.set("all", () => undefined),
      letGo: () => {
        held.clear();
        for (const go of waiting) go();
        waiting = [];
      },
      most: () => most,
    };
  }

  test("at most 32 of a processor record are asked at once, and the others as soon as there is room", async () => {
    const { join, memory, lines, hold, letGo, most } = heldUp([
      record({ id: USD.id, settings: { timeout_ms: 5_000 } }),
    ]);
    const { charge, resolve } = join();
    lines.set(USD.id, "loses answer");
    for (let charges = 0; charges < 40; charges++) await charge();
    lines.clear();
    hold();
    const round = resolve();
    await soon();
    assert.equal(most(), 32);
    letGo();
    assert.deepEqual([await round, memory.unresolved], [40, 0]);
  });

  test("for a processor that does not answer nobody else has to wait", async () => {
    const { join, memory, lines, books } = heldUp([USD, OTHER]);
    const { charge, resolve } = join();
    lines.set(USD.id, "loses answer").set(OTHER.id, "loses answer");
    for (let charges = 0; charges < 40; charges++) await charge({ processorId: USD.id });
    await charge({ processorId: OTHER.id });
    lines.set(USD.id, "answers late").set(OTHER.id, "answers");
    const round = resolve();
    await soon();
    const confirmed = books.asked.filter(({ given }) => given === "confirmed");
    assert.deepEqual(
      confirmed.map(({ processorId }) => processorId),
      [OTHER.id],
    );
    await round;
    assert.equal(memory.unresolved, 40);
  });

  test("one that does not answer is asked one question a round, and all that waits as soon as one is answered", async () => {
    const { join, memory, lines, books, pass } = heldUp();
    const { charge, resolve, logged } = join();
    lines.set(USD.id, "loses answer");
    for (let charges = 0; charges < 100; charges++) await charge();
    lines.set(USD.id, "refuses");
    const tried: number[] = [];
    for (let rounds = 0; rounds < 4; rounds++) {
      tried.push(await resolve());
      pass(SECOND_MS);
    }
    assert.deepEqual(tried, [32, 1, 1, 1]);
    lines.clear();
    await resolve();
    assert.equal(memory.unresolved, 0);
    assert.equal(books.asked.filter(({ given }) => given === "confirmed").length, 100);
    const silence = logged.filter((line) => /processor (does not answer|answers again)/.test(line));
    assert.equal(silence.length, 2);
  });

  test("what was put off for a minute is due at once when its processor is back", async () => {
    const { join, memory, lines, pass } = heldUp();
    const { charge, resolve } = join();
    lines.set(USD.id, "loses answer");
    await charge();
    for (let attempts = 0; attempts < 10; attempts++) {
      await resolve();
      pass(60 * SECOND_MS);
    }
    await resolve();
    await charge();
    lines.clear();
    assert.deepEqual([await resolve(), memory.unresolved], [2, 0]);
  });

  test("a caller's question that is answered makes due what was put off, too", async () => {
    const { join, memory, lines, pass } = heldUp();
    const { charge, resolve } = join();
    lines.set(USD.id, "loses answer");
    await charge();
    for (let attempts = 0; attempts < 10; attempts++) {
      await resolve();
      pass(60 * SECOND_MS);
    }
    await resolve();
    assert.equal(await resolve(), 0);
    lines.clear();
    await charge();
    assert.deepEqual([await resolve(), memory.unresolved], [1, 0]);
  });

  test("where callers are answered and a reversal is not, it is tried again less and less often", async () => {
    const lines: Line[] = ["loses answer"];
    const whole = installation([USD], {
      line: (_, type) => (type === "reversal" ? "refuses" : (lines.shift() ?? "answers")),
    });
    const { charge, resolve } = whole.join();
    await charge();
    let tried = 0;
    for (let seconds = 0; seconds < 120; seconds++) {
      await charge();
      tried += await resolve();
      whole.clock.set(new Date(whole.clock.now().getTime() + SECOND_MS));
    }
    assert.ok(tried > 4 && tried < 16, `${tried}`);
  });

  test("a single event that is never answered holds up nobody else", async () => {
    const lines: Line[] = Array<Line>(60).fill("loses answer");
    const whole = installation([USD], { line: () => lines.shift() ?? "answers" });
    const { charge, resolve, parts, logged } = whole.join();
    for (let charges = 0; charges < 60; charges++) await charge();
    const never = whole.memory.transactionsOf(whole.merchantId)[0]?.transaction.id;
    const { processor } = await parts.processors.find(whole.merchantId, USD.id);
    const timeoutReversal = processor.timeoutReversal.bind(processor);
    processor.timeoutReversal = async (question, signal) => {
      if (question.transactionId !== never) return timeoutReversal(question, signal);
      while (whole.memory.unresolved > 20) await soon();
      return { kind: "unanswered", why: "never" };
    };
    assert.equal(await resolve(), 60);
    assert.equal(whole.memory.unresolved, 1);
    assert.ok(!logged.some((line) => line.includes("does not answer")));
  });
});

describe("what a dead node left without an outcome is ended by another", () => {
  const dying = (troubles: Troubles, ...lines: Line[]) => {
    const whole = gateway(...lines);
    const dead = whole.join((journal) => unreliable(journal, troubles));
    return { ...whole, dead, other: whole.join() };
  };

  for (const [name, troubles, asked] of [
    ["that was never sent", { open: ["stops after"] }, 0],
    ["whose answer was not written down", { conclude: ["stops before"] }, 1],
  ] as const)
    test(`a charge ${name} is given up and reversed, and never sent again`, async () => {
      const { dead, other, memory, merchantId, books } = dying(troubles);
      void dead.charge();
      await soon();
      assert.equal(await other.resolve(), 0);
      memory.declareDead(dead.id);
      assert.equal(await other.resolve(), 1);
      const [stored] = memory.transactionsOf(merchantId);
      assert.deepEqual(stored && inWords(stored.transaction), ["sale 100 unanswered"]);
      assert.deepEqual(
        books.asked.map(({ type }) => type),
        [...Array(asked).fill("sale"), "reversal"],
      );
      assert.ok(other.logged.includes("warn events without an outcome were found after a stop"));
    });

  for (const [name, troubles, asked] of [
    ["that was never sent", { append: ["stops after"] }, 1],
    ["whose answer was not written down", { conclude: ["fine", "stops before"] }, 2],
  ] as const)
    test(`a follow-up ${name} is asked under its own reference, and moves its money once`, async () => {
      const { dead, other, memory, books } = dying(troubles);
      const id = idOf(await dead.charge());
      void dead.followUp("refund", id, { amount: amountOf(40n) });
      await soon();
      memory.declareDead(dead.id);
      await other.resolve();
      assert.deepEqual(inWords(await other.find(id)), [SALE, "refund 40 approved"]);
      const refunds = books.asked.filter(({ type }) => type === "refund");
      assert.equal(refunds.length, asked);
      assert.equal(new Set(refunds.map(({ reference }) => reference)).size, 1);
      assert.equal(books.entriesOf(id).length, 2);
    });

  test("a charge that was handed on to the next processor when its gateway died is reversed there", async () => {
    const OTHER = record();
    const whole = installation([USD, OTHER], { line: (id) => (id === USD.id ? "refuses" : "answers") });
    const dead = whole.join((journal) => unreliable(journal, { conclude: ["stops after"] }));
    void dead.charge();
    await soon();
    whole.memory.declareDead(dead.id);
    const other = whole.join();
    await other.resolve();
    const [stored] = whole.memory.transactionsOf(whole.merchantId);
    assert.deepEqual(stored && inWords(stored.transaction), ["sale 100 not-sent", "sale 100 unanswered"]);
    assert.deepEqual(
      whole.books.asked.map(({ processorId, type }) => [processorId, type]),
      [
        [USD.id, "sale"],
        [OTHER.id, "reversal"],
      ],
    );
  });

  test("what a live node has leased is left alone", async () => {
    const { dead: live, other, merchantId, memory } = dying({ conclude: ["stops before"] });
    void live.charge();
    await soon();
    await live.backlog.heartbeat(live.parts.inFlight.clearBefore(live.parts.clock.now()));
    assert.equal(await other.resolve(), 0);
    const [stored] = memory.transactionsOf(merchantId);
    assert.deepEqual(stored && inWords(stored.transaction), ["sale 100 pending"]);
  });
});

test("a round first writes what the retry queue holds", async () => {
  const { join } = gateway();
  const { charge, resolve, parts } = join((journal) => unreliable(journal, { conclude: ["away"] }));
  await assert.rejects(charge());
  await resolve();
  assert.equal(parts.retryQueue.size, 0);
});
