// A follow-up's long response, of which only the moment is stored: what is rendered later is what was sent.

import assert from "node:assert/strict";
import { test } from "node:test";
import { installation, inWords, record } from "../../test/gateway-in-memory.ts";
import { told } from "../../test/transactions.ts";
import type { Transaction } from "../payment/transaction.ts";
import { rendered, restored } from "./kept-response.ts";
import { endOf, type Render } from "./result.ts";

const USD = record();
const { parts } = installation([USD]).join();

/** In words, and so many bytes. */
const render =
  (bytes: number): Render =>
  ({ transaction, kind }, at) => ({
    status: 200,
    body: `${at.toISOString()} ${kind} ${inWords(transaction).join(", ")} `.padEnd(bytes, "."),
  });

async function atWork() {
  const [one] = await parts.processors.of(USD.merchantId);
  assert.ok(one);
  return one;
}

test("a response of more than 8,192 bytes is kept as its moment, and of a charge it is kept whole", async () => {
  const kept = async (bytes: number, ...events: readonly [string, ...string[]]) =>
    Object.keys(rendered(parts, endOf(told(...events), await atWork()), render(bytes)).kept);
  assert.deepEqual(await kept(8_192, "USD sale 100", "refund 40"), ["status", "body"]);
  assert.deepEqual(await kept(8_193, "USD sale 100", "refund 40"), ["status", "moment"]);
  assert.deepEqual(await kept(8_193, "USD sale 100"), ["status", "body"]);
});

test("whatever was added, has ended or failed after all since, it is rendered to the byte as it was", async () => {
  const long = render(10_000);
  const before = told("USD auth 100", "capture 30", "capture 20 pending", "capture 10 failed-after-all");
  const after = told(
    "USD auth 100",
    "capture 30 failed-after-all",
    "capture 20",
    "capture 10 failed-after-all",
    "void 50",
  );
  // The first capture was approved before it failed: as in the journal, where a failure stands beside its approval.
  const [charge, first, ...rest] = after.events;
  const approval = before.events[1]?.outcome;
  assert.ok(first?.outcome?.kind === "failed-after-all" && approval?.kind === "approved");
  const stored: Transaction = {
    ...after,
    events: [charge, { ...first, outcome: { ...first.outcome, approval } }, ...rest],
  };
  const { response, kept } = rendered(parts, endOf(before, await atWork()), long);
  const journal = { ...parts.journal, find: async () => stored };
  const { merchantId, id: transactionId } = before;
  assert.deepEqual(await restored({ ...parts, journal }, { merchantId, transactionId }, kept, long), response);
});
