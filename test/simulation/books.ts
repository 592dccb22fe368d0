// The processor's books by themselves: whatever the gateway believes, no cent in them is made or lost, and none goes back
// twice.

import assert from "node:assert/strict";
import type { Acquirer, Entry } from "../acquirer.ts";

export function assertBooks(books: Acquirer, transactionId: string): void {
  const entries = books.entriesOf(transactionId);
  const moved = entries.filter(({ answer, reversed }) => answer.kind === "approved" && !reversed);
  const charges = moved.filter(({ type }) => type === "sale" || type === "auth");
  assert.ok(charges.length <= 1, "no card is charged twice");
  const sum = (...types: readonly Entry["type"][]): bigint =>
    moved.filter(({ type }) => types.includes(type)).reduce((total, { amount }) => total + amount, 0n);
  const [authorized, captured] = [sum("sale", "auth"), sum("sale", "capture")];
  const [voided, refunded] = [sum("void"), sum("refund")];
  assert.ok(captured <= authorized, `captured ${captured} of ${authorized}`);
  assert.ok(refunded <= captured, `refunded ${refunded} of ${captured}`);
  assert.ok(voided + refunded <= authorized, `voided ${voided} and refunded ${refunded} of ${authorized}`);
}

/** When all is over: what nobody was told of is taken back, and no question was put in two ways. */
export function assertBooksAtEnd(books: Acquirer, transactionId: string, onRecord: ReadonlyMap<string, string>): void {
  for (const entry of books.entriesOf(transactionId)) {
    const kind = onRecord.get(entry.reference);
    assert.ok(kind, `${entry.type} ${entry.reference} is in the books, and not on record`);
    if (kind === "unanswered") assert.ok(entry.reversed, `${entry.type} ${entry.reference} was never taken back`);
  }
  const asked = books.asked.filter((one) => one.transactionId === transactionId);
  for (const [reference, questions] of Map.groupBy(asked, (one) => one.reference)) {
    assert.equal(new Set(questions.map(({ amount }) => amount)).size, 1, `${reference} was asked with two amounts`);
    const charged = questions.filter(({ type, given }) => (type === "sale" || type === "auth") && given !== "not-sent");
    assert.ok(charged.length <= 1, `the charge ${reference} was sent ${charged.length} times`);
  }
}
