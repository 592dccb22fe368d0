import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { timestamp } from "./represent.ts";

test("a time is shown to the second, whichever were shown before it", () => {
  const instants = fc.date({ min: new Date("1960-01-01Z"), max: new Date("2100-01-01Z"), noInvalidDate: true });
  const nearly = fc.integer({ min: -1_500, max: 1_500 });
  fc.assert(
    fc.property(instants, fc.array(nearly, { maxLength: 5 }), (instant, apart) => {
      for (const ms of [0, ...apart]) {
        const shown = new Date(instant.getTime() + ms);
        assert.equal(timestamp(shown), `${shown.toISOString().slice(0, 19)}+00:00`);
      }
    }),
    { numRuns: 2_000 },
  );
  assert.equal(timestamp(new Date("2018-02-16T16:33:40.999Z")), "2018-02-16T16:33:40+00:00");
  assert.throws(() => timestamp(new Date(Number.NaN)), RangeError);
});
