// Conformance: an unresolved event is leased to one node at a time until it is resolved, and those of a dead node are found.

import assert from "node:assert/strict";
import { v7 as uuidv7 } from "uuid";
import type { Remedy } from "../../src/journal/journal.ts";
import type { Attempt, UnresolvedEvent } from "../../src/journal/unresolved.ts";
import type { Transaction } from "../../src/payment/transaction.ts";
import { approved, claim, conclusion, ended, followUp, intent } from "./intents.ts";
import type { JournalNode, Rule } from "./journal-subject.ts";
import { opened } from "./journal-writing.ts";

const LEASE_MS = 60_000;
const MOST = 100;
const later = (instant: Date, ms: number): Date => new Date(instant.getTime() + ms);

const due = async ({ backlog }: JournalNode, now: Date, most = MOST): Promise<readonly UnresolvedEvent[]> => {
  const taken: UnresolvedEvent[] = [];
  for (const id of await backlog.dueProcessors(now)) taken.push(...(await backlog.leaseDue(id, now, LEASE_MS, most)));
  return taken;
};
const failed = (at: Date): Attempt => ({ at, said: "no answer within 100 ms" });

const unresolved = (
  transaction: Transaction,
  sequence: number,
  remedy: Remedy,
  attempts: number,
  undecided = 0,
): UnresolvedEvent => ({
  merchantId: transaction.merchantId,
  transactionId: transaction.id,
  sequence,
  processorId: transaction.events[0].processorId,
  remedy,
  attempts,
  undecided,
});

const withProcessor = (transaction: Transaction, processorId: string): Transaction => ({
  ...transaction,
  events: [{ ...transaction.events[0], processorId }],
});

export function backlogRules(rule: Rule): void {
  rule(
    "what a conclusion leaves to do is due at once, is leased to one node until the lease ends, and then again",
    async (subject) => {
      const {
        nodes: [node, other],
        newMerchant,
      } = subject;
      const now = node.clock.now();
      const transaction = await opened(node, await newMerchant());
      const unanswered = conclusion(transaction, transaction.events[0], ended("unanswered", now), {
        remedy: "reverse",
      });
      await node.journal.conclude(unanswered);
      assert.deepEqual(await due(node, now), [unresolved(transaction, 1, "reverse", 1)]);
      assert.deepEqual(await due(other, later(now, LEASE_MS - 1)), []);
      assert.deepEqual(await due(other, later(now, LEASE_MS)), [unresolved(transaction, 1, "reverse", 2)]);
      await other.backlog.resolved(unresolved(transaction, 1, "reverse", 2), later(now, LEASE_MS));
      assert.deepEqual(await due(node, later(now, 10 * LEASE_MS)), []);
    },
  );

  rule("what is put off is due then, and not before", async ({ nodes: [node], newMerchant }) => {
    const now = node.clock.now();
    const transaction = await opened(node, await newMerchant());
    await node.journal.defer(unresolved(transaction, 1, "repeat", 0), "repeat", later(now, 5), null);
    assert.deepEqual(await due(node, later(now, 4)), []);
    assert.deepEqual(await due(node, later(now, 5)), [unresolved(transaction, 1, "repeat", 1)]);
    await node.backlog.putOff(unresolved(transaction, 1, "repeat", 1), failed(now), later(now, 10));
    assert.deepEqual(await due(node, later(now, 9)), []);
    assert.deepEqual(await due(node, later(now, 10)), [unresolved(transaction, 1, "repeat", 2)]);
  });

  rule(
    "of each processor record so many are taken, what is longest due first",
    async ({ nodes: [node], newMerchant }) => {
      const now = node.clock.now();
      const merchantId = await newMerchant();
      const [first, second] = [uuidv7(), uuidv7()];
      const waiting = async (processorId: string, dueAt: Date) => {
        const transaction = withProcessor(intent(merchantId, now), processorId);
        await node.journal.open(transaction, null);
        await node.journal.defer(unresolved(transaction, 1, "repeat", 0), "repeat", dueAt, null);
        return transaction;
      };
      const [late, early, other] = [
        await waiting(first, later(now, 2)),
        await waiting(first, later(now, 1)),
        await waiting(second, later(now, 3)),
      ];
      const take = (processorId: string) => node.backlog.leaseDue(processorId, later(now, 3), LEASE_MS, 1);
      const theirs = async (at: Date) =>
        (await node.backlog.dueProcessors(at)).filter((id) => id === first || id === second).sort();
      assert.deepEqual(await theirs(later(now, 2)), [first]);
      assert.deepEqual(await theirs(later(now, 3)), [first, second].sort());
      assert.deepEqual(await take(first), [unresolved(early, 1, "repeat", 1)]);
      assert.deepEqual(await take(first), [unresolved(late, 1, "repeat", 1)]);
      assert.deepEqual(await take(first), []);
      assert.deepEqual(await take(second), [unresolved(other, 1, "repeat", 1)]);
      for (const one of [late, early, other]) await node.backlog.resolved(unresolved(one, 1, "repeat", 1), null);
    },
  );

  rule("of a transaction the first event that waits is taken, and the next when it is resolved", async (subject) => {
    const [node] = subject.nodes;
    const now = node.clock.now();
    const transaction = await opened(node, await subject.newMerchant());
    await node.journal.conclude(conclusion(transaction, transaction.events[0], approved(now)));
    const refund = followUp(transaction, "refund");
    for (const sequence of [2, 3])
      await node.journal.append(transaction.merchantId, transaction.id, { ...refund, id: uuidv7(), sequence }, null);
    await node.journal.defer(unresolved(transaction, 3, "repeat", 0), "repeat", now, null);
    await node.journal.defer(unresolved(transaction, 2, "repeat", 0), "repeat", now, null);
    assert.deepEqual(await due(node, now), [unresolved(transaction, 2, "repeat", 1)]);
    assert.deepEqual(await due(node, now), []);
    await node.backlog.putOff(unresolved(transaction, 2, "repeat", 1), failed(now), later(now, 10));
    assert.deepEqual(await due(node, later(now, 9)), []);
    assert.deepEqual(await due(node, later(now, 10)), [unresolved(transaction, 2, "repeat", 2)]);
    await node.backlog.resolved(unresolved(transaction, 2, "repeat", 2), null);
    assert.deepEqual(await due(node, later(now, 10)), [unresolved(transaction, 3, "repeat", 1)]);
    await node.backlog.resolved(unresolved(transaction, 3, "repeat", 1), null);
  });

  rule("what its processor has accepted is put off as such, and stops nothing that comes after it", async (subject) => {
    const [node] = subject.nodes;
    const now = node.clock.now();
    const transaction = await opened(node, await subject.newMerchant());
    await node.journal.conclude(conclusion(transaction, transaction.events[0], approved(now)));
    const refund = followUp(transaction, "refund");
    for (const sequence of [2, 3]) {
      await node.journal.append(transaction.merchantId, transaction.id, { ...refund, id: uuidv7(), sequence }, null);
      await node.journal.defer(unresolved(transaction, sequence, "repeat", 0), "repeat", now, null);
    }
    assert.deepEqual(await due(node, now), [unresolved(transaction, 2, "repeat", 1)]);
    await node.backlog.putOff(unresolved(transaction, 2, "repeat", 1), failed(now), now, "await");
    assert.deepEqual(
      (await due(node, now)).toSorted((one, other) => one.sequence - other.sequence),
      [unresolved(transaction, 2, "await", 2), unresolved(transaction, 3, "repeat", 1)],
    );
    await node.backlog.putOff(unresolved(transaction, 2, "await", 2), failed(now), later(now, 1));
    assert.deepEqual(await due(node, later(now, 1)), [unresolved(transaction, 2, "await", 3)]);
    for (const sequence of [2, 3]) await node.backlog.resolved(unresolved(transaction, sequence, "repeat", 1), null);
  });

  rule(
    "what is left to an operator is not due when its processor is back, and stops nothing after it",
    async (subject) => {
      const [node] = subject.nodes;
      const now = node.clock.now();
      const transaction = await opened(node, await subject.newMerchant());
      await node.journal.conclude(conclusion(transaction, transaction.events[0], approved(now)));
      const refund = followUp(transaction, "refund");
      for (const sequence of [2, 3]) {
        await node.journal.append(transaction.merchantId, transaction.id, { ...refund, id: uuidv7(), sequence }, null);
        await node.journal.defer(unresolved(transaction, sequence, "repeat", 0), "repeat", now, null);
      }
      const undecided = { ...failed(now), undecided: true };
      assert.deepEqual(await due(node, now), [unresolved(transaction, 2, "repeat", 1)]);
      await node.backlog.putOff(unresolved(transaction, 2, "repeat", 1), undecided, now);
      assert.deepEqual(await due(node, now), [unresolved(transaction, 2, "repeat", 2, 1)]);
      await node.backlog.putOff(unresolved(transaction, 2, "repeat", 2), undecided, later(now, 5), "operator");
      await node.backlog.dueAtOnce(transaction.events[0].processorId, now, null);
      assert.deepEqual(await due(node, now), [unresolved(transaction, 3, "repeat", 1)]);
      assert.deepEqual(await due(node, later(now, 5)), [unresolved(transaction, 2, "operator", 3, 2)]);
      await node.backlog.putOff(unresolved(transaction, 2, "operator", 3), null, later(now, 10));
      assert.deepEqual(await due(node, later(now, 10)), [unresolved(transaction, 2, "operator", 4, 2)]);
      for (const sequence of [2, 3]) await node.backlog.resolved(unresolved(transaction, sequence, "repeat", 1), null);
    },
  );

  rule("of a processor that is back all is due that was put off, and nothing that is leased", async (subject) => {
    const [node] = subject.nodes;
    const now = node.clock.now();
    const merchantId = await subject.newMerchant();
    const [put, leased] = [await opened(node, merchantId), await opened(node, merchantId)];
    const { processorId } = put.events[0];
    for (const one of [put, leased]) await node.journal.defer(unresolved(one, 1, "repeat", 0), "repeat", now, null);
    assert.equal((await due(node, now)).length, 2);
    await node.backlog.putOff(unresolved(put, 1, "repeat", 1), failed(now), later(now, 10 * LEASE_MS));
    await node.backlog.dueAtOnce(uuidv7(), now, null);
    assert.deepEqual(await due(node, now), []);
    await node.backlog.dueAtOnce(processorId, now, null);
    assert.deepEqual(await due(node, now), [unresolved(put, 1, "repeat", 2)]);
    for (const one of [put, leased]) await node.backlog.resolved(unresolved(one, 1, "repeat", 1), null);
  });

  rule("of what was put off so many are due at once as are asked for, what is due first", async (subject) => {
    const [node] = subject.nodes;
    const now = node.clock.now();
    const merchantId = await subject.newMerchant();
    const processorId = uuidv7();
    const waiting: Transaction[] = [];
    for (const ms of [3, 1, 2]) {
      const transaction = withProcessor(intent(merchantId, now), processorId);
      await node.journal.open(transaction, null);
      await node.journal.defer(unresolved(transaction, 1, "repeat", 0), "repeat", later(now, ms * LEASE_MS), null);
      waiting.push(transaction);
    }
    await node.backlog.dueAtOnce(processorId, now, 1);
    const taken = await node.backlog.leaseDue(processorId, now, LEASE_MS, MOST);
    assert.deepEqual(
      taken.map(({ transactionId }) => transactionId),
      [waiting[1]?.id],
    );
    for (const one of waiting) await node.backlog.resolved(unresolved(one, 1, "repeat", 1), null);
  });

  rule("two nodes that look at once share what is due", async ({ nodes, newMerchant }) => {
    const merchantId = await newMerchant();
    const now = nodes[0].clock.now();
    const transactions = await Promise.all(Array.from({ length: 20 }, () => opened(nodes[0], merchantId)));
    for (const one of transactions) await nodes[0].journal.defer(unresolved(one, 1, "repeat", 0), "repeat", now, null);
    const taken = (await Promise.all([...nodes, ...nodes].map((node) => due(node, now, 8)))).flat();
    taken.push(...(await due(nodes[0], now)));
    assert.deepEqual(taken.map(({ transactionId }) => transactionId).sort(), transactions.map(({ id }) => id).sort());
  });

  rule(
    "a deferred event's answer is stored, and it is unresolved once however often it is deferred",
    async (subject) => {
      const {
        nodes: [node, other],
        newMerchant,
      } = subject;
      const transaction = intent(await newMerchant(), node.clock.now());
      await node.journal.open(transaction, claim("key"));
      const answer = { key: "key", status: 202, body: "pending" };
      for (const { journal } of [node, other])
        await journal.defer(unresolved(transaction, 1, "repeat", 0), "repeat", node.clock.now(), answer);
      assert.equal((await node.journal.findKey(transaction.merchantId, "key"))?.response?.status, 202);
      assert.deepEqual(await due(node, node.clock.now()), [unresolved(transaction, 1, "repeat", 1)]);
    },
  );

  rule("what has its outcome by then is not deferred, and its answer is stored all the same", async (subject) => {
    const [node] = subject.nodes;
    const now = node.clock.now();
    const transaction = intent(await subject.newMerchant(), now);
    await node.journal.open(transaction, claim("key"));
    await node.journal.conclude(conclusion(transaction, transaction.events[0], approved(now)));
    const answer = { key: "key", status: 202, body: "pending" };
    await node.journal.defer(unresolved(transaction, 1, "await", 0), "await", now, answer);
    assert.deepEqual(await due(node, now), []);
    assert.equal((await node.journal.findKey(transaction.merchantId, "key"))?.response?.status, 202);
  });

  rule(
    "what a dead node left without an outcome is found once: charges to reverse, the rest to repeat",
    async (subject) => {
      const {
        nodes: [dead, alive],
        newMerchant,
        declareDead,
      } = subject;
      const now = dead.clock.now();
      await dead.backlog.heartbeat(now);
      await alive.backlog.heartbeat(now);
      const merchantId = await newMerchant();
      const charge = await opened(dead, merchantId);
      const captured = await opened(dead, merchantId);
      await dead.journal.conclude(conclusion(captured, captured.events[0], approved(now)));
      await dead.journal.append(merchantId, captured.id, followUp(captured, "capture"), null);
      await opened(alive, merchantId);

      assert.equal(await alive.backlog.takeOverFromDeadNodes(now), 0);
      await declareDead(dead);
      assert.equal(await alive.backlog.takeOverFromDeadNodes(now), 2);
      assert.equal(await alive.backlog.takeOverFromDeadNodes(now), 0);
      const found = await due(alive, now);
      const expected = [unresolved(charge, 1, "reverse", 1), unresolved(captured, 2, "repeat", 1)];
      const byId = (a: UnresolvedEvent, b: UnresolvedEvent) => (a.transactionId < b.transactionId ? -1 : 1);
      assert.deepEqual([...found].sort(byId), expected.sort(byId));
      for (const event of found) await alive.backlog.resolved(event, null);
      await dead.backlog.heartbeat(now);
    },
  );

  rule("a lease is renewed by the node that has it, and by no other", async (subject) => {
    const { nodes, newMerchant } = subject;
    const [node, other] = nodes;
    const now = node.clock.now();
    const transaction = await opened(node, await newMerchant());
    const place = unresolved(transaction, 1, "repeat", 1);
    await node.journal.defer(place, "repeat", now, null);
    assert.deepEqual(await due(node, now), [place]);
    await other.backlog.renew(place, later(now, 9 * LEASE_MS), LEASE_MS);
    await node.backlog.renew(place, later(now, LEASE_MS / 2), LEASE_MS);
    assert.deepEqual(await due(other, later(now, LEASE_MS * 1.5 - 1)), []);
    assert.deepEqual(await due(other, later(now, LEASE_MS * 1.5)), [unresolved(transaction, 1, "repeat", 2)]);
    await node.backlog.renew(place, later(now, LEASE_MS * 2), LEASE_MS);
    assert.deepEqual(await due(node, later(now, LEASE_MS * 2.5)), [unresolved(transaction, 1, "repeat", 3)]);
    await node.backlog.resolved(place, null);
  });

  rule("the leases of a dead node end before their time", async (subject) => {
    const { nodes, newMerchant, declareDead } = subject;
    const [dead, alive] = nodes;
    const now = dead.clock.now();
    for (const { backlog } of nodes) await backlog.heartbeat(now);
    const transaction = await opened(alive, await newMerchant());
    await alive.journal.defer(unresolved(transaction, 1, "repeat", 0), "repeat", now, null);
    assert.deepEqual(await due(dead, now), [unresolved(transaction, 1, "repeat", 1)]);
    assert.deepEqual(await due(alive, now), []);
    await declareDead(dead);
    await alive.backlog.takeOverFromDeadNodes(now);
    assert.deepEqual(await due(alive, now), [unresolved(transaction, 1, "repeat", 2)]);
    assert.deepEqual(await due(dead, now), []);
    await alive.backlog.resolved(unresolved(transaction, 1, "repeat", 2), null);
    await dead.backlog.heartbeat(now);
  });

  rule("what a node that lives has leased stays its own when another is dead", async (subject) => {
    const { nodes, newMerchant, declareDead } = subject;
    const [dead, alive] = nodes;
    const now = dead.clock.now();
    for (const { backlog } of nodes) await backlog.heartbeat(now);
    const merchantId = await newMerchant();
    const [own, left] = [await opened(alive, merchantId), await opened(alive, merchantId)];
    await alive.journal.defer(unresolved(own, 1, "repeat", 0), "repeat", now, null);
    assert.deepEqual(await due(alive, now), [unresolved(own, 1, "repeat", 1)]);
    await alive.journal.defer(unresolved(left, 1, "repeat", 0), "repeat", now, null);
    assert.deepEqual(await due(dead, now), [unresolved(left, 1, "repeat", 1)]);
    await declareDead(dead);
    await alive.backlog.takeOverFromDeadNodes(now);
    assert.deepEqual(await due(alive, now), [unresolved(left, 1, "repeat", 2)]);
    for (const one of [own, left]) await alive.backlog.resolved(unresolved(one, 1, "repeat", 1), null);
    await dead.backlog.heartbeat(now);
  });

  rule("what is written after a takeover, before the next heartbeat, is found as well", async (subject) => {
    const { nodes, newMerchant, declareDead } = subject;
    const [dead, alive] = nodes;
    const now = dead.clock.now();
    for (const { backlog } of nodes) await backlog.heartbeat(now);
    await declareDead(dead);
    assert.equal(await alive.backlog.takeOverFromDeadNodes(now), 0);
    const late = await opened(dead, await newMerchant());
    await declareDead(dead);
    assert.equal(await alive.backlog.takeOverFromDeadNodes(now), 1);
    assert.deepEqual(await due(alive, now), [unresolved(late, 1, "reverse", 1)]);
  });

  rule("a node that lives after all keeps what it does from then on to itself", async (subject) => {
    const { nodes, newMerchant, declareDead } = subject;
    const [dead, alive] = nodes;
    const now = dead.clock.now();
    await declareDead(dead);
    await alive.backlog.takeOverFromDeadNodes(now);
    await dead.backlog.heartbeat(now);
    await opened(dead, await newMerchant());
    assert.equal(await alive.backlog.takeOverFromDeadNodes(now), 0);
  });

  rule("what a node said is clear is not looked at again", async (subject) => {
    const {
      nodes: [dead, alive],
      newMerchant,
      declareDead,
    } = subject;
    const start = dead.clock.now();
    await opened(dead, await newMerchant());
    const long = later(start, 3_600_000);
    await dead.backlog.heartbeat(long);
    await declareDead(dead);
    assert.equal(await alive.backlog.takeOverFromDeadNodes(long), 0);
  });
}
