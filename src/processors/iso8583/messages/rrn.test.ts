import assert from "node:assert/strict";
import { test } from "node:test";
import { traceNumbersInMemory } from "../../../../test/conformance/processor-parts.ts";
import { rrnOf } from "./envelope.ts";

const NOW = new Date("2030-05-15T12:00:00Z");

test("an RRN is twelve letters or digits, the same for the same reference and another for another", () => {
  const references = Array.from({ length: 10_000 }, (_, index) => `reference ${index}`);
  const numbers = new Set(references.map(rrnOf));
  for (const number of numbers) assert.match(number, /^[0-9A-Z]{12}$/);
  assert.equal(numbers.size, references.length);
  assert.equal(rrnOf("reference 1"), rrnOf("reference 1"));
});

test("a trace is assigned once and is the same for every repeat", async () => {
  const numbers = traceNumbersInMemory();
  const first = await numbers.assign("a", "0200", NOW);
  assert.deepEqual(first, { trace: { mti: "0200", stan: "000001", at: NOW }, repeated: false });
  const later = new Date(NOW.getTime() + 1000);
  assert.deepEqual(await numbers.assign("a", "0221", later), { ...first, repeated: true });
  assert.equal((await numbers.assign("b", "0200", later)).trace.stan, "000002");
  assert.deepEqual([await numbers.find("a"), await numbers.find("c")], [first.trace, undefined]);
});

test("after 999999 a STAN comes round to 000001, never to 000000", async () => {
  const numbers = traceNumbersInMemory(999_999);
  const stans = [];
  for (const key of ["a", "b"]) stans.push((await numbers.assign(key, "0200", NOW)).trace.stan);
  assert.deepEqual(stans, ["999999", "000001"]);
});
