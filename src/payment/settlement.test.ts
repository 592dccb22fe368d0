import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { at } from "../../test/transactions.ts";
import { defaultSchedule, nextAfter, type Schedule, settlementTimes } from "./settlement.ts";

test("CAD accounts capture by themselves at 20:30, others do not; all of them cut off at 22:00", () => {
  const times = { cutoff_at: "22:00", settled_at: "02:00", visible_at: "02:20" };
  assert.deepEqual(defaultSchedule("CAD"), { auto_capture_at: "20:30", ...times });
  for (const currency of ["USD", "EUR", "BRL"])
    assert.deepEqual(defaultSchedule(currency), { auto_capture_at: null, ...times });
});

const WITHIN_A_DAY: Schedule = {
  ...defaultSchedule("USD"),
  cutoff_at: "18:00",
  settled_at: "22:00",
  visible_at: "22:20",
};
const AROUND_THE_CLOCK: Schedule = { ...defaultSchedule("USD"), settled_at: "22:00", visible_at: "22:00" };
const AT_MIDNIGHT: Schedule = {
  ...defaultSchedule("USD"),
  cutoff_at: "00:00",
  settled_at: "00:01",
  visible_at: "00:00",
};

describe("captured before the cut-off money is in that day's batch, at it in the next", () => {
  const rows: readonly (readonly [string, Schedule, string, string, string, string])[] = [
    ["in the morning", defaultSchedule("CAD"), "1 00:00", "1 22:00", "2 02:00", "2 02:20"],
    ["a moment before", defaultSchedule("CAD"), "1 21:59:59.999", "1 22:00", "2 02:00", "2 02:20"],
    ["at it", defaultSchedule("CAD"), "1 22:00", "2 22:00", "3 02:00", "3 02:20"],
    ["after midnight", defaultSchedule("CAD"), "2 01:00", "2 22:00", "3 02:00", "3 02:20"],
    ["a window within a day", WITHIN_A_DAY, "1 17:59:59.999", "1 18:00", "1 22:00", "1 22:20"],
    ["a window within a day, at its cut-off", WITHIN_A_DAY, "1 18:00", "2 18:00", "2 22:00", "2 22:20"],
    ["a window of a day", AROUND_THE_CLOCK, "1 21:59:59.999", "1 22:00", "2 22:00", "2 22:00"],
    ["a cut-off at midnight", AT_MIDNIGHT, "1 12:00", "2 00:00", "2 00:01", "3 00:00"],
  ];
  for (const [name, schedule, capturedAt, cutoffAt, settledAt, visibleAt] of rows)
    test(name, () => {
      const expected = { cutoffAt: at(cutoffAt), settledAt: at(settledAt), visibleAt: at(visibleAt) };
      assert.deepEqual(settlementTimes(schedule, at(capturedAt)), expected);
    });
});

const minute = fc.integer({ min: 0, max: 24 * 60 - 1 });
const time = minute.map((of) => new Date(of * 60_000).toISOString().slice(11, 16));
const instant = fc.date({
  min: new Date("1970-01-01T00:00:00Z"),
  max: new Date("2199-12-31T00:00:00Z"),
  noInvalidDate: true,
});
const DAY_MS = 86_400_000;

test("the next time of day is within a day, and never now", () => {
  fc.assert(
    fc.property(instant, time, (from, of) => {
      const next = nextAfter(from, of);
      assert.equal(next.toISOString().slice(11), `${of}:00.000Z`);
      assert.ok(next > from && next.getTime() - from.getTime() <= DAY_MS);
    }),
  );
});

test("whatever the schedule, cut-off, end and visibility follow each other, each within a day", () => {
  fc.assert(
    fc.property(instant, time, time, time, (capturedAt, cutoff_at, settled_at, visible_at) => {
      const times = settlementTimes({ auto_capture_at: null, cutoff_at, settled_at, visible_at }, capturedAt);
      assert.ok(capturedAt < times.cutoffAt && times.cutoffAt < times.settledAt && times.settledAt <= times.visibleAt);
      assert.ok(times.visibleAt.getTime() - capturedAt.getTime() <= 3 * DAY_MS);
    }),
  );
});
