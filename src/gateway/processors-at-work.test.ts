import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { processorParts } from "../../test/conformance/processor-parts.ts";
import { chargeQuestion } from "../../test/conformance/questions.ts";
import { record, recordsFrom } from "../../test/gateway-in-memory.ts";
import { fixedClock } from "../../test/hand-clock.ts";
import type { ProcessorRecord } from "../payment/processor-record.ts";
import { simulatorKind } from "../processors/simulator/simulator.ts";
import { processorsAtWork } from "./processors-at-work.ts";

/** The kind of the simulator, which notes what is opened and closed. */
function noted(
  records: ProcessorRecord[],
  requires = { cvv: [], names: false, document: false } as ProcessorRecord["requires"],
  times: { readonly heldForMs?: number; readonly idleMs?: number } = { heldForMs: 0 },
) {
  const notes: string[] = [];
  let opened = 0;
  const kind = {
    ...simulatorKind,
    open: (given: ProcessorRecord, parts: Parameters<typeof simulatorKind.open>[1]) => {
      const processor = simulatorKind.open(given, parts);
      const nth = ++opened;
      notes.push(`open ${nth}`);
      return {
        capabilities: processor.capabilities,
        keepsCardNumber: false,
        requires,
        takes: processor.takes.bind(processor),
        cannotExpress: () => [],
        charge: processor.charge.bind(processor),
        followUp: processor.followUp.bind(processor),
        timeoutReversal: processor.timeoutReversal.bind(processor),
        health: processor.health.bind(processor),
        close: async () => {
          notes.push(`close ${nth}`);
          await processor.close();
        },
      };
    },
  };
  const warnings: string[] = [];
  const parts = processorParts(fixedClock("2030-05-01T12:00:00Z"));
  const log = { ...parts.log, warn: (_facts: object, text: string) => void warnings.push(text) };
  const kinds = new Map([[kind.name, kind]]);
  const processors = processorsAtWork(recordsFrom(records), kinds, { ...parts, log }, times);
  return { processors, notes, warnings };
}

test("a record's processor is opened at its first use and once", async () => {
  const USD = record();
  const { processors, notes } = noted([USD]);
  assert.deepEqual(notes, []);
  const [one] = await processors.of(USD.merchantId);
  assert.equal(await processors.find(USD.merchantId, USD.id), one);
  assert.deepEqual(notes, ["open 1"]);
});

test("a change of its settings opens it anew, and the old one is closed when no operation that began with it can ask it", async () => {
  const USD = record({ settings: { timeout_ms: 100 } });
  const records = [USD];
  const { processors, notes } = noted(records, undefined, { heldForMs: 500 });
  await processors.of(USD.merchantId);
  records[0] = { ...USD, settings: { timeout_ms: 101 } };
  assert.equal((await processors.find(USD.merchantId, USD.id)).timeoutMs, 101);
  const changedMs = performance.now();
  assert.deepEqual(notes, ["open 1", "open 2"]);
  while (notes.length === 2) await sleep(20);
  assert.deepEqual(notes, ["open 1", "open 2", "close 1"]);
  // A charge that waited for its turn for so long, and then its own question and three of its reversal.
  assert.ok(performance.now() - changedMs >= 500 + 4 * 100 - 10);
});

test("one that nobody used for long is closed, and opened anew at its next use; one in use stays open", async () => {
  const [USED, UNUSED] = [record(), record({ id: "unused", settings: { timeout_ms: 100 } })];
  const records = [USED, UNUSED];
  const { processors, notes } = noted(records, undefined, { heldForMs: 0, idleMs: 400 });
  await processors.of(USED.merchantId);
  processors.answered(USED.id);
  processors.answered(UNUSED.id);
  records.pop();
  for (let nth = 0; nth < 500 && !notes.includes("close 2"); nth++) {
    await processors.find(USED.merchantId, USED.id);
    await sleep(20);
  }
  assert.deepEqual([processors.answers(USED.id), processors.answers(UNUSED.id)], [1, 0]);
  records.push(UNUSED);
  await processors.of(USED.merchantId);
  assert.deepEqual(notes, ["open 1", "open 2", "close 2", "open 3"]);
  await processors.close();
});

test("any other change is seen at once, and opens nothing", async () => {
  const USD = record();
  const records = [USD];
  const { processors, notes } = noted(records);
  await processors.of(USD.merchantId);
  records[0] = { ...USD, enabled: false, schedule: { ...USD.schedule, cutoff_at: "18:00" } };
  const { record: now } = await processors.find(USD.merchantId, USD.id);
  assert.deepEqual([now.enabled, now.schedule.cutoff_at, notes], [false, "18:00", ["open 1"]]);
});

test("what the operator demands and what the processor demands by its nature are demanded together", async () => {
  const USD = record({ requires: { cvv: ["visa"], names: true, document: false } });
  const { processors } = noted([USD], { cvv: ["visa", "amex"], names: false, document: true });
  const { record: now } = await processors.find(USD.merchantId, USD.id);
  assert.deepEqual(now.requires, { cvv: ["visa", "amex"], names: true, document: true });
});

test("without a timeout in its settings a processor has twenty seconds", async () => {
  const USD = record({ settings: {} });
  assert.equal((await noted([USD]).processors.find(USD.merchantId, USD.id)).timeoutMs, 20_000);
});

test("a record that is gone is named", async () => {
  const USD = record();
  const { processors } = noted([USD]);
  await assert.rejects(processors.find(USD.merchantId, "other"), /processor other of merchant .* is gone/);
});

for (const [what, odd, why] of [
  ["is of a kind that nobody knows", { kind: "odd" }, /^it is of the kind odd, which this version does not know$/],
  ["has settings that do not fit", { settings: { faulty: true } }, / \(simulator\): faulty is unknown\.$/],
] as const)
  test(`nothing is sent to a record that ${what}, and the merchant's others go on`, async () => {
    const { processors, notes, warnings } = noted([record(odd), record()]);
    const [first, second] = await processors.of("m");
    assert.ok(first && second);
    const answer = await first.processor.charge(chargeQuestion("sale"), AbortSignal.timeout(1_000));
    assert.equal(answer.kind, "not-sent");
    assert.match(answer.why, why);
    assert.deepEqual(notes, ["open 1"]);
    // Once, and not each time that records are read.
    await processors.of("m");
    assert.equal(warnings.length, 1);
  });

test("closing closes all that are open", async () => {
  const { processors, notes } = noted([record(), record()]);
  await processors.of("m");
  await processors.close();
  assert.deepEqual(notes, ["open 1", "open 2", "close 1", "close 2"]);
});

test("closing closes what was opened anew a moment ago as well, and once", async () => {
  const USD = record({ settings: { timeout_ms: 100 } });
  const records = [USD];
  const { processors, notes } = noted(records, undefined, { heldForMs: 20 });
  await processors.of(USD.merchantId);
  records[0] = { ...USD, settings: { timeout_ms: 101 } };
  await processors.of(USD.merchantId);
  await processors.close();
  await sleep(500);
  assert.deepEqual(notes, ["open 1", "open 2", "close 1", "close 2"]);
});

test("what a record was before is forgotten, however often it is read anew", async () => {
  const USD = record();
  const records = [USD];
  const { processors } = noted(records);
  const before: WeakRef<object>[] = [];
  for (let times = 0; times < 100; times++) {
    records[0] = { ...USD };
    const [atWork] = await processors.of(USD.merchantId);
    assert.ok(atWork);
    before.push(new WeakRef(atWork));
  }
  await sleep(0); // a WeakRef holds what it is asked for until the end of this turn
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  assert.ok(before.filter((one) => one.deref() !== undefined).length <= 2);
});
