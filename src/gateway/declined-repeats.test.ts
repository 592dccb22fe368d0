// A repeat that is declined does not end the first sending: its amount stays reserved until there is evidence of it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Line } from "../../test/acquirer.ts";
import { idOf, installation, inWords, record, resultInWords } from "../../test/gateway-in-memory.ts";
import { unreliable } from "../../test/unreliable-journal.ts";
import { amountOf } from "../payment/money.ts";
import type { FollowUpType } from "../payment/transaction.ts";

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

/** A charge that stands, whose follow-ups have these lines, one after the other. */
async function charged(type: "sale" | "auth", ...lines: Line[]) {
  const made = installation([record()], {
    line: (_, asked) => (asked === "sale" || asked === "auth" ? "answers" : (lines.shift() ?? "answers")),
  });
  const node = made.join();
  const id = idOf(await node.charge({ type }));
  const pass = (ms: number) => made.clock.set(new Date(made.clock.now().getTime() + ms));
  return { ...made, ...node, id, pass };
}

const OF: Readonly<Record<FollowUpType, "sale" | "auth">> = { capture: "auth", void: "auth", refund: "sale" };

for (const type of ["capture", "void", "refund"] as const)
  for (const first of ["loses answer", "loses question", "answers late", "breaks"] as const)
    test(`a ${type} whose first sending ${first} stays pending while its repeat is declined, and ends as it ended`, async () => {
      const all = await charged(OF[type], first, "turns away", "turns away");
      const { id, followUp, resolve, find, books, pass } = all;
      const pending = `${OF[type]} 100 approved, ${type} 100 pending`;
      assert.equal(resultInWords(await followUp(type, id)), `202 ${pending}`);
      for (let repeats = 0; repeats < 2; repeats++) {
        assert.equal(await resolve(), 1);
        assert.deepEqual(inWords(await find(id)), pending.split(", "));
        pass(60 * SECOND_MS);
      }
      assert.equal(await resolve(), 1);
      assert.deepEqual(inWords(await find(id)), pending.replace("pending", "approved").split(", "));
      assert.equal(books.entriesOf(id).length, 2, "it is booked once");
    });

test("what is in doubt stays reserved: the merchant cannot refund it a second time", async () => {
  const { id, followUp, resolve, find, books, pass } = await charged("sale", "loses answer", "turns away");
  await followUp("refund", id, { amount: amountOf(60n) });
  await resolve();
  const again = await followUp("refund", id, { amount: amountOf(60n) });
  assert.equal(again.kind, "refused");
  assert.equal(resultInWords(await followUp("refund", id, { amount: amountOf(40n) })).slice(0, 3), "200");
  pass(60 * SECOND_MS);
  await resolve();
  assert.deepEqual(inWords(await find(id)), ["sale 100 approved", "refund 60 approved", "refund 40 approved"]);
  assert.equal(books.entriesOf(id).filter(({ type }) => type === "refund").length, 2);
});

test("so many repeats are declined, and then nobody is asked: an operator finds out, and nobody else waits for it", async () => {
  const turnedAway = Array<Line>(100).fill("turns away");
  const { id, followUp, resolve, find, pass, logged, charge, books, memory } = await charged(
    "sale",
    "loses answer",
    ...turnedAway,
  );
  await followUp("refund", id, { amount: amountOf(60n) });
  for (let minutes = 0; minutes < 200; minutes++) {
    await resolve();
    pass(60 * SECOND_MS);
  }
  assert.equal(books.asked.filter(({ type }) => type === "refund").length, 1 + 60);
  assert.equal(memory.unresolved, 1);
  assert.deepEqual(inWords(await find(id)), ["sale 100 approved", "refund 60 pending"]);
  assert.equal(logged.filter((line) => line.startsWith("warn an operator has to find out")).length, 1);
  assert.ok(!logged.some((line) => line.includes("tried one at a time")), "the processor answers");
  assert.equal(resultInWords(await charge()), "200 sale 100 approved");
});

test("the operator sees why it is open", async () => {
  const { id, followUp, resolve, memory } = await charged("sale", "loses answer", "turns away");
  await followUp("refund", id);
  await resolve();
  assert.deepEqual(memory.historyOf(id, 2), [
    "a repeat was declined, which does not say how the first sending ended: 96 SYSTEM MALFUNCTION",
  ]);
});

describe("a decline that is known to be the first answer ends it", () => {
  test("a refund that the processor declined at first, and whose answer was lost", async () => {
    const made = installation([record()], {
      line: (_, type) => (type === "refund" ? (lines.shift() ?? "answers") : "answers"),
    });
    const lines: Line[] = ["loses answer"];
    const node = made.join();
    // The simulator's card whose refunds are declined.
    const id = idOf(await node.charge({ digits: "4000000000005126" }));
    await node.followUp("refund", id);
    await node.resolve();
    assert.deepEqual(inWords(await node.find(id)), ["sale 100 approved", "refund 100 declined"]);
  });
});

describe("a gateway that died leaves its first sending in doubt", () => {
  for (const [name, troubles] of [
    ["before it asked", { append: ["stops after"] }],
    ["before it wrote the answer", { conclude: ["fine", "stops before"] }],
  ] as const)
    test(`${name}: the first question of another node is a repeat`, async () => {
      const asked: Line[] = [];
      const made = installation([record()], {
        line: (_, type) => (type === "refund" ? (asked.shift() ?? "answers") : "answers"),
      });
      const dead = made.join((journal) => unreliable(journal, troubles));
      const id = idOf(await dead.charge());
      if (name !== "before it asked") asked.push("answers");
      asked.push("turns away");
      void dead.followUp("refund", id, { amount: amountOf(40n) });
      await new Promise((resolve) => setTimeout(resolve, 20));
      made.memory.declareDead(dead.id);
      const other = made.join();
      assert.equal(await other.resolve(), 1);
      assert.deepEqual(inWords(await other.find(id)), ["sale 100 approved", "refund 40 pending"]);
      made.clock.set(new Date(made.clock.now().getTime() + HOUR_MS));
      await other.resolve();
      assert.deepEqual(inWords(await other.find(id)), ["sale 100 approved", "refund 40 approved"]);
    });
});

test("the void of a reversal in doubt is not followed by a refund", async () => {
  const { id, reverse, resolve, find, books } = await charged("sale", "loses answer", "turns away");
  await reverse(id);
  await resolve();
  assert.deepEqual(inWords(await find(id)), ["sale 100 approved", "void 100 pending"]);
  assert.ok(!books.asked.some(({ type }) => type === "refund"));
});
