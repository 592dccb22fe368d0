import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Figure } from "./figure.ts";
import { comparison, type Kept, toCompareWith } from "./kept.ts";

const machine = {
  ...{ cores: 2, processor: "Xeon", memoryGiB: 24, linux: "6", node: "v24", nodeOptions: "", loadBefore: 0.5 },
  ...{ fsyncMs: 0.4, durable: true },
};
const sales = (value: number): Figure => ({ what: "sales", value, unit: "/s", better: "more" });
const kept = (at: string, given: Partial<Kept> = {}): Kept => {
  return { at, machine, workers: 1, plan: { rounds: 3, secondsAPoint: 10 }, figures: [sales(4_000)], ...given };
};

describe("results that are kept", () => {
  const now = kept("now");

  test("one of the same machine with as many workers is compared with: the last of the same plan, or the last of another", () => {
    const short = kept("short", { plan: { rounds: 1, secondsAPoint: 10 } });
    const four = kept("four", { workers: 4 });
    const elsewhere = kept("elsewhere", { machine: { ...machine, cores: 8 } });
    const at = (...all: readonly Kept[]) => toCompareWith(all, now)?.at;
    assert.equal(at(kept("first"), kept("second"), short, four, elsewhere), "second");
    assert.equal(at(kept("older", { plan: short.plan }), short, four, elsewhere), "short");
    assert.equal(at(four, elsewhere), undefined);
    assert.equal(at(kept("other order", { plan: { secondsAPoint: 10, rounds: 3 } }), short), "other order");
  });

  test("what got worse is told, and how the earlier result was measured otherwise", () => {
    const before = kept("before", { plan: { rounds: 1, secondsAPoint: 8 }, figures: [sales(5_000)] });
    assert.deepEqual(comparison(before, now), [
      "Worse than at before, load before 0.5, measured otherwise (rounds 1, secondsAPoint 8; now rounds 3, secondsAPoint 10):",
      "  sales: 5000.0 before, 4000.0 now (25 % worse)",
    ]);
    assert.deepEqual(comparison(kept("before"), now), ["Nothing got a tenth worse since before, load before 0.5."]);
    assert.equal(comparison(undefined, now).length, 1);
  });
});
