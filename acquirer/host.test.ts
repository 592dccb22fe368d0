import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { Processor } from "../src/processors/processor.ts";
import {
  openProcessor,
  testHost,
  testRecord,
  testSettings,
  type Writing,
} from "../test/conformance/iso8583-subject.ts";
import { chargeQuestion, followUpQuestion, timeoutReversalQuestion } from "../test/conformance/questions.ts";
import { startControl } from "./control.ts";
import type { Host } from "./host.ts";
import type { Rule } from "./misbehaviour.ts";

const WRITING: Writing = { framing: "binary-4", digits: "bcd", bitmap: "binary" };
const inTime = () => AbortSignal.timeout(10_000);
const soon = () => AbortSignal.timeout(500);

async function withHost(check: (host: Host, processor: Processor) => Promise<void>): Promise<void> {
  const host = await testHost(WRITING);
  const processor = openProcessor(testRecord(testSettings(host.port, WRITING)));
  try {
    await processor.health(AbortSignal.timeout(5_000));
    await check(host, processor);
  } finally {
    await processor.close();
    await host.stop();
  }
}

test("each misbehaviour is what it says, to the gateway and to the books", () =>
  withHost(async (host, processor) => {
    for (const [what, kind, booked] of [
      ["delay", "approved", 1000n],
      ["duplicate", "approved", 1000n],
      ["drop-before", "unanswered", 0n],
      ["drop-after", "unanswered", 1000n],
      ["garbage", "unanswered", 1000n],
      ["half", "unanswered", 1000n],
      ["disconnect-before", "unanswered", 0n],
      ["disconnect-after", "unanswered", 1000n],
    ] as const) {
      host.misbehave({ what, ms: 20 });
      const sale = chargeQuestion("sale");
      assert.equal((await processor.charge(sale, kind === "approved" ? inTime() : soon())).kind, kind, what);
      assert.equal(host.books.balance(sale.transactionId), booked, what);
      host.behave();
      // Whatever it was, a reversal ends it.
      const answer = await processor.timeoutReversal(timeoutReversalQuestion(sale), AbortSignal.timeout(5_000));
      assert.equal(answer.kind, "confirmed", what);
      assert.equal(host.books.balance(sale.transactionId), 0n, what);
    }
  }));

test("a follow-up whose answer was lost is asked again under its own number, and is booked once", () =>
  withHost(async (host, processor) => {
    for (const [on, type, after] of [
      ["auth", "capture", 1000n],
      ["auth", "void", 600n],
      ["sale", "refund", 600n],
    ] as const) {
      const charge = chargeQuestion(on);
      const approved = await processor.charge(charge, AbortSignal.timeout(5_000));
      assert.ok(approved.kind === "approved");
      const question = followUpQuestion(type, charge, approved.processorResponse, { minor: 400n });
      host.misbehave({ what: "drop-after", times: 2 });
      const kinds = [];
      for (const signal of [soon, soon, inTime, inTime])
        kinds.push((await processor.followUp(question, signal())).kind);
      assert.deepEqual(kinds, ["unanswered", "unanswered", "approved", "approved"], type);
      assert.equal(host.books.balance(charge.transactionId), after, type);
    }
  }));

test("the cards of no answer and of a late one are booked, and their answers are not used", () =>
  withHost(async (host, processor) => {
    for (const number of ["4000000000000408", "4000000000000689"]) {
      const sale = chargeQuestion("sale", { number });
      assert.equal((await processor.charge(sale, soon())).kind, "unanswered");
      assert.equal(host.books.balance(sale.transactionId), 1000n);
    }
  }));

test("after an outage the gateway is back by itself", () =>
  withHost(async (host, processor) => {
    const outage = host.outage(200);
    const during = await processor.charge(chargeQuestion("sale"), AbortSignal.timeout(150));
    assert.notEqual(during.kind, "approved");
    await outage;
    const until = performance.now() + 60_000;
    let last: string;
    do {
      await pause(20);
      last = (await processor.charge(chargeQuestion("sale"), AbortSignal.timeout(1_000))).kind;
    } while (last !== "approved" && performance.now() < until);
    assert.equal(last, "approved");
  }));

test("the control port misbehaves, settles, and shows balances and a day's books", () =>
  withHost(async (host, processor) => {
    const control = await startControl(host, 0);
    const call = (method: string, path: string, body?: unknown) =>
      fetch(`http://127.0.0.1:${control.port}${path}`, {
        method,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    const rule: Rule = { what: "drop-after", on: ["sale"] };
    assert.equal((await call("POST", "/misbehave", rule)).status, 204);
    const sale = chargeQuestion("sale");
    assert.equal((await processor.charge(sale, soon())).kind, "unanswered");
    assert.equal((await call("DELETE", "/misbehave")).status, 204);
    assert.equal(await (await call("GET", `/balance/${sale.transactionId}`)).text(), "1000\n");
    assert.equal((await call("POST", "/settle")).status, 204);
    const day = new Date().toISOString().slice(0, 10);
    const lines = (await (await call("GET", `/books/${day}.csv`)).text()).split("\n");
    assert.ok(lines.some((line) => line.includes(",sale,TERM01,") && line.includes(`,${sale.transactionId},`)));
    for (const [method, path, body, status] of [
      ["POST", "/misbehave", { what: "sing" }, 400],
      ["POST", "/misbehave", { what: "delay", ms: -1 }, 400],
      ["POST", "/misbehave", { what: "delay", chance: 2 }, 400],
      ["POST", "/misbehave", { what: "delay", on: ["tea"] }, 400],
      ["POST", "/misbehave", { what: "delay", why: 1 }, 400],
      ["GET", "/books/yesterday.csv", undefined, 400],
      ["GET", "/", undefined, 404],
    ] as const)
      assert.equal((await call(method, path, body)).status, status, `${path} ${JSON.stringify(body)}`);
    await control.stop();
  }));
