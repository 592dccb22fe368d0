import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import { traceNumbersInMemory } from "../../../../test/conformance/processor-parts.ts";
import { idOfName, isUuid, newId, timeOfId } from "../../../uuid.ts";
import { eventIdOfRrn, rrnOf } from "./envelope.ts";

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

test("an event of which only the RRN is left has an id that its RRN is told from, and its time", () => {
  const most = "ZZZZZZZZZZZZ";
  for (const rrn of ["000000000000", "000000000001", most, rrnOf("reference 1"), "6S7WE026U1C5", "0ZZZZZZZZZZZ"]) {
    const id = eventIdOfRrn(rrn, NOW);
    assert.ok(isUuid(id), id);
    assert.equal(rrnOf(id), rrn);
    assert.equal(timeOfId(id), NOW.getTime());
    assert.equal(eventIdOfRrn(rrn, NOW), id);
  }
  const numbers = Array.from({ length: 10_000 }, (_, index) => rrnOf(`reference ${index}`));
  assert.ok(numbers.every((rrn) => rrnOf(eventIdOfRrn(rrn, NOW)) === rrn));
});

test("no other id is taken for one of these", () => {
  for (const other of [
    newId(NOW),
    idOfName("a charge", NOW),
    "0193e5b0-7c1a-8fff-9d54-5b2f0c8e1a77",
    "reference 1234 8",
  ])
    assert.equal(rrnOf(other), ofHash(other));
  // Above what twelve digits can say.
  const above = "0193e5b0-7c1a-8001-bfff-ffffffffffff";
  assert.equal(rrnOf(above), ofHash(above));
});

const ofHash = (text: string): string =>
  (BigInt(`0x${hash("sha256", text)}`) % 36n ** 12n).toString(36).padStart(12, "0").toUpperCase();
