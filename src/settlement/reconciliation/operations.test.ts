import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { amountOf, MOST } from "../../payment/money.ts";
import { type Operation, Operations, SEEN } from "./operations.ts";

/** Any other name than the event's own will do. */
const referenceOf = (eventId: string): string => `their ${eventId}`;

const OUTCOMES = [
  null,
  "approved",
  "declined",
  "already-settled",
  "unanswered",
  "not-sent",
  "failed-after-all",
] as const;
const TYPES = ["sale", "auth", "capture", "void", "refund"] as const;

const operation = (index: number): Operation => {
  const outcome = OUTCOMES[index % OUTCOMES.length] ?? null;
  return {
    eventId: randomUUID(),
    transactionId: randomUUID(),
    sequence: index,
    type: TYPES[index % TYPES.length] ?? "sale",
    amount: amountOf(index % 7 === 0 ? MOST : BigInt(index)),
    sentAt: 1_900_000_000_000 + index,
    outcome,
    endedAt: outcome === null ? null : 1_900_000_000_500 + index,
    reversal: outcome === "unanswered" ? { kind: "confirmed", at: index } : null,
  };
};

test("each of many operations is found as it was added, with what was seen of it, and none that was not added", () => {
  const operations = new Operations(referenceOf);
  const given = Array.from({ length: 20_000 }, (_, index) => operation(index));
  for (const [index, one] of given.entries()) {
    operations.add(one);
    if (index % 3 === 0) operations.see(index, SEEN.booked | SEEN.moved);
  }
  for (const one of given.slice(0, 100)) operations.add({ ...one, sequence: -1 });
  assert.equal(operations.size, given.length);
  for (const [index, one] of given.entries()) {
    const place = operations.find(referenceOf(one.eventId));
    assert.equal(place, index);
    assert.equal(operations.referenceAt(index), referenceOf(one.eventId));
    assert.deepEqual(operations.at(index), one);
    assert.equal(operations.seen(index), index % 3 === 0 ? SEEN.booked | SEEN.moved : 0);
  }
  for (let index = 0; index < 1_000; index++) assert.equal(operations.find(referenceOf(`nobody ${index}`)), undefined);
  assert.equal(operations.find("000000000000"), undefined);
});
