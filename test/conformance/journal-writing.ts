// Conformance: transactions are opened and events appended, each place taken once, each transaction numbered once.

import assert from "node:assert/strict";
import { v7 as uuidv7 } from "uuid";
import type { Journal } from "../../src/journal/journal.ts";
import { type Transaction, withEvent } from "../../src/payment/transaction.ts";
import { claim, followUp, intent } from "./intents.ts";
import type { JournalNode, Rule } from "./journal-subject.ts";

const MINUTE_MS = 60_000;

export function writingRules(rule: Rule): void {
  rule("a transaction is found as it was opened, with every field, on every node", async ({ nodes, newMerchant }) => {
    for (const full of [false, true]) {
      const transaction = await opened(nodes[0], await newMerchant(), { full });
      for (const { journal } of nodes) assert.deepEqual(await found(journal, transaction), transaction);
    }
  });

  rule("those opened at once are found as they were opened, whatever each of them brings", async (subject) => {
    const [one, other] = subject.nodes;
    const merchantId = await subject.newMerchant();
    const shipped = {
      mobile_phone: "15145550199",
      shipping_city: "Montréal",
      shipping_state: "QC",
      shipping_zip: "H2X",
    };
    const plain = () => intent(merchantId, one.clock.now());
    const full = () => intent(merchantId, one.clock.now(), { full: true });
    const sent = (fields: Transaction["fields"]) => ({ ...plain(), fields });
    for (const together of [
      [plain(), plain()],
      [full(), plain(), full()],
      [plain(), sent({ shipping_zip: "H2X" }), plain()],
      [sent(shipped), full(), plain(), sent({ mobile_phone: "1" })],
    ]) {
      const ends = await Promise.all(together.map((each) => one.journal.open(each, null)));
      for (const [nth, end] of ends.entries()) {
        assert.ok(typeof end === "object" && "createdAt" in end);
        const transaction = together[nth] as Transaction;
        const { createdAt } = end;
        const expected = { ...transaction, createdAt, events: [{ ...transaction.events[0], createdAt }] };
        assert.deepEqual(await found(other.journal, transaction), expected);
      }
    }
  });

  rule(
    "those opened at once have each their own key and sealed card, also beside a key that is taken",
    async (subject) => {
      const [{ journal, clock }, other] = subject.nodes;
      const merchantId = await subject.newMerchant();
      await journal.open(intent(merchantId, clock.now()), claim("taken"));
      for (const beside of [[], [claim("taken")]]) {
        const rows = Array.from({ length: 7 }, (_, nth) => ({
          transaction: intent(merchantId, clock.now(), { full: nth % 3 === 2 }),
          key: nth % 2 === 0 ? claim(`${nth} of ${beside.length}`) : null,
          sealed: nth % 3 === 1 ? { keyId: nth, sealed: Buffer.from(`sealed ${nth}`) } : null,
        }));
        const ends = await Promise.all([
          ...rows.map(({ transaction, key, sealed }) => journal.open(transaction, key, sealed)),
          ...beside.map((key) => journal.open(intent(merchantId, clock.now()), key)),
        ]);
        assert.deepEqual(
          ends.map((end) => end === "key-taken"),
          [...rows.map(() => false), ...beside.map(() => true)],
        );
        for (const { transaction, key, sealed } of rows) {
          const { id, passengers } = transaction;
          assert.deepEqual((await other.journal.findSealedCard(merchantId, id)) ?? null, sealed);
          assert.deepEqual((await found(other.journal, transaction)).passengers, passengers);
          if (key) assert.equal((await other.journal.findKey(merchantId, key.key))?.transactionId, id);
        }
      }
      assert.deepEqual(
        (await subject.numbered(merchantId)).map(({ number }) => number),
        Array.from({ length: 15 }, (_, index) => index + 1),
      );
    },
  );

  rule(
    "those of one merchant that are opened with keys on two nodes at once are numbered without gaps",
    async (subject) => {
      const merchantId = await subject.newMerchant();
      const opening = async ({ journal, clock, id }: JournalNode, nth: number) => {
        const transaction = intent(merchantId, clock.now());
        const key = claim(`${id} ${nth}`);
        assert.notEqual(await journal.open(transaction, key), "key-taken");
        assert.equal((await journal.findKey(merchantId, key.key))?.transactionId, transaction.id);
      };
      // One after the other, so that groups of both meet several times.
      const many = (node: JournalNode) =>
        Array.from({ length: 8 }, async (_, writer) => {
          for (let nth = 0; nth < 5; nth++) await opening(node, writer * 5 + nth);
        });
      await Promise.all(subject.nodes.flatMap((node) => many(node)));
      assert.deepEqual(
        (await subject.numbered(merchantId)).map(({ number }) => number),
        Array.from({ length: 80 }, (_, index) => index + 1),
      );
    },
  );

  rule("another merchant's transaction is not found, nor one that was never opened", async ({ nodes, newMerchant }) => {
    const transaction = await opened(nodes[0], await newMerchant());
    assert.equal(await nodes[0].journal.find(await newMerchant(), transaction.id), undefined);
    assert.equal(await nodes[0].journal.find(transaction.merchantId, uuidv7()), undefined);
  });

  rule(
    "events are found in their order, each without an outcome",
    async ({ nodes: [{ journal }, other], newMerchant }) => {
      const transaction = await opened(other, await newMerchant(), { full: true });
      const [first, second] = transaction.passengers ?? [];
      assert.ok(first && second);
      const shares = [first, second].map(({ id, fares }) => ({ passengerId: id, amount: fares }));
      let expected = transaction;
      for (const event of [
        followUp(transaction, "capture", { shares, ipAddress: "192.0.2.1" }),
        followUp(transaction, "void", { sequence: 3, reversal: true, shares: [] }),
        followUp(transaction, "refund", { sequence: 4 }),
      ]) {
        assert.equal(await journal.append(transaction.merchantId, transaction.id, event, null), "appended");
        expected = withEvent(expected, event);
      }
      assert.deepEqual(await found(other.journal, transaction), expected);
    },
  );

  rule("of two events for the same place one is appended", async ({ nodes, newMerchant }) => {
    for (const [one, other] of [nodes, [nodes[0], nodes[0]]] as const) {
      const transaction = await opened(one, await newMerchant());
      const events = [followUp(transaction, "capture"), followUp(transaction, "void")] as const;
      const ends = await Promise.all([
        one.journal.append(transaction.merchantId, transaction.id, events[0], null),
        other.journal.append(transaction.merchantId, transaction.id, events[1], null),
      ]);
      assert.deepEqual([...ends].sort(), ["appended", "conflict"]);
      const winner = events[ends.indexOf("appended")];
      assert.deepEqual((await found(one.journal, transaction)).events[1], winner);
    }
  });

  rule("a merchant's transactions are numbered from 1 without gaps, whoever opens them", async (subject) => {
    const { nodes, newMerchant, numbered } = subject;
    const merchants = [await newMerchant(), await newMerchant()];
    const opening = (node: JournalNode, index: number) => {
      const merchantId = merchants[index % merchants.length] ?? "";
      // Each key comes twice, so that some of the transactions are not opened: their numbers go to others.
      const key = index % 3 === 0 ? claim(`key ${Math.floor(index / 12)}`) : null;
      return node.journal.open(intent(merchantId, node.clock.now()), key);
    };
    const ends = await Promise.all(
      Array.from({ length: 120 }, (_, index) => opening(nodes[(index >> 1) % 2 === 0 ? 0 : 1], index)),
    );
    const taken = ends.filter((end) => end === "key-taken").length;
    assert.ok(taken > 0, "some keys were taken");
    const numbers = await Promise.all(merchants.map(numbered));
    for (const rows of numbers)
      assert.deepEqual(
        rows.map(({ number }) => number),
        rows.map((_, index) => index + 1),
      );
    assert.equal(numbers.flat().length, 120 - taken);
  });

  rule("a sealed card is there as soon as its intent is, and belongs to that transaction alone", async (subject) => {
    const { nodes, newMerchant } = subject;
    const [one, other] = nodes;
    const merchants = [await newMerchant(), await newMerchant()] as const;
    const card = (keyId: number) => ({ keyId, sealed: Buffer.from([0, 1, 255, keyId]) });
    const intents = Array.from({ length: 9 }, (_, nth) => intent(merchants[nth % 2 === 0 ? 0 : 1], one.clock.now()));
    // Every third brings none, in the same group as the others.
    await Promise.all(intents.map((each, nth) => one.journal.open(each, null, nth % 3 === 0 ? null : card(nth))));
    for (const [nth, { merchantId, id }] of intents.entries()) {
      const found = await other.journal.findSealedCard(merchantId, id);
      assert.deepEqual(found, nth % 3 === 0 ? undefined : card(nth));
      const notTheirs = merchants.find((merchant) => merchant !== merchantId) ?? "";
      assert.equal(await other.journal.findSealedCard(notTheirs, id), undefined);
    }
  });

  rule("a key that is taken leaves no sealed card behind", async ({ nodes: [{ journal, clock }], newMerchant }) => {
    const merchantId = await newMerchant();
    const [first, second] = [intent(merchantId, clock.now()), intent(merchantId, clock.now())];
    const card = { keyId: 1, sealed: Buffer.from("sealed") };
    await journal.open(first, claim("one"), card);
    assert.equal(await journal.open(second, claim("one"), card), "key-taken");
    assert.deepEqual(await journal.findSealedCard(merchantId, first.id), card);
    assert.equal(await journal.findSealedCard(merchantId, second.id), undefined);
  });

  rule("along the numbers no transaction is older than the one before it, whatever the clocks say", async (subject) => {
    const { nodes, newMerchant, numbered } = subject;
    const merchantId = await newMerchant();
    const start = nodes[0].clock.now();
    const told: Date[] = [];
    for (const [minutes, node] of [
      [5, nodes[0]],
      [0, nodes[1]],
      [6, nodes[1]],
      [3, nodes[0]],
    ] as const) {
      node.clock.set(new Date(start.getTime() + minutes * MINUTE_MS));
      const end = await node.journal.open(intent(merchantId, node.clock.now()), null);
      assert.ok(typeof end === "object" && "createdAt" in end);
      told.push(end.createdAt);
    }
    const minutes = (at: Date) => (at.getTime() - start.getTime()) / MINUTE_MS;
    assert.deepEqual(told.map(minutes), [5, 5, 6, 6]);
    assert.deepEqual(
      (await numbered(merchantId)).map(({ createdAt }) => minutes(createdAt)),
      [5, 5, 6, 6],
    );
  });
}

/** Opened, and as it should be found. */
export async function opened(
  { journal, clock }: JournalNode,
  merchantId: string,
  given: { readonly full?: boolean } = {},
): Promise<Transaction> {
  const transaction = intent(merchantId, clock.now(), given);
  const end = await journal.open(transaction, null);
  assert.ok(typeof end === "object" && "createdAt" in end);
  const { createdAt } = end;
  return { ...transaction, createdAt, events: [{ ...transaction.events[0], createdAt }] };
}

export async function found(journal: Journal, { merchantId, id }: Transaction): Promise<Transaction> {
  const transaction = await journal.find(merchantId, id);
  assert.ok(transaction, `transaction ${id} is there`);
  return transaction;
}
