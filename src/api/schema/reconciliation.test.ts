// What a merchant is shown of a reconciliation.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { KeptRun } from "../../settlement/reconciliation/runs.ts";
import { showOwnRun, showRun } from "./reconciliation.ts";

const sum = { finding: "pending", currency: "USD", count: 1, here: "1.00", there: "0.00" } as const;
const RUN: KeptRun = {
  ...{ merchant_id: crypto.randomUUID(), id: crypto.randomUUID(), processor_id: crypto.randomUUID() },
  ...{ source: "report", day: null, payout: null, file: "march.csv", currency: "USD", created_at: new Date(0) },
  counts: { lines: 9, differences: 3, pending: 1, notClosed: 1, chargebacks: 2, nearMidnight: 0, others: 1, broken: 0 },
  sums: [sum, { finding: "missing-here", currency: "USD", count: 2, here: "0.00", there: "98.76" }],
  batches: [{ batch_id: "1", left: "0.00" }],
  own: { differences: 1, pending: 1, notClosed: 0, chargebacks: 0, withheld: 5, sums: [sum] },
};

test("a merchant sees counts and sums of its own findings, no batches and no file; an operator all", () => {
  const { counts, sums, batches, file } = showOwnRun(RUN);
  assert.deepEqual([sums, batches, file], [[sum], [], null]);
  const own = { differences: 1, pending: 1, not_closed: 0, chargebacks: 0, withheld: 5 };
  assert.deepEqual(counts, { lines: 9, near_midnight: 0, too_recent: 0, others: 1, malformed: 0, ...own });
  const all = showRun(RUN);
  assert.deepEqual([all.sums, all.batches, all.file], [RUN.sums, RUN.batches, "march.csv"]);
  assert.deepEqual([all.counts.differences, all.counts.withheld, "own" in all], [3, 0, false]);
});

test("of a run that was kept without its own findings a merchant sees only how many there were", () => {
  const { counts, sums } = showOwnRun({ ...RUN, own: null });
  assert.deepEqual([counts.differences, counts.pending, counts.chargebacks, counts.withheld, sums], [0, 0, 0, 7, []]);
});
