import assert from "node:assert/strict";
import { test } from "node:test";
import { idOf, installation, record, render } from "../../test/gateway-in-memory.ts";
import { unreliable } from "../../test/unreliable-journal.ts";
import type { Transaction } from "../payment/transaction.ts";
import { NOTHING_CHECKED } from "../payment/verification.ts";
import type { Answer } from "../processors/processor.ts";
import { attemptToResolve, endOpen } from "./attempt.ts";
import { conclusionOf, neverAnswered } from "./outcome.ts";
import type { Parts } from "./parts.ts";

const USD = record();
const APPROVED: Answer = {
  kind: "approved",
  processorResponse: { code: "00", message: "APPROVED", transactionId: "1", authCode: "123456", ...NOTHING_CHECKED },
};

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

test("a charge that is given up while its processor is asked for its end is taken back in the same attempt, and waits until then", async () => {
  const waiting: number[] = [];
  const made = installation([USD], {
    line: (_, type) => {
      if (type === "reversal") waiting.push(made.memory.unresolved);
      return "answers";
    },
  });
  const { join, books, memory, merchantId } = made;
  const dead = join((journal) => unreliable(journal, { conclude: ["stops before"] }));
  void dead.charge();
  while (books.asked.length === 0) await new Promise(setImmediate);
  const [stored] = memory.transactionsOf(merchantId);
  assert.ok(stored);
  const { transaction } = stored;
  const [event] = transaction.events;
  memory.declareDead(dead.id);
  const elsewhere = join();
  const alive = join((journal) =>
    unreliable(journal, {
      conclude: [
        async () => {
          const givenUp = neverAnswered({ transaction, event }, made.clock.now());
          await elsewhere.parts.journal.conclude(conclusionOf(transaction, event, givenUp, undefined));
        },
      ],
    }),
  );
  await alive.backlog.takeOverFromDeadNodes(made.clock.now());
  const [due] = await alive.backlog.leaseDue(USD.id, made.clock.now(), 10_000, 1);
  assert.ok(due);
  const attempted = await attemptToResolve(told(alive.parts, APPROVED), due, render);
  assert.deepEqual(attempted, { kind: "answered", confirmed: true });
  assert.deepEqual(
    books.asked.map(({ type, given }) => `${type} ${given}`),
    ["sale approved", "reversal confirmed"],
  );
  assert.deepEqual(waiting, [1]);
  assert.equal((await alive.find(transaction.id)).events[0].outcome?.kind, "unanswered");
});
