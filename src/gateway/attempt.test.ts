import assert from "node:assert/strict";
import { test } from "node:test";
import { type Installation, idOf, installation, inWords, record, render } from "../../test/gateway-in-memory.ts";
import { type Troubles, unreliable } from "../../test/unreliable-journal.ts";
import type { Transaction } from "../payment/transaction.ts";
import { NOTHING_CHECKED } from "../payment/verification.ts";
import type { Answer } from "../processors/processor.ts";
import { attemptToResolve, endOpen } from "./attempt.ts";
import { conclusionOf, neverAnswered, outcomeOf } from "./outcome.ts";
import type { Parts } from "./parts.ts";

const USD = record();
const APPROVED = {
  kind: "approved",
  processorResponse: { code: "00", message: "APPROVED", transactionId: "1", authCode: "123456", ...NOTHING_CHECKED },
} as const satisfies Answer;

test("news of a charge that was given up meanwhile is not its end: the charge is still taken back", async () => {
  const { join, books, memory } = installation([USD], { line: () => "loses answer" });
  const { parts, charge } = join();
  const id = idOf(await charge());
  const stored = await parts.journal.find(USD.merchantId, id);
  const [event] = stored?.events ?? [];
  assert.ok(stored && event?.outcome?.kind === "unanswered");
  const open = { ...event, outcome: null };
  const transaction: Transaction = { ...stored, events: [open] };
  const atWork = await parts.processors.find(USD.merchantId, event.processorId);
  assert.equal(await endOpen(parts, { transaction, event: open, atWork }, APPROVED, render), false);
  assert.equal((await parts.journal.find(USD.merchantId, id))?.events[0]?.outcome?.kind, "unanswered");
  assert.deepEqual([memory.unresolved, books.asked.length], [1, 1]);
});

/** As if the processor could be asked what became of a charge, and said this. */
const told = ({ processors, ...parts }: Parts, answer: Answer): Parts => ({
  ...parts,
  processors: {
    ...processors,
    find: async (merchantId, processorId) => {
      const atWork = await processors.find(merchantId, processorId);
      return { ...atWork, processor: { ...atWork.processor, inquire: async () => answer } };
    },
  },
});

/** A charge whose gateway stopped before its outcome was written, to be resolved by a node with these troubles. */
async function leftByDead(made: Installation, troubles: (transaction: Transaction) => Troubles = () => ({})) {
  const { join, books, memory, merchantId, clock } = made;
  const dead = join((journal) => unreliable(journal, { conclude: ["stops before"] }));
  void dead.charge();
  while (books.asked.length === 0) await new Promise(setImmediate);
  const [stored] = memory.transactionsOf(merchantId);
  assert.ok(stored);
  const { transaction } = stored;
  memory.declareDead(dead.id);
  const alive = join((journal) => unreliable(journal, troubles(transaction)));
  await alive.backlog.takeOverFromDeadNodes(clock.now());
  const [due] = await alive.backlog.leaseDue(USD.id, clock.now(), 10_000, 1);
  assert.ok(due);
  return { alive, due, transaction };
}
const typesAsked = ({ books }: Installation) => books.asked.map(({ type }) => type);

test("a charge that is approved while it is given up is not taken back", async () => {
  const made = installation([USD]);
  const elsewhere = made.join().parts.journal;
  const { alive, due } = await leftByDead(made, (transaction) => ({
    conclude: [
      async () => {
        const [event] = transaction.events;
        const approved = outcomeOf({ transaction, event }, APPROVED, USD.schedule, made.clock.now());
        assert.ok(approved);
        await elsewhere.conclude(conclusionOf(transaction, event, approved, USD.schedule));
      },
    ],
  }));
  assert.deepEqual(await attemptToResolve(alive.parts, due, render), { kind: "needless" });
  assert.deepEqual(typesAsked(made), ["sale"]);
});

test("a charge left open, of which its processor says neither yes nor no, is given up and taken back", async () => {
  const made = installation([USD]);
  const { alive, due } = await leftByDead(made);
  const { processorResponse } = APPROVED;
  const unknown = {
    kind: "undecided",
    why: "a new status",
    processorResponse,
    category: "refused",
    repeats: 60,
  } as const;
  assert.deepEqual(await attemptToResolve(told(alive.parts, unknown), due, render), {
    kind: "answered",
    confirmed: true,
  });
  assert.deepEqual(typesAsked(made), ["sale", "reversal"]);
});

test("a reversal that the processor has accepted is asked for once more in a day, should nothing be told of it", async () => {
  const { alive, due } = await leftByDead(installation([USD]));
  const { processor } = await alive.parts.processors.find(USD.merchantId, USD.id);
  processor.timeoutReversal = async () => ({ kind: "pending", why: "accepted" });
  const attempted = await attemptToResolve(alive.parts, due, render);
  assert.deepEqual(attempted, { kind: "waiting", asked: true, why: "accepted", pauseMs: 86_400_000 });
});

test("a refund that wants the payer to act has failed, and the charge is not taken back; the repeat of one is in doubt", async () => {
  for (const [first, attempted, outcome] of [
    ["answers", undefined, "declined"],
    ["loses question", "undecided", "pending"],
  ] as const) {
    const made = installation([USD], { line: (_, type) => (type === "refund" ? first : "answers") });
    const { parts, charge, followUp, backlog, find } = made.join();
    const id = idOf(await charge());
    const { processor } = await parts.processors.find(USD.merchantId, USD.id);
    const { processorResponse } = APPROVED;
    if (first === "loses question") await followUp("refund", id);
    processor.followUp = async () => ({ kind: "action-required", processorResponse });
    if (first === "answers") await followUp("refund", id);
    const [due] = await backlog.leaseDue(USD.id, made.clock.now(), 10_000, 1);
    assert.equal(due && (await attemptToResolve(parts, due, render)).kind, attempted);
    assert.deepEqual(inWords(await find(id)), ["sale 100 approved", `refund 100 ${outcome}`]);
    assert.ok(!typesAsked(made).includes("reversal"));
  }
});

test("a charge that is given up while its processor is asked for its end is taken back in the same attempt, and waits until then", async () => {
  const waiting: number[] = [];
  const made = installation([USD], {
    line: (_, type) => {
      if (type === "reversal") waiting.push(made.memory.unresolved);
      return "answers";
    },
  });
  const elsewhere = made.join().parts.journal;
  const { alive, due, transaction } = await leftByDead(made, (left) => ({
    conclude: [
      async () => {
        const [event] = left.events;
        const givenUp = neverAnswered({ transaction: left, event }, made.clock.now());
        await elsewhere.conclude(conclusionOf(left, event, givenUp, undefined));
      },
    ],
  }));
  const attempted = await attemptToResolve(told(alive.parts, APPROVED), due, render);
  assert.deepEqual(attempted, { kind: "answered", confirmed: true });
  assert.deepEqual(
    made.books.asked.map(({ type, given }) => `${type} ${given}`),
    ["sale approved", "reversal confirmed"],
  );
  assert.deepEqual(waiting, [1]);
  assert.equal((await alive.find(transaction.id)).events[0].outcome?.kind, "unanswered");
});
