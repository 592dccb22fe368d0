import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Line } from "../../test/acquirer.ts";
import { claim } from "../../test/conformance/intents.ts";
import { type Installation, idOf, installation, record, resultInWords } from "../../test/gateway-in-memory.ts";
import { at } from "../../test/transactions.ts";
import { type Troubles, unreliable } from "../../test/unreliable-journal.ts";
import { amountOf } from "../payment/money.ts";
import { settlesAt } from "../processors/simulator/follow-up.ts";
import { OutcomeNotRecorded } from "./carry-out.ts";

const CAD = record({ currency: "CAD" });
const WINDOW = { cutoffAt: at("1 22:00"), settledAt: at("2 02:00"), visibleAt: at("2 02:20") };
const SALE = "sale 100 approved";
const TOO_LATE = "void 100 already-settled";

/** A node with a CAD sale, at a moment of the window at which its money has settled, and nobody but the processor knows. */
async function settledInside(given: { readonly lines?: Line[]; readonly troubles?: Troubles } = {}) {
  const lines = ["answers", ...(given.lines ?? [])] as Line[];
  const whole = installation([CAD], { line: () => lines.shift() ?? "answers" });
  const node = whole.join((journal) => unreliable(journal, given.troubles ?? {}));
  const id = idOf(await node.charge());
  settle(whole, id);
  return { ...node, ...whole, transactionId: id };
}

function settle({ clock }: Installation, transactionId: string): void {
  clock.set(settlesAt(transactionId, WINDOW));
}

describe("a reversal gives all back in one operation", () => {
  test("before the cut-off by a void", async () => {
    const { charge, reverse } = installation([CAD]).join();
    assert.equal(resultInWords(await reverse(idOf(await charge()))), `200 ${SALE}, void 100 approved`);
  });

  test("inside the window by a void and, when that came too late, the refund", async () => {
    const { reverse, transactionId, find, parts, memory } = await settledInside();
    assert.equal(resultInWords(await reverse(transactionId)), `200 ${SALE}, ${TOO_LATE}, refund 100 approved`);
    assert.deepEqual(
      (await find(transactionId)).events.map(({ reversal }) => reversal),
      [false, true, true],
    );
    assert.deepEqual([parts.inFlight.size, memory.unresolved], [0, 0]);
  });

  test("after the settlement by a refund", async () => {
    const { reverse, transactionId, clock } = await settledInside();
    clock.set(at("2 02:20"));
    assert.equal(resultInWords(await reverse(transactionId)), `200 ${SALE}, refund 100 approved`);
  });

  test("of what has settled and of what has not, by both", async () => {
    const { charge, followUp, reverse, ...rest } = both();
    const id = idOf(await charge({ type: "auth" }));
    await followUp("capture", id, { amount: amountOf(60n) });
    rest.clock.set(at("2 02:20"));
    const events = "auth 100 approved, capture 60 approved, void 40 approved, refund 60 approved";
    assert.equal(resultInWords(await reverse(id)), `200 ${events}`);
  });

  test("what is gone already is not given back again", async () => {
    const { charge, followUp, reverse } = installation([CAD]).join();
    const id = idOf(await charge());
    await followUp("void", id);
    assert.equal(resultInWords(await reverse(id)), "nothing-left-to-reverse on base");
  });
});

function both() {
  const whole = installation([CAD]);
  return { ...whole, ...whole.join() };
}

describe("a reversal whose step is not answered goes on when the answer is there", () => {
  test("the void: 202, then the resolver learns that it came too late and refunds", async () => {
    const { reverse, transactionId, find, resolve } = await settledInside({ lines: ["loses answer"] });
    assert.equal(resultInWords(await reverse(transactionId)), `202 ${SALE}, void 100 pending`);
    await resolve();
    const { events } = await find(transactionId);
    assert.deepEqual(
      events.map(({ type, outcome }) => `${type} ${outcome?.kind}`),
      ["sale approved", "void already-settled", "refund approved"],
    );
  });

  test("the refund: 202, then the resolver learns that it was approved", async () => {
    const { reverse, transactionId, find, resolve } = await settledInside({ lines: ["answers", "loses answer"] });
    assert.equal(resultInWords(await reverse(transactionId)), `202 ${SALE}, ${TOO_LATE}, refund 100 pending`);
    await resolve();
    assert.equal((await find(transactionId)).events[2]?.outcome?.kind, "approved");
  });

  test("the refund that follows a resolved void is resolved itself", async () => {
    const { reverse, transactionId, find, resolve, books } = await settledInside({
      lines: ["loses answer", "answers", "loses question"],
    });
    await reverse(transactionId);
    await resolve();
    const refunds = books.asked.filter(({ type }) => type === "refund");
    assert.deepEqual(
      refunds.map(({ given }) => given),
      ["unanswered", "approved"],
    );
    assert.equal((await find(transactionId)).events[2]?.outcome?.kind, "approved");
  });

  test("nothing was sent: the refund is tried, and told as it ends", async () => {
    const { reverse, transactionId } = await settledInside({ lines: ["refuses", "refuses"] });
    assert.equal(resultInWords(await reverse(transactionId)), `503 ${SALE}, void 100 not-sent, refund 100 not-sent`);
  });
});

test("a void that came too late is not followed by a refund that nobody asked for, also where that is found out later", async () => {
  const { followUp, transactionId, find, resolve, books } = await settledInside({ lines: ["loses answer"] });
  assert.equal(resultInWords(await followUp("void", transactionId)), `202 ${SALE}, void 100 pending`);
  await resolve();
  assert.equal((await find(transactionId)).events.at(-1)?.outcome?.kind, "already-settled");
  assert.deepEqual(
    books.asked.map(({ type }) => type),
    ["sale", "void", "void"],
  );
});

describe("a crash between the steps of a reversal", () => {
  for (const [moment, trouble] of [
    ["before the void's outcome is durable", "stops before"],
    ["after it", "stops after"],
  ] as const)
    test(`${moment}: another node finishes it, and nothing is given back twice`, async () => {
      const { reverse, transactionId, memory, join, id, books } = await settledInside({
        troubles: { conclude: ["fine", trouble] },
      });
      void reverse(transactionId);
      await soon();
      memory.declareDead(id);
      const other = join();
      await other.resolve();
      await other.resolve();
      const { events } = await other.find(transactionId);
      assert.deepEqual(
        events.map(({ type, outcome }) => `${type} ${outcome?.kind}`),
        ["sale approved", "void already-settled", "refund approved"],
      );
      assert.equal(books.entriesOf(transactionId).filter(({ answer }) => answer.kind === "approved").length, 2);
      assert.equal(memory.unresolved, 0);
    });
});

describe("the database goes away between the steps of a reversal: it goes on when that is back, and nothing is given back twice", () => {
  const END = ["sale approved", "void already-settled", "refund approved"];
  for (const trouble of ["away", "lost", "done and lost"] as const) {
    const given = { troubles: { conclude: ["fine", trouble] } } as const;
    const ended = async ({ find, books, memory, parts, transactionId }: Awaited<ReturnType<typeof settledInside>>) => {
      const { events } = await find(transactionId);
      assert.deepEqual(
        events.map(({ type, outcome }) => `${type} ${outcome?.kind}`),
        END,
      );
      assert.equal(books.entriesOf(transactionId).filter(({ answer }) => answer.kind === "approved").length, 2);
      assert.deepEqual([parts.retryQueue.size, parts.inFlight.size, memory.unresolved], [0, 0, 0]);
    };

    test(`for its caller: ${trouble}`, async () => {
      const whole = await settledInside(given);
      const asked = { claim: claim("key") };
      await assert.rejects(whole.reverse(whole.transactionId, asked), OutcomeNotRecorded);
      await whole.resolve();
      await ended(whole);
      const answer = resultInWords(await whole.reverse(whole.transactionId, asked));
      assert.equal(answer, `replayed 200 ${SALE}, ${TOO_LATE}, refund 100 approved`);
    });

    test(`for the resolver: ${trouble}`, async () => {
      const whole = await settledInside({ ...given, lines: ["loses answer"] });
      assert.equal(resultInWords(await whole.reverse(whole.transactionId)), `202 ${SALE}, void 100 pending`);
      for (let round = 0; round < 3; round++) {
        await whole.resolve();
        whole.clock.set(new Date(whole.clock.now().getTime() + 60_000));
      }
      await ended(whole);
    });
  }
});

test("an operation that takes the refund's place is left alone: the reversal ends with the void", async () => {
  const whole = both();
  const { charge, clock, join } = whole;
  const id = idOf(await charge({ type: "auth" }));
  await whole.followUp("capture", id, { amount: amountOf(60n) });
  clock.set(at("2 02:20"));
  const meanwhile = async () => void (await whole.followUp("refund", id, { amount: amountOf(10n) }));
  const other = join((journal) => unreliable(journal, { conclude: [meanwhile] }));
  const events = "auth 100 approved, capture 60 approved, void 40 approved";
  assert.equal(resultInWords(await other.reverse(id)), `200 ${events}`);
  assert.deepEqual(
    (await whole.find(id)).events.map(({ type, amount }) => `${type} ${amount}`),
    ["auth 100", "capture 60", "void 40", "refund 10"],
  );
  assert.equal(other.parts.inFlight.size, 0);
});

const soon = () => new Promise((resolve) => setTimeout(resolve, 20));
