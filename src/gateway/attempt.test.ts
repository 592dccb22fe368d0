import assert from "node:assert/strict";
import { test } from "node:test";
import { idOf, installation, record, render } from "../../test/gateway-in-memory.ts";
import type { Transaction } from "../payment/transaction.ts";
import { NOTHING_CHECKED } from "../payment/verification.ts";
import type { Answer } from "../processors/processor.ts";
import { endOpen } from "./attempt.ts";

const USD = record();
const APPROVED: Answer = {
  kind: "approved",
  processorResponse: { code: "00", message: "APPROVED", transactionId: "1", authCode: "123456", ...NOTHING_CHECKED },
};

test("news of a charge that was given up meanwhile is not its end: the charge is still taken back", async () => {
  const { join, books, memory } = installation([USD], { line: () => "loses answer" });
  const { parts, charge } = join();
  const id = idOf(await charge());
  const stored = await parts.journal.find(USD.merchantId, id);
  const [event] = stored?.events ?? [];
  assert.ok(stored && event?.outcome?.kind === "unanswered");
  const open = { ...event, outcome: null };
  const transaction: Transaction = { ...stored, events: [open] };
  const atWork = await parts.processors.find(USD.merchantId, event.processorId);
  assert.equal(await endOpen(parts, { transaction, event: open, atWork }, APPROVED, render), false);
  assert.equal((await parts.journal.find(USD.merchantId, id))?.events[0]?.outcome?.kind, "unanswered");
  assert.deepEqual([memory.unresolved, books.asked.length], [1, 1]);
});
