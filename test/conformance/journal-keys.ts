// Conformance: an idempotency key stands for one request of one merchant, and has one answer.

import assert from "node:assert/strict";
import type { Transaction } from "../../src/payment/transaction.ts";
import { approved, claim, conclusion, followUp, intent } from "./intents.ts";
import type { Rule } from "./journal-subject.ts";
import { found, opened } from "./journal-writing.ts";

const ANSWER = { status: 200, body: '{"amount":"1.00","text":"Ана"}' };
const OTHER_ANSWER = { status: 422, body: "{}" };

export function keyRules(rule: Rule): void {
  rule("a key is found with its request and the event that it led to, and without an answer", async (subject) => {
    const {
      nodes: [{ journal, clock }, other],
      newMerchant,
    } = subject;
    const merchantId = await newMerchant();
    const transaction = intent(merchantId, clock.now());
    assert.notEqual(await journal.open(transaction, claim("charge")), "key-taken");
    const capture = followUp(transaction, "capture");
    assert.equal(await journal.append(merchantId, transaction.id, capture, claim("capture", "another")), "appended");
    assert.deepEqual(await other.journal.findKey(merchantId, "charge"), {
      ...claim("charge"),
      transactionId: transaction.id,
      sequence: 1,
      response: null,
    });
    assert.deepEqual(await other.journal.findKey(merchantId, "capture"), {
      ...claim("capture", "another"),
      transactionId: transaction.id,
      sequence: 2,
      response: null,
    });
    assert.equal(await other.journal.findKey(merchantId, "Charge"), undefined);
  });

  rule("the same key at once on two nodes opens one transaction", async ({ nodes, newMerchant, numbered }) => {
    const merchantId = await newMerchant();
    const opening = ({ journal, clock }: (typeof nodes)[0]) =>
      journal.open(intent(merchantId, clock.now()), claim("once"));
    const ends = await Promise.all([...nodes, ...nodes, ...nodes].map(opening));
    assert.equal(ends.filter((end) => end !== "key-taken").length, 1);
    assert.equal((await numbered(merchantId)).length, 1);
  });

  rule("the same key at once for two events appends one", async ({ nodes, newMerchant }) => {
    const merchantId = await newMerchant();
    const transactions = await Promise.all([...nodes, ...nodes].map((node) => opened(node, merchantId)));
    const ends = await Promise.all(
      transactions.map((transaction, index) =>
        (nodes[index % 2] ?? nodes[0]).journal.append(
          merchantId,
          transaction.id,
          followUp(transaction, "capture"),
          claim("once"),
        ),
      ),
    );
    assert.equal(ends.filter((end) => end === "appended").length, 1);
    const events = await Promise.all(
      transactions.map(async (one) => (await found(nodes[0].journal, one)).events.length),
    );
    assert.equal(events.filter((count) => count === 2).length, 1);
  });

  rule("an event that conflicts leaves its key unused", async ({ nodes: [{ journal }, other], newMerchant }) => {
    const transaction = await opened(other, await newMerchant());
    const { merchantId, id } = transaction;
    assert.equal(await journal.append(merchantId, id, followUp(transaction, "capture"), null), "appended");
    assert.equal(await journal.append(merchantId, id, followUp(transaction, "capture"), claim("late")), "conflict");
    assert.equal(await journal.findKey(merchantId, "late"), undefined);
  });

  rule("a key that an event used opens no transaction, and the other way round", async (subject) => {
    const {
      nodes: [{ journal, clock }, other],
      newMerchant,
    } = subject;
    const merchantId = await newMerchant();
    const transaction = await opened(other, merchantId);
    await journal.append(merchantId, transaction.id, followUp(transaction, "capture"), claim("a"));
    assert.equal(await journal.open(intent(merchantId, clock.now()), claim("a")), "key-taken");
    assert.notEqual(await journal.open(intent(merchantId, clock.now()), claim("b")), "key-taken");
    const next = followUp(transaction, "void", { sequence: 3 });
    assert.equal(await journal.append(merchantId, transaction.id, next, claim("b")), "conflict");
  });

  rule("the same key of another merchant is another key", async ({ nodes: [{ journal, clock }], newMerchant }) => {
    for (const merchantId of [await newMerchant(), await newMerchant()])
      assert.notEqual(await journal.open(intent(merchantId, clock.now()), claim("shared")), "key-taken");
  });

  rule("the answer is stored with the outcome, byte for byte", async ({ nodes: [{ journal, clock }], newMerchant }) => {
    const transaction = intent(await newMerchant(), clock.now());
    await journal.open(transaction, claim("key"));
    const keyedResponse = { key: "key", ...ANSWER };
    await journal.conclude(conclusion(transaction, transaction.events[0], approved(clock.now()), { keyedResponse }));
    assert.deepEqual((await journal.findKey(transaction.merchantId, "key"))?.response, ANSWER);
  });

  rule("in place of a body the moment is stored that the answer shows, by whichever way", async (subject) => {
    const {
      nodes: [{ journal, clock }],
      newMerchant,
    } = subject;
    const kept = { status: 200, moment: '{"at":"Ана"}' };
    const keyedResponse = { key: "key", ...kept };
    const place = ({ merchantId, id: transactionId }: Transaction) => ({ merchantId, transactionId, sequence: 1 });
    const next = (one: Transaction) => followUp(one, "refund", { sequence: 1 });
    for (const store of [
      (one: Transaction) => journal.conclude(conclusion(one, one.events[0], approved(clock.now()), { keyedResponse })),
      // The place of the next step is taken.
      (one: Transaction) =>
        journal.conclude(conclusion(one, one.events[0], approved(clock.now()), { keyedResponse, next: next(one) })),
      (one: Transaction) => journal.defer(place(one), "reverse", clock.now(), keyedResponse),
      async (one: Transaction) => assert.deepEqual(await journal.storeResponse(one.merchantId, keyedResponse), kept),
    ]) {
      const transaction = intent(await newMerchant(), clock.now());
      await journal.open(transaction, claim("key"));
      await store(transaction);
      assert.deepEqual((await journal.findKey(transaction.merchantId, "key"))?.response, kept);
    }
  });

  rule("the answer that is stored first wins, and is given to whoever comes later", async ({ nodes, newMerchant }) => {
    const [{ journal, clock }, other] = nodes;
    const transaction = intent(await newMerchant(), clock.now());
    const { merchantId } = transaction;
    await journal.open(transaction, claim("key"));
    assert.deepEqual(await journal.storeResponse(merchantId, { key: "key", ...ANSWER }), ANSWER);
    assert.deepEqual(await other.journal.storeResponse(merchantId, { key: "key", ...OTHER_ANSWER }), ANSWER);
    const keyedResponse = { key: "key", ...OTHER_ANSWER };
    await other.journal.conclude(
      conclusion(transaction, transaction.events[0], approved(clock.now()), { keyedResponse }),
    );
    assert.deepEqual((await journal.findKey(merchantId, "key"))?.response, ANSWER);
  });

  rule("two answers at once: both callers are given the same", async ({ nodes, newMerchant }) => {
    const transaction = intent(await newMerchant(), nodes[0].clock.now());
    await nodes[0].journal.open(transaction, claim("key"));
    const store = (answer: typeof ANSWER, index: number) =>
      (nodes[index] ?? nodes[0]).journal.storeResponse(transaction.merchantId, { key: "key", ...answer });
    const [one, two] = await Promise.all([ANSWER, OTHER_ANSWER].map(store));
    assert.deepEqual(one, two);
  });
}
