// What follows from an answer that is neither yes nor no: a charge is reversed; a capture, void or refund is repeated a bounded number of
// times, and so is a reversal; then an operator finds out how it ended.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { idOf, installation, inWords, record, resultInWords } from "../../test/gateway-in-memory.ts";
import { NOTHING_CHECKED } from "../payment/verification.ts";
import type { Answer, Processor, TimeoutReversalAnswer } from "../processors/processor.ts";

const USD = record();
const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

const undecided = (code: string, over: Partial<Extract<Answer, { kind: "undecided" }>> = {}): Answer => ({
  kind: "undecided",
  why: `the answer's code is ${code}`,
  processorResponse: { code, message: `SAID ${code}`, transactionId: "1", authCode: null, ...NOTHING_CHECKED },
  category: "refused",
  repeats: 3,
  ...over,
});

/** A gateway whose processor answers as it is told. */
async function told(over: Partial<Pick<Processor, "charge" | "followUp" | "timeoutReversal" | "inquire">> = {}) {
  const made = installation([USD]);
  const node = made.join();
  const { processor } = await node.parts.processors.find(USD.merchantId, USD.id);
  const set = (more: typeof over) => Object.assign(processor, more);
  set(over);
  /** Rounds of the resolver, each when all that was put off is due. @returns how many events each tried */
  const rounds = async (count: number, ms = 61 * SECOND_MS) => {
    const tried: number[] = [];
    for (let round = 0; round < count; round++) {
      made.clock.set(new Date(made.clock.now().getTime() + ms));
      tried.push(await node.resolve());
    }
    return tried;
  };
  return { ...made, ...node, set, rounds };
}

const warnings = (logged: readonly string[]) => logged.filter((line) => line.startsWith("warn"));
const LEFT = "warn an operator has to find out how an operation ended: its processor does not say";

describe("a charge that is answered with neither yes nor no", () => {
  test("is not approved, shows the processor's code, is reversed, and was no silence", async () => {
    const { charge, find, memory, rounds, logged } = await told({ charge: async () => undecided("10") });
    const result = await charge();
    assert.equal(resultInWords(result), "200 sale 100 unanswered");
    const [event] = (await find(idOf(result))).events;
    assert.ok(event.outcome?.kind === "unanswered");
    const { code, message } = event.outcome.processorResponse;
    assert.deepEqual([code, message], ["10", "SAID 10: THE CHARGE IS REVERSED"]);
    assert.equal(memory.unresolved, 1);
    assert.deepEqual(await rounds(1), [1]);
    assert.equal(memory.unresolved, 0);
    assert.deepEqual(warnings(logged), []);
  });

  test("is reversed, too, where the processor says so only when it is asked what became of it", async () => {
    let reversals = 0;
    const { charge, find, rounds, memory } = await told({
      charge: async () => ({ kind: "unanswered", why: "silence" }),
      inquire: async () => undecided("UNKNOWN"),
      timeoutReversal: async () => {
        reversals++;
        return { kind: "confirmed" };
      },
    });
    const [event] = (await find(idOf(await charge()))).events;
    assert.ok(event.outcome?.kind === "unanswered" && event.outcome.processorResponse.code === "UNKNOWN");
    await rounds(1);
    assert.deepEqual([reversals, memory.unresolved], [1, 0]);
  });

  test("takes the processor out of the draw only for reasons of the processor's own", async () => {
    for (const [category, out] of [
      ["insufficient-funds", false],
      ["refused", false],
      ["try-later", true],
    ] as const) {
      const { charge, parts } = await told({ charge: async () => undecided("68", { category }) });
      for (let charges = 0; charges < 8; charges++) await charge();
      assert.equal(parts.failing.since(USD.id) !== undefined, out, category);
    }
  });
});

describe("a capture, void or refund that is answered with neither yes nor no", () => {
  const waiting = async (answers: () => Answer) => {
    const made = await told();
    const id = idOf(await made.charge({ type: "auth" }));
    let asked = 0;
    made.set({
      followUp: async () => {
        asked++;
        return answers();
      },
    });
    const result = await made.followUp("capture", id);
    assert.equal(resultInWords(result), "202 auth 100 approved, capture 100 pending");
    return { ...made, id, asked: () => asked };
  };

  test("is repeated as often as its code says, and then by nobody: it waits for an operator", async () => {
    for (const repeats of [1, 3, 5]) {
      const { rounds, asked, memory, logged, find, id } = await waiting(() => undecided("94", { repeats }));
      await rounds(repeats - 1);
      assert.deepEqual([asked(), warnings(logged)], [repeats, []]);
      await rounds(1);
      assert.deepEqual([asked(), warnings(logged)], [repeats + 1, [LEFT]]);
      await rounds(50, HOUR_MS);
      assert.deepEqual([asked(), memory.unresolved], [repeats + 1, 1]);
      assert.deepEqual(inWords(await find(id)), ["auth 100 approved", "capture 100 pending"]);
    }
  });

  test("ends as soon as a repeat is answered with yes", async () => {
    const answers: Answer[] = [undecided("91"), undecided("91"), undecided("96")];
    const approved = { ...undecided("00"), kind: "approved" } as Extract<Answer, { kind: "approved" }>;
    const { rounds, memory, find, id, logged } = await waiting(() => answers.shift() ?? approved);
    await rounds(3);
    assert.deepEqual(inWords(await find(id)), ["auth 100 approved", "capture 100 approved"]);
    assert.deepEqual([memory.unresolved, warnings(logged)], [0, []]);
  });

  test("is not counted against by the silence before it", async () => {
    const silence = Array.from({ length: 20 }, (): Answer => ({ kind: "unanswered", why: "nobody there" }));
    const { rounds, asked, memory } = await waiting(() => silence.shift() ?? undecided("09"));
    await rounds(25);
    assert.deepEqual([asked(), memory.unresolved], [23, 1]);
  });

  test("leaves the other operations of its processor alone: they are repeated, and end", async () => {
    const approved = { ...undecided("00"), kind: "approved" } as Extract<Answer, { kind: "approved" }>;
    const made = await told();
    const [first, second] = [idOf(await made.charge({ type: "auth" })), idOf(await made.charge({ type: "auth" }))];
    made.set({
      followUp: async ({ transactionId }) =>
        transactionId === first ? undecided("94") : { kind: "unanswered", why: "" },
    });
    for (const id of [first, second]) await made.followUp("capture", id);
    await made.rounds(6);
    made.set({ followUp: async ({ transactionId }) => (transactionId === first ? undecided("94") : approved) });
    await made.rounds(2);
    assert.deepEqual(inWords(await made.find(second)), ["auth 100 approved", "capture 100 approved"]);
    assert.deepEqual(inWords(await made.find(first)), ["auth 100 approved", "capture 100 pending"]);
  });
});

describe("a reversal that is answered with neither yes nor no", () => {
  const reversing = async (reversal: () => TimeoutReversalAnswer) => {
    let asked = 0;
    const made = await told({
      charge: async () => ({ kind: "unanswered", why: "silence" }),
      timeoutReversal: async () => {
        asked++;
        return reversal();
      },
    });
    await made.charge();
    return { ...made, asked: () => asked };
  };
  const refused: TimeoutReversalAnswer = { kind: "undecided", why: "the answer's code is 12", repeats: 4 };

  test("is repeated so many times, and then waits for an operator", async () => {
    const { rounds, asked, memory, logged } = await reversing(() => refused);
    await rounds(10, HOUR_MS);
    assert.deepEqual([asked(), memory.unresolved], [4, 1]);
    assert.equal(warnings(logged).at(-1), LEFT);
    assert.ok(!logged.some((line) => line.includes("does not answer: what waits")), "the processor did answer");
  });

  test("ends with the confirmation, however late", async () => {
    const answers = [refused, refused, refused];
    const { rounds, memory } = await reversing(() => answers.shift() ?? { kind: "confirmed" });
    assert.deepEqual(await rounds(5), [1, 1, 1, 1, 0]);
    assert.equal(memory.unresolved, 0);
  });
});
