// Conformance: a charge whose payer has to authenticate waits with its challenge, or without one where it was taken over.

import assert from "node:assert/strict";
import type { Remedy } from "../../src/journal/journal.ts";
import type { UnresolvedEvent } from "../../src/journal/unresolved.ts";
import type { Transaction } from "../../src/payment/transaction.ts";
import { approved, conclusion } from "./intents.ts";
import type { JournalNode, Rule } from "./journal-subject.ts";
import { opened } from "./journal-writing.ts";

const LEASE_MS = 60_000;
const later = (instant: Date, ms: number): Date => new Date(instant.getTime() + ms);

const due = async ({ backlog }: JournalNode, now: Date): Promise<readonly UnresolvedEvent[]> => {
  const taken: UnresolvedEvent[] = [];
  for (const id of await backlog.dueProcessors(now)) taken.push(...(await backlog.leaseDue(id, now, LEASE_MS, 100)));
  return taken;
};

const waiting = (
  { merchantId, id, events: [{ processorId }] }: Transaction,
  sequence: number,
  remedy: Remedy,
  attempts: number,
): UnresolvedEvent => ({ merchantId, transactionId: id, sequence, processorId, remedy, attempts, undecided: 0 });

export function challengeRowRules(rule: Rule): void {
  rule("a challenge is durable with what waits for it, and read with its event also after its end", async (subject) => {
    const {
      nodes: [node, other],
      newMerchant,
    } = subject;
    const now = node.clock.now();
    const transaction = await opened(node, await newMerchant());
    const place = waiting(transaction, 1, "await", 0);
    const page = { url: "https://bank.example/", fields: { MD: "1", PaReq: "ä" } };
    const challenge = { checkoutUrl: "https://pay.example/x", page, expiresAt: later(now, 1_800_000) };
    const answer = { key: "challenged", status: 202, body: "pending" };
    await node.journal.openChallenge(place, challenge, later(now, 60_000), answer);
    await other.journal.openChallenge(place, { ...challenge, checkoutUrl: "another" }, now, null);
    const found = () => other.journal.find(transaction.merchantId, transaction.id);
    assert.deepEqual((await found())?.events[0].challenge, challenge);
    assert.deepEqual(await due(node, later(now, 59_999)), []);
    assert.deepEqual(await due(node, later(now, 60_000)), [waiting(transaction, 1, "await", 1)]);
    await node.journal.conclude(conclusion(transaction, transaction.events[0], approved(now)));
    const [event] = (await found())?.events ?? [];
    assert.deepEqual([event?.outcome?.kind, event?.challenge], ["approved", challenge]);
  });

  rule(
    "a charge that was taken over, or has its outcome, gets no challenge",
    async ({ nodes: [node], newMerchant }) => {
      const now = node.clock.now();
      const challenge = { checkoutUrl: "https://x/", page: { url: "https://b/" }, expiresAt: later(now, 1_000) };
      const [taken, over] = [await opened(node, await newMerchant()), await opened(node, await newMerchant())];
      await node.journal.defer(waiting(taken, 1, "reverse", 0), "reverse", now, null);
      await node.journal.conclude(conclusion(over, over.events[0], approved(now)));
      for (const one of [taken, over]) {
        await node.journal.openChallenge(waiting(one, 1, "await", 0), challenge, now, null);
        const found = await node.journal.find(one.merchantId, one.id);
        assert.equal(found?.events[0].challenge, undefined);
      }
    },
  );
}
