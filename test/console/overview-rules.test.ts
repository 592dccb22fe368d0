// What the overview's charts show, without a browser: a place for each step of the period, and names where there is room for them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { behindOf } from "../../console/src/overview/behind.ts";
import { namedSteps, nameOf, pointsOf, shortNameOf } from "../../console/src/overview/series.ts";
import { counted, percent } from "../../console/src/overview/words.ts";
import type { Overview } from "../../packages/client/src/openapi.ts";

const AT = "2031-05-02T00:00:00+00:00";
const overview = {
  ...{ currency: "USD", from: "2031-05-01T00:00:00+00:00", to: "2031-05-04T00:00:00+00:00", step: "day" },
  points: [
    ...[
      {
        at: AT,
        count: 4,
        approved: 2,
        declined: 1,
        unknown: 1,
        amount: "30.50",
        approval_rate: 0.6667,
        refunded: "5.00",
      },
    ],
  ],
} as unknown as Overview;

test("a chart has a place for each step of the period, also where nothing happened", () => {
  const points = pointsOf(overview);
  const quiet = { hundredths: 0, refunded: 0, count: 0, approved: 0, declined: 0, unknown: 0, rate: null };
  assert.deepEqual(points, [
    { at: new Date("2031-05-01T00:00:00Z"), ...quiet },
    ...[
      {
        at: new Date(AT),
        hundredths: 3050,
        refunded: 500,
        count: 4,
        approved: 2,
        declined: 1,
        unknown: 1,
        rate: 0.6667,
      },
    ],
    { at: new Date("2031-05-03T00:00:00Z"), ...quiet },
  ]);
});

test("no more steps have a name below the chart than there is room for, and the first always has", () => {
  assert.deepEqual(namedSteps(7, 10), [0, 1, 2, 3, 4, 5, 6]);
  assert.deepEqual(namedSteps(7, 3), [0, 3, 6]);
  assert.deepEqual(namedSteps(30, 7.4), [0, 5, 10, 15, 20, 25]);
  assert.deepEqual(namedSteps(3, 0.2), [0]);
  assert.deepEqual(namedSteps(0, 5), []);
});

test("a step is called by what tells it from the next", () => {
  const at = new Date("2031-05-02T14:00:00Z");
  assert.deepEqual(
    (["hour", "day", "month"] as const).map((step) => [nameOf(at, step), shortNameOf(at, step)]),
    [
      ["2 May 2031, 14:00", "14:00"],
      ["2 May 2031", "2 May"],
      ["May 2031", "May 31"],
    ],
  );
});

test("figures are in words: one charge, many, and a rate that nobody knows yet", () => {
  assert.deepEqual(
    [counted(1, "charge"), counted(0, "charge"), counted(1200, "charge")],
    ["1 charge", "0 charges", "1,200 charges"],
  );
  assert.deepEqual([percent(0.7025), percent(1), percent(null)], ["70.3 %", "100.0 %", "–"]);
});

test("figures that are behind say so, and none is shown as zero before anything of the period is added up", () => {
  const now = new Date("2031-05-08T12:00:00Z");
  for (const [from, to, as_of, behind] of [
    ["2031-05-02", "2031-05-08", "2031-05-08T11:59:00Z", "no"],
    ["2031-05-02", "2031-05-08", "2031-05-08T11:57:00Z", "some"],
    ["2031-05-02", "2031-05-08", "2031-05-02T00:00:01Z", "some"],
    ["2031-05-02", "2031-05-08", "2031-05-02T00:00:00Z", "all"],
    ["2031-05-08", "2031-05-08", "2031-05-07T23:00:00Z", "all"],
    // A period that is over is complete as soon as its end is.
    ["2031-04-01", "2031-04-30", "2031-05-01T00:00:00Z", "no"],
    ["2031-04-01", "2031-04-30", "2031-04-30T23:00:00Z", "some"],
    // Nothing can be behind of what is to come.
    ["2031-05-08", "2031-06-30", "2031-05-08T12:00:00Z", "no"],
  ] as const)
    assert.equal(behindOf({ from, to, as_of }, now), behind, `${from} ${to} ${as_of}`);
});
