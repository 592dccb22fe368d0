import assert from "node:assert/strict";
import { test } from "node:test";
import { fixedClock } from "../../test/hand-clock.ts";
import { PROCESSOR_RESPONSE } from "../../test/transactions.ts";
import { DECLINE_CATEGORIES } from "../payment/decline.ts";
import type { Answer } from "../processors/processor.ts";
import { failingProcessors } from "./failing-processors.ts";

const LOG = { info: () => undefined, warn: () => undefined, error: () => undefined };
const processorResponse = PROCESSOR_RESPONSE;

/** Whether a processor that gives this answer again and again is taken out of the draw. */
function fails(answer: Answer): boolean {
  const failing = failingProcessors({ clock: fixedClock("2030-05-01T12:00:00Z"), log: LOG });
  for (let nth = 0; nth < 10; nth++) failing.note("processor", answer);
  return failing.since("processor") !== undefined;
}

test("a processor fails at what it is to blame for, whatever the card: silence, a refused connection, its own troubles", () => {
  assert.ok(fails({ kind: "not-sent", why: "" }));
  assert.ok(fails({ kind: "unanswered", why: "" }));
  for (const kind of ["approved", "action-required"] as const) assert.ok(!fails({ kind, processorResponse }), kind);
  assert.ok(!fails({ kind: "pending", why: "" }));
  const categories = DECLINE_CATEGORIES.filter((category) => fails({ kind: "declined", processorResponse, category }));
  assert.deepEqual(categories.toSorted(), ["configuration", "try-later"]);
});
