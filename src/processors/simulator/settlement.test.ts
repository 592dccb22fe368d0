import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { v7 as uuidv7 } from "uuid";
import { defaultSchedule, settlementTimes } from "../../payment/settlement.ts";
import { settlesAt } from "./follow-up.ts";

const TIMES = settlementTimes(defaultSchedule("CAD"), new Date("2030-05-15T12:00:00Z"));
const IDS = Array.from({ length: 10_000 }, (_, index) => uuidv7({ msecs: 1_900_000_000_000 + index * 7, seq: index }));

const shareSettledAt = (iso: string) => {
  const instant = new Date(iso);
  return IDS.filter((id) => settlesAt(id, TIMES) <= instant).length / IDS.length;
};

test("the window is the one of the schedule", () => {
  assert.deepEqual(
    [TIMES.cutoffAt.toISOString(), TIMES.settledAt.toISOString()],
    ["2030-05-15T22:00:00.000Z", "2030-05-16T02:00:00.000Z"],
  );
});

test("as much money settles in each part of the window as in any other", () => {
  for (const [iso, share] of [
    ["2030-05-15T21:59:59Z", 0],
    ["2030-05-15T23:00:00Z", 0.25],
    ["2030-05-16T00:00:00Z", 0.5],
    ["2030-05-16T01:00:00Z", 0.75],
    ["2030-05-16T02:00:00Z", 1],
  ] as const) {
    const settled = shareSettledAt(iso);
    const margin = share === 0 || share === 1 ? 0 : 0.03;
    assert.ok(Math.abs(settled - share) <= margin, `${iso}: ${settled} settled, ${share} expected`);
  }
});

test("the mean instant is in the middle of the window", () => {
  const total = IDS.reduce((sum, id) => sum + settlesAt(id, TIMES).getTime(), 0);
  const middle = (TIMES.cutoffAt.getTime() + TIMES.settledAt.getTime()) / 2;
  // Three standard errors of the mean of 10,000 even draws from four hours: 4 h / sqrt(12) / 100 * 3.
  const margin = (14_400_000 / Math.sqrt(12) / 100) * 3;
  assert.ok(Math.abs(total / IDS.length - middle) < margin, `${total / IDS.length - middle} ms beside the middle`);
});

test("whatever the window and the transaction, the instant is in the window and the same each time", () => {
  fc.assert(
    fc.property(
      fc.uuid(),
      fc.integer({ min: 0, max: 4e12 }),
      fc.integer({ min: 1, max: 86_400_000 }),
      (id, at, length) => {
        const cutoffAt = new Date(at);
        const settledAt = new Date(at + length);
        const instant = settlesAt(id, { cutoffAt, settledAt, visibleAt: settledAt });
        assert.ok(cutoffAt <= instant && instant < settledAt);
        assert.deepEqual(settlesAt(id, { cutoffAt, settledAt, visibleAt: settledAt }), instant);
      },
    ),
  );
});

test("the instant is the same after a restart, in this release and the next", () => {
  assert.equal(settlesAt("019e2f3a-1234-7000-8000-0123456789ab", TIMES).toISOString(), "2030-05-16T00:13:48.340Z");
});

test("two batches of one transaction are drawn apart", () => {
  const nextDay = settlementTimes(defaultSchedule("CAD"), new Date("2030-05-16T12:00:00Z"));
  const alike = IDS.filter((id) => {
    const [today, tomorrow] = [settlesAt(id, TIMES), settlesAt(id, nextDay)];
    return Math.abs(tomorrow.getTime() - today.getTime() - 86_400_000) < 60_000;
  });
  assert.ok(alike.length / IDS.length < 0.02, `${alike.length} of ${IDS.length} within a minute`);
});
