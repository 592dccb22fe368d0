import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ask, askFor, type Told } from "../../test/follow-ups.ts";
import { capabilitiesIn, refused } from "../../test/rulings.ts";
import { at, told } from "../../test/transactions.ts";
import { decideAutoCapture, mayBeUnsent, restAfterUnsent, SHORTEST_REST_MS, unsentCaptures } from "./auto-capture.ts";
import type { Ask } from "./follow-up.ts";
import type { Refused } from "./refusal.ts";

const decided = (...events: Told) => {
  const transaction = told(...events);
  return decideAutoCapture(transaction, capabilitiesIn(transaction.currency), at("1 20:30"));
};

describe("an authorization of which nothing was captured or voided is captured whole", () => {
  const nothingLeft = refused("nothing-left-to-capture");
  const rows: readonly (readonly [string, Told, Ask | Refused])[] = [
    ["an auth", ["CAD auth 100"], ask("capture", 100n)],
    ["for each passenger", ["CAD auth 100=60+40"], askFor("capture", 60n, 40n)],
    ["at the second processor", ["CAD auth 100 not-sent", "auth 100"], ask("capture", 100n)],
    ["a capture was declined", ["CAD auth 100", "capture 60 declined"], ask("capture", 100n)],
    ["a capture was not sent", ["CAD auth 100", "capture 100 not-sent"], ask("capture", 100n)],
    ["a void was declined", ["CAD auth 100", "void 100 declined"], ask("capture", 100n)],
    ["captured", ["CAD auth 100", "capture 100"], nothingLeft],
    ["captured in part", ["CAD auth 100", "capture 1"], nothingLeft],
    ["one passenger's part captured", ["CAD auth 100=60+40", "capture 60=60+0"], nothingLeft],
    ["voided", ["CAD auth 100", "void 100"], nothingLeft],
    ["voided in part", ["USD auth 100", "void 1"], nothingLeft],
    ["captured and refunded", ["USD auth 100", "capture 100", "refund 100"], nothingLeft],
    ["a capture failed after all", ["CAD auth 100", "capture 100 failed-after-all"], nothingLeft],
    ["a void failed after all", ["CAD auth 100", "void 100 failed-after-all"], nothingLeft],
    ["expired or canceled at the processor", ["CAD auth 100", "void 100 by-processor"], nothingLeft],
    ["canceled there in part", ["USD auth 100", "void 40 by-processor"], nothingLeft],
    ["captured there", ["CAD auth 100", "capture 100 by-processor"], nothingLeft],
    ["captured there in part", ["USD auth 100", "capture 40 by-processor"], nothingLeft],
    ["captured there, and failed", ["CAD auth 100", "capture 100 by-processor failed-after-all"], nothingLeft],
    ["a sale", ["CAD sale 100"], refused("sale-is-captured")],
    ["declined", ["CAD auth 100 declined"], refused("charge-not-approved")],
    ["in flight", ["CAD auth 100 pending"], refused("operation-in-flight")],
    ["a capture is in flight", ["CAD auth 100", "capture 60 pending"], refused("operation-in-flight")],
    ["a void is in flight", ["CAD auth 100", "void 100 pending"], refused("operation-in-flight")],
    ["captured in part, the rest in flight", ["USD auth 100", "capture 60", "capture 40 pending"], nothingLeft],
  ];
  for (const [name, events, expected] of rows) test(name, () => assert.deepEqual(decided(...events), expected));
});

describe("what could not be sent is tried again", () => {
  test("counted are captures that were not sent, from the time of capture on", () => {
    const transaction = told(
      "CAD auth 100",
      "capture 60 not-sent at 1 20:29:59",
      "capture 60 not-sent at 1 20:30",
      "capture 100 declined at 1 20:31",
      "void 100 not-sent at 1 20:32",
      "capture 100 not-sent at 1 20:33",
      "capture 100 pending at 1 20:34",
    );
    assert.equal(unsentCaptures(transaction, at("1 20:30")), 2);
  });

  test("a capture of this time may be unsent for ten minutes, as long as it has no end", () => {
    const rows: readonly (readonly [Told, string, boolean])[] = [
      [["CAD auth 100", "capture 100 pending at 1 20:30"], "1 20:39:59.999", true],
      [["CAD auth 100", "capture 100 pending at 1 20:30"], "1 20:40", false],
      [["CAD auth 100", "capture 100 pending at 1 20:29:59"], "1 20:30", false],
      [["CAD auth 100", "void 100 pending at 1 20:30"], "1 20:30", false],
      [["CAD auth 100", "capture 100 not-sent at 1 20:30"], "1 20:30", false],
    ];
    for (const [events, now, expected] of rows)
      assert.equal(mayBeUnsent(told(...events), at("1 20:30"), at(now)), expected, `${events[1]}, ${now}`);
  });

  test("after longer and longer rests, four times", () => {
    const rests = [1, 2, 3, 4, 5, 6].map(restAfterUnsent);
    assert.deepEqual(rests, [10_000, 30_000, 120_000, 300_000, undefined, undefined]);
    assert.equal(SHORTEST_REST_MS, rests[0]);
  });
});
