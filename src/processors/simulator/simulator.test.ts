import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { chargeQuestion, followUpQuestion } from "../../../test/conformance/questions.ts";
import { simulatorRecord } from "../../../test/conformance/simulator-record.ts";
import { fixedClock } from "../../../test/hand-clock.ts";
import { CARD_BRANDS } from "../../payment/card-brand.ts";
import { defaultSchedule, settlementTimes } from "../../payment/settlement.ts";
import type { CardChargeQuestion } from "../processor.ts";
import { simulatorKind } from "./simulator.ts";

const CLOCK = fixedClock("2030-05-15T12:00:00Z");
const open = (settings: Readonly<Record<string, unknown>> = {}) =>
  simulatorKind.open(simulatorRecord(settings), { clock: CLOCK });
const NO_DEADLINE = new AbortController().signal;

const SALE: CardChargeQuestion = chargeQuestion("sale", {
  reference: "019e2f3a-aaaa-7000-8000-000000000001",
  transactionId: "019e2f3a-bbbb-7000-8000-000000000001",
});

/** Asks, and keeps the process alive meanwhile: the simulator's own timers do not. */
async function alive<T>(answer: Promise<T>): Promise<T> {
  const keeper = setTimeout(() => {}, 30_000);
  try {
    return await answer;
  } finally {
    clearTimeout(keeper);
  }
}

test("without settings it takes every brand and has every capability", () => {
  const processor = open();
  for (const brand of CARD_BRANDS) assert.equal(processor.takes(brand), true, brand);
  assert.deepEqual(processor.capabilities, {
    ...{ partialVoid: true, multipleCaptures: true, refundBeforeSettlement: true },
    ...{ voidsWholePaymentsOnly: false, refundsCapturedAuthorizations: false },
  });
  assert.equal(processor.keepsCardNumber, false);
  assert.deepEqual(processor.requires, { cvv: [], names: false, document: false });
});

test("brands and capabilities are what the settings say", () => {
  const processor = open({
    card_brands: ["visa", "elo"],
    partial_void: false,
    multiple_captures: false,
    refund_before_settlement: false,
    voids_whole_payments_only: true,
    refunds_captured_authorizations: true,
  });
  assert.deepEqual(
    CARD_BRANDS.filter((brand) => processor.takes(brand)),
    ["visa", "elo"],
  );
  assert.deepEqual(processor.capabilities, {
    partialVoid: false,
    multipleCaptures: false,
    refundBeforeSettlement: false,
    voidsWholePaymentsOnly: true,
    refundsCapturedAuthorizations: true,
  });
});

test("what its account's terms forbid no setting allows", async () => {
  const settings = { refund_before_settlement: true, refunds_captured_authorizations: true };
  const processor = simulatorKind.open(simulatorRecord(settings, "CAD"), { clock: CLOCK });
  const charge = chargeQuestion("auth", { currency: "CAD" });
  const captures = [
    { left: charge.amount, settlement: settlementTimes(defaultSchedule("CAD"), new Date("2030-05-15T11:00:00Z")) },
  ];
  const answer = await processor.followUp(followUpQuestion("refund", charge, null, { captures }), NO_DEADLINE);
  assert.ok(answer.kind === "declined" && answer.processorResponse.code === "A2", JSON.stringify(answer.kind));
});

test("the same question has the same answer after a restart, in this release and the next", async () => {
  const first = await open().charge(SALE, NO_DEADLINE);
  assert.deepEqual(await open().charge(SALE, NO_DEADLINE), first);
  assert.deepEqual(first, {
    kind: "approved",
    processorResponse: {
      code: "00",
      message: "APPROVED",
      transactionId: "sim-3428a465b7512cf46f56bbe5",
      authCode: "4MK7AR",
      avs: null,
      rawAvs: null,
      cvv: "match",
      rawCvv: "M",
      threeDSecure: null,
      rawThreeDSecure: null,
      detail: null,
    },
  });
});

test("an answer takes latency_ms", async () => {
  const askedAt = performance.now();
  assert.equal((await alive(open({ latency_ms: 80 }).charge(SALE, NO_DEADLINE))).kind, "approved");
  assert.ok(performance.now() - askedAt >= 79);
});

test("the card of the late answer is approved after timeout_ms, for whoever still waits", async () => {
  const late = chargeQuestion("sale", { number: "4000000000000689" });
  const processor = open({ timeout_ms: 100 });
  const askedAt = performance.now();
  assert.equal((await alive(processor.charge(late, NO_DEADLINE))).kind, "approved");
  assert.ok(performance.now() - askedAt > 101, "not at the timeout but after it");
  assert.equal((await alive(processor.charge(late, AbortSignal.timeout(100)))).kind, "unanswered");
});

test("the card without an answer has none, and its question ends with the deadline", async () => {
  for (const type of ["sale", "auth"] as const) {
    const answer = await alive(
      open().charge(chargeQuestion(type, { number: "4000000000000408" }), AbortSignal.timeout(50)),
    );
    assert.deepEqual(answer, { kind: "unanswered", why: "The deadline passed before the answer came" });
  }
});

test("silent operations are silent and the others are not", async () => {
  const processor = open({ silent_operations: ["capture", "reversal"] });
  const within = () => AbortSignal.timeout(50);
  const ask = (type: "capture" | "void" | "refund") => processor.followUp(followUpQuestion(type, SALE, null), within());
  const answers = [processor.charge(SALE, within()), ask("capture"), ask("void"), ask("refund")];
  const kinds = (await alive(Promise.all(answers))).map(({ kind }) => kind);
  assert.deepEqual(kinds, ["approved", "unanswered", "approved", "approved"]);
  assert.equal((await alive(processor.timeoutReversal(SALE, within()))).kind, "unanswered");
});

/** Runs a program in a process of its own, where nobody else's timers are. @returns what it printed */
async function printedBy(program: string): Promise<string> {
  const url = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const imports = `
    import { createHook } from "node:async_hooks";
    import { setTimeout as pause, setImmediate as immediately } from "node:timers/promises";
    import { simulatorKind } from ${url("simulator.ts")};
    import { simulatorRecord } from ${url("../../../test/conformance/simulator-record.ts")};
    import { chargeQuestion } from ${url("../../../test/conformance/questions.ts")};
    const open = (settings) => simulatorKind.open(simulatorRecord(settings), { clock: { now: () => new Date() } });`;
  const options = ["--input-type=module", "--eval", imports + program];
  return (await promisify(execFile)(process.execPath, options, { timeout: 60_000 })).stdout;
}

test("no timer is left when deadlines pass, answers come, or the processor closes", async () => {
  const program = `
    const timers = new Set();
    const hook = createHook({
      init: (id, type) => type === "Timeout" && timers.add(id),
      destroy: (id) => timers.delete(id),
    });
    const sale = chargeQuestion("sale", { number: "4111111111111111" });
    const [processor, silent] = [open({ latency_ms: 20 }), open({ silent_operations: ["sale"] })];
    const deadlines = Array.from({ length: 100 }, () => new AbortController());
    hook.enable();
    const asked = deadlines.flatMap(({ signal }) => [processor.charge(sale, signal), silent.charge(sale, signal)]);
    const closed = Array.from({ length: 100 }, () => silent.charge(sale, new AbortController().signal));
    const set = timers.size;
    await pause(60);
    for (const deadline of deadlines) deadline.abort();
    await silent.close();
    await Promise.all([...asked, ...closed]);
    await immediately(); // a timer's end is told after the turn that ends it
    await immediately();
    hook.disable();
    console.log([set, timers.size].join());`;
  assert.equal(await printedBy(program), "300,0\n");
});

test("a question without an answer keeps no process alive", async () => {
  const program = `
    const processor = open({ latency_ms: 60000 });
    for (const number of ["4111111111111111", "4000000000000408", "4000000000000689"])
      void processor.charge(chargeQuestion("sale", { number }), new AbortController().signal);
    console.log("asked");`;
  assert.equal(await printedBy(program), "asked\n");
});
