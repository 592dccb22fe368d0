import assert from "node:assert/strict";
import { test } from "node:test";
import { approved, followUp, intent } from "../../test/conformance/intents.ts";
import { at, told } from "../../test/transactions.ts";
import { asOf, operationFrom } from "./as-of.ts";
import type { Event, Transaction } from "./transaction.ts";

const event = (transaction: Transaction, sequence: number, began: string, ended: string | null): Event => ({
  ...followUp(transaction, "capture"),
  sequence,
  createdAt: at(began),
  outcome: ended === null ? null : approved(at(ended)),
});

/** 1 auth 12:00–12:00; 2 capture 12:01, silent until 12:10; 3 capture 12:05–12:05; 4 capture 12:20, still open. */
const plain = intent("0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77", at("1 12:00"));
const transaction: Transaction = {
  ...plain,
  events: [
    { ...plain.events[0], outcome: approved(at("1 12:00")) },
    event(plain, 2, "1 12:01", "1 12:10"),
    event(plain, 3, "1 12:05", "1 12:05"),
    event(plain, 4, "1 12:20", null),
  ],
};

const CASES: readonly (readonly [rule: string, moment: Parameters<typeof asOf>[1], events: string])[] = [
  ["its beginning", { at: at("1 12:00"), sequence: 1, concluded: true }, "1 known"],
  ["an event that was left open", { at: at("1 12:03"), sequence: 2, concluded: false }, "1 known, 2 open"],
  [
    "an outcome, while an earlier event was open",
    { at: at("1 12:05"), sequence: 3, concluded: true },
    "1 known, 2 open, 3 known",
  ],
  [
    "an outcome of the same instant as another's",
    { at: at("1 12:10"), sequence: 3, concluded: true },
    "1 known, 2 known, 3 known",
  ],
  [
    "an outcome that came late, after a later event",
    { at: at("1 12:10"), sequence: 2, concluded: true },
    "1 known, 2 known, 3 known",
  ],
  [
    "an instant just before the next event",
    { at: at("1 12:20"), sequence: 2, concluded: true },
    "1 known, 2 known, 3 known",
  ],
  [
    "an instant after everything",
    { at: at("2 00:00"), sequence: 3, concluded: true },
    "1 known, 2 known, 3 known, 4 open",
  ],
  [
    "an event that is pending, though its outcome bears an earlier time",
    { at: at("1 12:30"), sequence: 3, concluded: false },
    "1 known, 2 known, 3 open, 4 open",
  ],
  [
    "an outcome that was told by a clock behind another's: what it was decided by was known",
    { at: at("1 11:59"), sequence: 3, concluded: true },
    "1 known, 2 open, 3 known",
  ],
];

for (const [rule, moment, events] of CASES)
  test(`a transaction as of ${rule}`, () => {
    const then = asOf(transaction, moment);
    const shown = then.events.map(({ sequence, outcome }) => `${sequence} ${outcome ? "known" : "open"}`).join(", ");
    assert.equal(shown, events);
    assert.deepEqual({ ...then, events: [] }, { ...transaction, events: [] });
  });

test("a refund is part of a reversal if it is its second step, and not if somebody else's came first", () => {
  const sequences = (refund: string) =>
    operationFrom(told("USD sale 100", "void 100 reversal declined", refund), 2).map(({ sequence }) => sequence);
  assert.deepEqual(sequences("refund 100 reversal"), [2, 3]);
  assert.deepEqual(sequences("refund 100"), [2]);
});
