import assert from "node:assert/strict";
import { test } from "node:test";
import { CircuitBreaker, pauseAfter } from "./circuit-breaker.ts";

test("a circuit opens with the first question that is not answered, and closes with the next answer", () => {
  const circuit = new CircuitBreaker();
  assert.deepEqual([circuit.open, circuit.answered()], [false, false]);
  const asked = circuit.answers;
  assert.deepEqual([circuit.unanswered(asked, 0), circuit.unanswered(asked, 0), circuit.open], [true, false, true]);
  assert.deepEqual([circuit.answered(), circuit.open], [true, false]);
});

test("a question that was not answered says nothing if another was answered since it was asked", () => {
  const circuit = new CircuitBreaker();
  const asked = circuit.answers;
  circuit.answered();
  assert.deepEqual([circuit.unanswered(asked, 0), circuit.open], [false, false]);
});

test("while it is open a probe is due when callers were answered, and more and more rarely", () => {
  const circuit = new CircuitBreaker();
  assert.equal(circuit.probeDue(1, 0), false, "it is closed");
  circuit.unanswered(circuit.answers, 5);
  const due = [
    [5, 0],
    [6, 0],
    [6, 10_000],
    [7, 1_999],
    [7, 2_000],
    [8, 5_999],
    [8, 6_000],
  ] as const;
  assert.deepEqual(
    due.map(([answers, nowMs]) => circuit.probeDue(answers, nowMs)),
    [false, true, false, false, true, false, true],
  );
  circuit.answered();
  circuit.unanswered(circuit.answers, 8);
  assert.equal(circuit.probeDue(9, 0), true, "it begins anew");
});

test("pauses double from a second to a minute", () => {
  assert.deepEqual([0, 1, 2, 5, 6, 7, 1_000].map(pauseAfter), [1_000, 2_000, 4_000, 32_000, 60_000, 60_000, 60_000]);
});
