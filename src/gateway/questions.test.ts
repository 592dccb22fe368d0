// An operation that is asked for again is asked for as it was: processors compare the two.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Told } from "../../test/follow-ups.ts";
import { at, told } from "../../test/transactions.ts";
import { followUpQuestion } from "./questions.ts";

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
