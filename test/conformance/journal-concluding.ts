// Conformance: an event ends once. The outcome that was written first stands, and a next step begins with it or not at all.

import assert from "node:assert/strict";
import type { Conclusion } from "../../src/journal/journal.ts";
import type { FirstOutcome } from "../../src/payment/outcome.ts";
import type { Event, Transaction } from "../../src/payment/transaction.ts";
import { approved, claim, conclusion, ended, followUp, intent } from "./intents.ts";
import type { JournalNode, Rule } from "./journal-subject.ts";
import { found, opened } from "./journal-writing.ts";

const ANSWER = { key: "key", status: 200, body: "first" };

export function concludingRules(rule: Rule): void {
  rule("every outcome is found as it was written", async ({ nodes: [node, other], newMerchant }) => {
    const at = new Date(node.clock.now().getTime() + 1500);
    const settlement = {
      cutoffAt: new Date(at.getTime() + 1),
      settledAt: new Date(at.getTime() + 2),
      visibleAt: new Date(at.getTime() + 3),
    };
    const outcomes: readonly FirstOutcome[] = [
      approved(at),
      approved(at, settlement),
      ended("declined", at),
      { ...ended("declined", at), kind: "declined", category: "try-later" },
      ended("already-settled", at),
      ended("unanswered", at),
      ended("not-sent", at),
    ];
    const nothingSaid = { ...ended("declined", at), kind: "declined", category: "try-later" } as const;
    const alone = outcomes.map((outcome) => [outcome]);
    // At once: what one of them says, others may not.
    for (const together of [...alone, outcomes, [nothingSaid, nothingSaid], [ended("unanswered", at), approved(at)]]) {
      const transactions = await Promise.all(together.map(async () => opened(node, await newMerchant())));
      const ends = await Promise.all(
        transactions.map((each, nth) => {
          const outcome = together[nth] as FirstOutcome;
          return node.journal.conclude(conclusion(each, each.events[0], outcome));
        }),
      );
      assert.deepEqual(
        ends,
        together.map(() => "concluded"),
      );
      for (const [nth, transaction] of transactions.entries())
        assert.deepEqual((await found(other.journal, transaction)).events[0].outcome, together[nth]);
    }
  });

  rule("that an approved event failed after all is written beside it, once", async ({ nodes, newMerchant }) => {
    const [{ journal, clock }, other] = nodes;
    const transaction = await opened(nodes[0], await newMerchant());
    const approval = approved(clock.now());
    assert.ok(approval.kind === "approved");
    const end = conclusion(transaction, transaction.events[0], approval);
    await journal.conclude(end);
    const at = new Date(clock.now().getTime() + 1500);
    const failure = { at, processorResponse: approval.processorResponse, category: "refused" } as const;
    await Promise.all([journal.failLate(end, failure), other.journal.failLate(end, failure)]);
    await other.journal.failLate(end, { ...failure, at: new Date(at.getTime() + 1) });
    const [event] = (await found(other.journal, transaction)).events;
    assert.deepEqual(event.outcome, { kind: "failed-after-all", ...failure, approval });
  });

  rule(
    "what a processor did by itself is there with its outcome or not at all, and once at its place",
    async ({ nodes, newMerchant }) => {
      const [{ journal, clock }, other] = nodes;
      const transaction = await opened(nodes[0], await newMerchant());
      const [charge] = transaction.events;
      await journal.conclude(conclusion(transaction, charge, approved(clock.now())));
      const done = (byProcessor: string) => {
        const event = followUp(transaction, "refund", { sequence: 2, byProcessor });
        return [event, conclusion(transaction, event, approved(clock.now()))] as const;
      };
      const [one, two] = [done("re_1"), done("re_2")];
      const written = await Promise.all([journal.appendEnded(...one), other.journal.appendEnded(...two)]);
      assert.deepEqual(written.toSorted(), ["appended", "conflict"]);
      const { events } = await found(other.journal, transaction);
      const [there] = written[0] === "appended" ? one : two;
      assert.deepEqual(
        events.map(({ id, byProcessor, outcome }) => [id, byProcessor, outcome?.kind]),
        [
          [charge.id, undefined, "approved"],
          [there.id, there.byProcessor, "approved"],
        ],
      );
    },
  );

  rule(
    "an outcome is written once: the first stands, and no answer comes with the second",
    async ({ nodes, newMerchant }) => {
      const [{ journal, clock }, other] = nodes;
      const transaction = intent(await newMerchant(), clock.now());
      await journal.open(transaction, claim("key"));
      const [event] = transaction.events;
      assert.equal(await journal.conclude(conclusion(transaction, event, ended("declined", clock.now()))), "concluded");
      for (const outcome of [approved(clock.now()), ended("not-sent", clock.now()), ended("declined", clock.now())]) {
        const second = conclusion(transaction, event, outcome, { keyedResponse: ANSWER });
        assert.equal(await other.journal.conclude(second), "already-concluded");
      }
      assert.equal((await found(journal, transaction)).events[0].outcome?.kind, "declined");
      assert.equal((await journal.findKey(transaction.merchantId, "key"))?.response, null);
    },
  );

  rule("beside an event that has ended already, others end in the same group", async ({ nodes, newMerchant }) => {
    const [{ journal, clock }, other] = nodes;
    const merchantId = await newMerchant();
    const ends: Conclusion[] = [];
    for (let nth = 0; nth < 3; nth++) {
      const transaction = intent(merchantId, clock.now());
      await journal.open(transaction, claim(transaction.id));
      const keyedResponse = { ...ANSWER, key: transaction.id };
      ends.push(conclusion(transaction, transaction.events[0], approved(clock.now()), { keyedResponse }));
    }
    const [first] = ends;
    assert.ok(first);
    await other.journal.conclude({ ...first, keyedResponse: null });
    const written = await Promise.all(ends.map((end) => journal.conclude(end)));
    assert.deepEqual(written, ["already-concluded", "concluded", "concluded"]);
    const stored = await Promise.all(ends.map(({ transactionId }) => journal.findKey(merchantId, transactionId)));
    assert.deepEqual(
      stored.map((key) => key?.response?.status),
      [undefined, 200, 200],
    );
  });

  rule("of two outcomes at once, no answer comes with the one that does not stand", async ({ nodes, newMerchant }) => {
    const [{ journal, clock }] = nodes;
    const transaction = intent(await newMerchant(), clock.now());
    await journal.open(transaction, claim("key"));
    const [event] = transaction.events;
    const ends = await Promise.all([
      journal.conclude(conclusion(transaction, event, ended("unanswered", clock.now()))),
      journal.conclude(conclusion(transaction, event, approved(clock.now()), { keyedResponse: ANSWER })),
    ]);
    const stored = (await journal.findKey(transaction.merchantId, "key"))?.response ?? null;
    assert.deepEqual([ends, stored], [["concluded", "already-concluded"], null]);
  });

  rule("of two outcomes at once one is written, and the other's writer is told so", async ({ nodes, newMerchant }) => {
    for (const [one, other] of [nodes, [nodes[0], nodes[0]]] as const) {
      const transaction = await opened(one, await newMerchant());
      const outcomes = [approved(one.clock.now()), ended("unanswered", one.clock.now())] as const;
      const ends = await Promise.all([
        one.journal.conclude(conclusion(transaction, transaction.events[0], outcomes[0])),
        other.journal.conclude(conclusion(transaction, transaction.events[0], outcomes[1])),
      ]);
      assert.deepEqual([...ends].sort(), ["already-concluded", "concluded"]);
      const stands = outcomes[ends.indexOf("concluded")];
      assert.deepEqual((await found(one.journal, transaction)).events[0].outcome, stands);
    }
  });

  rule(
    "the intent of the next step is written with the outcome, and the answer is left to it",
    async ({ nodes, newMerchant }) => {
      const [{ journal, clock }] = nodes;
      const transaction = intent(await newMerchant(), clock.now());
      await journal.open(transaction, claim("key"));
      const [event] = transaction.events;
      const next: Event = { ...followUp(transaction, "refund"), reversal: true };
      const step = conclusion(transaction, event, ended("declined", clock.now()), { next, keyedResponse: ANSWER });
      assert.equal(await journal.conclude(step), "concluded");
      assert.deepEqual((await found(journal, transaction)).events[1], next);
      assert.equal((await journal.findKey(transaction.merchantId, "key"))?.response, null);
    },
  );

  rule(
    "where the next step's place is taken the outcome is written all the same, and the answer with it",
    async ({ nodes, newMerchant }) => {
      const [{ journal, clock }, other] = nodes;
      const transaction = intent(await newMerchant(), clock.now());
      await journal.open(transaction, claim("key"));
      const [event] = transaction.events;
      const first = followUp(transaction, "capture");
      await other.journal.append(transaction.merchantId, transaction.id, first, null);
      const next = followUp(transaction, "refund");
      const step = conclusion(transaction, event, approved(clock.now()), { next, keyedResponse: ANSWER });
      assert.equal(await journal.conclude(step), "conflict");
      const stored = await found(journal, transaction);
      assert.deepEqual([stored.events[0].outcome?.kind, stored.events[1]], ["approved", first]);
      assert.deepEqual((await journal.findKey(transaction.merchantId, "key"))?.response, {
        status: 200,
        body: "first",
      });
    },
  );

  rule(
    "a next step beyond a limit on the card's tries is not written, the outcome and the answer are",
    async ({ nodes: [{ journal, clock }, other], newMerchant }) => {
      const merchantId = await newMerchant();
      const [cardKey, limits] = [Buffer.alloc(32, 7), [{ tries: 3, withinMs: 3_600_000 }]];
      const tried = async (given: Partial<Conclusion>, key?: Buffer) => {
        const transaction = intent(merchantId, clock.now());
        await journal.open({ ...transaction, ...(key && { cardKey: key }) }, claim(transaction.id));
        const [event] = transaction.events;
        const next: Event = { ...event, id: transaction.id, sequence: 2 };
        const answer = { ...ANSWER, key: transaction.id };
        const end = conclusion(transaction, event, ended("declined", clock.now()), {
          next,
          limits,
          keyedResponse: answer,
          ...given,
        });
        const written = await other.journal.conclude(end);
        const stored = await found(other.journal, transaction);
        const response = (await other.journal.findKey(merchantId, transaction.id))?.response;
        return [written, stored.events.length, stored.events[0].outcome?.kind, response?.status];
      };
      assert.deepEqual(await tried({ outcome: approved(clock.now()) }, cardKey), [
        "concluded",
        2,
        "approved",
        undefined,
      ]);
      // That next step has no outcome yet, and may have been sent: it is the first try.
      assert.deepEqual(await tried({ outcome: ended("not-sent", clock.now()) }, cardKey), [
        "concluded",
        2,
        "not-sent",
        undefined,
      ]);
      assert.deepEqual(await tried({}, cardKey), ["limit-reached", 1, "declined", 200]);
      assert.deepEqual(await tried({}, Buffer.alloc(32, 8)), ["concluded", 2, "declined", undefined]);
      assert.deepEqual(await tried({}), ["limit-reached", 1, "declined", 200]);
    },
  );

  rule("of one card's declines at once only as many go on as its limit leaves", async ({ nodes, newMerchant }) => {
    const merchantId = await newMerchant();
    const cardKey = Buffer.alloc(32, 7);
    const ends: Conclusion[] = [];
    for (let nth = 0; nth < 6; nth++) {
      const transaction = intent(merchantId, nodes[0].clock.now());
      await nodes[0].journal.open({ ...transaction, cardKey }, null);
      const [event] = transaction.events;
      const next: Event = { ...event, id: transaction.id, sequence: 2 };
      const limits = [{ tries: 8, withinMs: 3_600_000 }];
      ends.push(conclusion(transaction, event, ended("declined", nodes[0].clock.now()), { next, limits }));
    }
    const written = await Promise.all(
      ends.map((end, nth) => (nth % 2 === 0 ? nodes[0] : nodes[1]).journal.conclude(end)),
    );
    assert.equal(written.filter((one) => one === "concluded").length, 2);
    assert.equal(written.filter((one) => one === "limit-reached").length, 4);
  });

  rule(
    "an event that has an outcome already gets no next step",
    async ({ nodes: [{ journal, clock }, other], newMerchant }) => {
      const transaction = await opened(other, await newMerchant());
      const end = (outcome: FirstOutcome, given: Partial<Conclusion>) =>
        journal.conclude(conclusion(transaction, transaction.events[0], outcome, given));
      await end(approved(clock.now()), {});
      const next = followUp(transaction, "refund");
      assert.equal(await end(ended("declined", clock.now()), { next }), "already-concluded");
      assert.equal((await found(journal, transaction)).events.length, 1);
    },
  );

  rule("that nothing was sent is not written of an event that another node took over", async (subject) => {
    const {
      nodes: [dead, alive],
      newMerchant,
      declareDead,
    } = subject;
    const transaction = await captureInFlight(dead, await newMerchant());
    const [, capture] = transaction.events;
    assert.ok(capture);
    await declareDead(dead);
    await alive.backlog.takeOverFromDeadNodes(alive.clock.now());
    const unsent = conclusion(transaction, capture, ended("not-sent", dead.clock.now()));
    assert.equal(await dead.journal.conclude(unsent), "taken-over");
    // Its heartbeat changes nothing about events that were taken over before.
    await dead.backlog.heartbeat(dead.clock.now());
    assert.equal(await dead.journal.conclude(unsent), "taken-over");
    assert.equal((await found(dead.journal, transaction)).events[1]?.outcome, null);
    assert.equal(await alive.journal.conclude({ ...unsent, outcome: approved(alive.clock.now()) }), "concluded");
    assert.equal(await dead.journal.conclude(unsent), "already-concluded");
  });

  rule("that nothing was sent is written before a takeover, which then finds an outcome", async (subject) => {
    const {
      nodes: [dead, alive],
      newMerchant,
      declareDead,
    } = subject;
    const transaction = await captureInFlight(dead, await newMerchant());
    const [, capture] = transaction.events;
    assert.ok(capture);
    await declareDead(dead);
    assert.equal(
      await dead.journal.conclude(conclusion(transaction, capture, ended("not-sent", dead.clock.now()))),
      "concluded",
    );
    assert.equal(await alive.backlog.takeOverFromDeadNodes(alive.clock.now()), 0);
  });
}

async function captureInFlight({ journal, clock, backlog }: JournalNode, merchantId: string): Promise<Transaction> {
  await backlog.heartbeat(clock.now());
  const transaction = intent(merchantId, clock.now());
  await journal.open(transaction, null);
  await journal.conclude(conclusion(transaction, transaction.events[0], approved(clock.now())));
  await journal.append(merchantId, transaction.id, followUp(transaction, "capture"), null);
  return found(journal, transaction);
}
