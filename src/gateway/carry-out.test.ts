import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { claim } from "../../test/conformance/intents.ts";
import { idOf, installation, inWords, record, render, resultInWords } from "../../test/gateway-in-memory.ts";
import { type Trouble, type Troubles, unreliable } from "../../test/unreliable-journal.ts";
import { QueueFull } from "../journal/group-commit.ts";
import type { Journal } from "../journal/journal.ts";
import { OutcomeNotRecorded } from "./carry-out.ts";
import type { Render } from "./result.ts";

const USD = record();
const OTHER = record();
const KEY = claim("key");
const ONE_REFUSES = { line: (id: string) => (id === USD.id ? "refuses" : "answers") as "refuses" | "answers" };

describe("an outcome that cannot be written in time goes to the retry queue, and is written as soon as it can", () => {
  const rows: readonly (readonly [string, Trouble])[] = [
    ["the database is away", "away"],
    ["it went away before it was done", "lost"],
    ["it went away after it was done", "done and lost"],
    ["too many writes are waiting", new QueueFull("full")],
    ["the driver broke in its own way", new Error("CONNECTION_CLOSED")],
  ];
  for (const [name, trouble] of rows) {
    test(`of a charge: ${name}`, async () => {
      const { join, ...whole } = installation([USD]);
      const node = join((journal) => unreliable(journal, { conclude: [trouble, trouble] }));
      await assert.rejects(node.charge({ claim: KEY }), OutcomeNotRecorded);
      assert.deepEqual([node.parts.retryQueue.size, node.parts.inFlight.size], [1, 1]);
      await node.parts.retryQueue.retry();
      assert.deepEqual([node.parts.retryQueue.size, node.parts.inFlight.size], [1, 1]);
      await node.parts.retryQueue.retry();
      assert.deepEqual([node.parts.retryQueue.size, node.parts.inFlight.size], [0, 0]);
      const [stored] = whole.memory.transactionsOf(whole.merchantId);
      assert.deepEqual(stored && inWords(stored.transaction), ["sale 100 approved"]);
      assert.equal(resultInWords(await node.charge({ claim: KEY })), "replayed 200 sale 100 approved");
      assert.equal(whole.books.asked.length, 1);
    });

    test(`that a follow-up is pending: ${name}`, async () => {
      let lines = 0;
      const { join } = installation([USD], { line: () => (++lines === 2 ? "loses answer" : "answers") });
      const node = join((journal) => unreliable(journal, { defer: [trouble] }));
      const id = idOf(await node.charge());
      await assert.rejects(node.followUp("refund", id), OutcomeNotRecorded);
      assert.deepEqual([node.parts.retryQueue.size, node.parts.inFlight.size], [1, 1]);
      await node.parts.retryQueue.retry();
      assert.deepEqual([node.parts.retryQueue.size, node.parts.inFlight.size], [0, 0]);
      await node.resolve();
      assert.deepEqual(inWords(await node.find(id)), ["sale 100 approved", "refund 100 approved"]);
    });
  }
});

describe("an operation whose step cannot be recorded ends with that step", () => {
  for (const trouble of ["lost", "done and lost"] as const)
    test(`the outcome before the next processor is asked: ${trouble}`, async () => {
      const { join, books, memory, merchantId } = installation([USD, OTHER], ONE_REFUSES);
      const node = join((journal) => unreliable(journal, { conclude: [trouble] }));
      await assert.rejects(node.charge({ claim: KEY }), OutcomeNotRecorded);
      await node.parts.retryQueue.retry();
      assert.deepEqual([node.parts.retryQueue.size, node.parts.inFlight.size], [0, 0]);
      const [stored] = memory.transactionsOf(merchantId);
      const first = ["sale 100 not-sent"];
      assert.deepEqual(stored && inWords(stored.transaction), trouble === "lost" ? first : [...first, ...first]);
      assert.deepEqual(
        books.asked.map(({ given }) => given),
        ["not-sent"],
      );
      assert.match(resultInWords(await node.charge({ claim: KEY })), /^replayed 503 /);
    });
});

describe("another node took this one for dead and concluded its event", () => {
  const buried = (
    troubles: (bury: () => Promise<void>) => Troubles,
    lines: Parameters<typeof installation>[1] = {},
  ) => {
    const whole = installation([USD], lines);
    const other = whole.join();
    let node = other;
    const bury = async () => {
      whole.memory.declareDead(node.id);
      await other.resolve();
    };
    node = whole.join((journal) => unreliable(journal, troubles(bury)));
    return { ...whole, node, other };
  };

  test("the approval of a charge comes too late: it is answered, and kept, as unanswered, and its money given back", async () => {
    const { node, books } = buried((bury) => ({ conclude: [bury] }));
    const answer = resultInWords(await node.charge({ claim: KEY }));
    assert.equal(answer, "200 sale 100 unanswered");
    assert.equal(resultInWords(await node.charge({ claim: KEY })), `replayed ${answer}`);
    assert.ok(
      [...books.asked].every(({ transactionId }) => books.entriesOf(transactionId).every(({ reversed }) => reversed)),
    );
  });

  test("a charge of which nothing was sent is not tried elsewhere by two nodes", async () => {
    const { node, books } = buried((bury) => ({ conclude: [bury] }), {
      line: (_, type) => (type === "sale" ? "refuses" : "answers"),
    });
    assert.equal(resultInWords(await node.charge()), "200 sale 100 unanswered");
    assert.deepEqual(
      books.asked.map(({ type, given }) => `${type} ${given}`),
      ["sale not-sent", "reversal confirmed"],
    );
  });

  test("a follow-up ends the same, whoever asked", async () => {
    const { node, books } = buried((bury) => ({ conclude: ["fine", bury] }));
    const id = idOf(await node.charge());
    assert.equal(
      resultInWords(await node.followUp("refund", id, { claim: KEY })),
      "200 sale 100 approved, refund 100 approved",
    );
    assert.equal(books.entriesOf(id).length, 2);
    assert.equal(node.parts.inFlight.size, 0);
  });

  // The first node's question was refused. That the refund was not sent would be on record, and the money gone.
  test("a follow-up that this node could not send and the other is sending is pending", async () => {
    let refunds = 0;
    const lines = ["refuses", "loses answer", "answers"] as const;
    const line = (_: string, type: string) => (type === "refund" ? (lines[refunds++] ?? "answers") : "answers");
    const { node, other, clock, books } = buried((bury) => ({ conclude: ["fine", bury] }), { line });
    const id = idOf(await node.charge());
    assert.equal(resultInWords(await node.followUp("refund", id)), "202 sale 100 approved, refund 100 pending");
    assert.equal(books.entriesOf(id).length, 2);
    clock.set(new Date(clock.now().getTime() + 60_000));
    await other.resolve();
    assert.deepEqual(inWords(await other.find(id)), ["sale 100 approved", "refund 100 approved"]);
    assert.equal(node.parts.inFlight.size, 0);
  });

  test("one that ended there before this node had left it open has one answer under its key", async () => {
    let refunds = 0;
    const line = (_: string, type: string) => (type === "refund" && refunds++ === 0 ? "loses answer" : "answers");
    const replayed: string[] = [];
    const { node, other } = buried(
      (bury) => ({
        defer: [
          async () => {
            await bury();
            replayed.push(resultInWords(await other.followUp("refund", id, { claim: KEY })));
          },
        ],
      }),
      { line },
    );
    const id = idOf(await node.charge());
    const answer = resultInWords(await node.followUp("refund", id, { claim: KEY }));
    assert.deepEqual(replayed, [`replayed ${answer}`]);
    assert.equal(resultInWords(await node.followUp("refund", id, { claim: KEY })), `replayed ${answer}`);
  });

  test("what stands cannot be read: the caller has to look", async () => {
    const { node } = buried((bury) => ({ conclude: [bury], find: [new Error("CONNECTION_CLOSED")] }));
    await assert.rejects(node.charge(), OutcomeNotRecorded);
  });
});

// A node that counted as dead when it began an event: nobody else has that event on the list of what is to be resolved.
describe("what was not sent by a node that counted as dead is put on the list, and is not in flight for good", () => {
  const node = (writes: readonly ("concluded" | "away" | "taken-over")[], answers?: Render) => {
    let refunds = 0;
    const refusedAtFirst = (type: string) => (type === "refund" && refunds++ === 0 ? "refuses" : "answers");
    const left = writes.filter((it) => it !== "away");
    return installation([USD], { line: (_, type) => refusedAtFirst(type) }).join((journal) => {
      const conclude: Journal["conclude"] = async (conclusion) => {
        const written = left.shift();
        return written === "taken-over" ? written : journal.conclude(conclusion);
      };
      return unreliable({ ...journal, conclude }, { conclude: writes.map((it) => (it === "away" ? it : "fine")) });
    }, answers);
  };
  const isResolved = async ({ parts, find, resolve }: ReturnType<typeof node>, id: string) => {
    assert.deepEqual(inWords(await find(id)), ["sale 100 approved", "refund 100 pending"]);
    assert.deepEqual([parts.retryQueue.size, parts.inFlight.size], [0, 0]);
    await resolve();
    assert.deepEqual(inWords(await find(id)), ["sale 100 approved", "refund 100 approved"]);
  };

  test("at once", async () => {
    const dead = node(["concluded", "taken-over"]);
    const id = idOf(await dead.charge());
    assert.equal(resultInWords(await dead.followUp("refund", id)), "202 sale 100 approved, refund 100 pending");
    await isResolved(dead, id);
  });

  test("where its answer cannot be rendered", async () => {
    const answers: Render = (end, at) => {
      if (end.kind === "not-sent") throw new Error("broken rendering");
      return render(end, at);
    };
    const dead = node(["concluded", "taken-over"], answers);
    const id = idOf(await dead.charge());
    await assert.rejects(dead.followUp("refund", id), /broken rendering/);
    await isResolved(dead, id);
  });

  test("where its outcome can be written only later", async () => {
    const dead = node(["concluded", "away", "taken-over"]);
    const id = idOf(await dead.charge());
    await assert.rejects(dead.followUp("refund", id), OutcomeNotRecorded);
    assert.equal(dead.parts.inFlight.size, 1);
    await dead.parts.retryQueue.retry();
    await isResolved(dead, id);
  });
});

test("a fault while the answer is rendered costs the answer, and not the outcome", async () => {
  const { join, memory, merchantId } = installation([USD]);
  const broken = () => {
    throw new Error("broken rendering");
  };
  const { charge, parts } = join(undefined, broken);
  await assert.rejects(charge({ claim: KEY }), /broken rendering/);
  const [stored] = memory.transactionsOf(merchantId);
  assert.deepEqual(stored && inWords(stored.transaction), ["sale 100 approved"]);
  assert.equal(parts.inFlight.size, 0);
  assert.equal(resultInWords(await join().charge({ claim: KEY })), "replayed 200 sale 100 approved");
});
