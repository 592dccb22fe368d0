// An operation that is asked for again is asked for as it was: processors compare the two.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Told } from "../../test/follow-ups.ts";
import { at, told } from "../../test/transactions.ts";
import type { Transaction } from "../payment/transaction.ts";
import { followUpQuestion, inquiryQuestion } from "./questions.ts";

const ROWS: readonly (readonly [Told, string])[] = [
  [["USD auth 100", "capture 40 pending"], "capture 60"],
  [["USD auth 100", "capture 40 pending"], "capture 60 pending"],
  [["USD sale 100", "refund 30 pending"], "refund 20"],
  [["USD auth 100=60+40", "capture 10=10+0 pending"], "void 90=50+40"],
];

for (const [events, later] of ROWS)
  test(`${events.join(", ")}, and then ${later}: asked again, it is the question that it was`, () => {
    const question = (transaction: ReturnType<typeof told>) => {
      const [, event] = transaction.events;
      assert.ok(event);
      return followUpQuestion(transaction, event, at("1 12:00"));
    };
    assert.deepEqual(question(told(...events, later)), question(told(...events)));
  });

/** What was asked of the last event, and what is asked of it when the one before it has ended as that in `later`. */
const MEANWHILE: readonly (readonly [string, Told, Told])[] = [
  [
    "a capture in flight was approved",
    ["USD auth 100", "capture 40 pending", "capture 60 pending"],
    ["USD auth 100", "capture 40 at 1 12:01"],
  ],
  [
    "a refund in flight was approved",
    ["USD sale 100", "refund 30 pending", "refund 20 pending"],
    ["USD sale 100", "refund 30 at 1 12:01"],
  ],
  [
    "a capture failed after all",
    ["USD auth 100", "capture 40 at 1 11:00", "void 100 pending"],
    ["USD auth 100", "capture 40 failed-after-all at 1 12:01"],
  ],
];

for (const [meanwhile, events, later] of MEANWHILE)
  test(`${events.join(", ")}, and meanwhile ${meanwhile}: asked again, it is the question that it was`, () => {
    const asked = told(...events);
    const [charge, before, event] = asked.events;
    const end = told(...later).events[1]?.outcome;
    assert.ok(before && event && end);
    const approval = before.outcome?.kind === "approved" ? before.outcome : undefined;
    const outcome = end.kind === "failed-after-all" && approval ? { ...end, approval } : end;
    const since: Transaction = { ...asked, events: [charge, { ...before, outcome }, event] };
    assert.deepEqual(followUpQuestion(since, event, at("1 12:02")), followUpQuestion(asked, event, at("1 12:00")));
  });

test("of an event that is older than its charge's end, by another node's clock, it is asked with what the charge brought", () => {
  const asked = told("USD auth 100", "capture 40 pending");
  const [charge, event] = asked.events;
  assert.ok(event && charge.outcome);
  const late: Transaction = {
    ...asked,
    events: [{ ...charge, outcome: { ...charge.outcome, at: at("1 12:03") } }, event],
  };
  assert.deepEqual(followUpQuestion(late, event, at("1 12:04")), followUpQuestion(asked, event, at("1 12:04")));
});

test("captures of which nothing is left are not named, and a charge has no original", () => {
  const { events, ...transaction } = told("USD auth 100", "capture 60", "void 100", "refund 1 pending");
  const [charge, capture, , refund] = events;
  assert.ok(capture && refund);
  const whole = { ...transaction, events };
  assert.deepEqual(followUpQuestion(whole, refund, at("1 12:00")).captures, []);
  assert.equal(inquiryQuestion(whole, charge).original, null);
  assert.equal(inquiryQuestion(whole, capture).original?.reference, charge.id);
});
