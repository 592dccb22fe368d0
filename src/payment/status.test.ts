import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { at, PROCESSOR_RESPONSE, told } from "../../test/transactions.ts";
import { batchId, batchOf, type Status, statuses } from "./status.ts";

type Events = readonly [string, ...string[]];

describe("the statuses of events, oldest first", () => {
  const rows: readonly (readonly [string, Events, string, readonly Status[]])[] = [
    ["an auth", ["CAD auth 100"], "9 00:00", ["authorized"]],
    ["no outcome yet", ["CAD sale 100 pending"], "1 12:00", ["pending"]],
    ["declined", ["CAD sale 100 declined"], "1 12:00", ["declined"]],
    ["no answer", ["CAD sale 100 unanswered"], "1 12:00", ["error"]],
    ["nothing was sent", ["CAD sale 100 not-sent", "sale 100"], "1 12:00", ["error", "pending_settlement"]],
    ["a sale before its cut-off", ["CAD sale 100"], "1 21:59:59.999", ["pending_settlement"]],
    ["a sale at its cut-off", ["CAD sale 100"], "1 22:00", ["unsettled"]],
    ["a sale until it shows", ["CAD sale 100"], "2 02:19:59.999", ["unsettled"]],
    ["a settled sale", ["CAD sale 100"], "2 02:20", ["settled"]],
    ["a capture like a sale", ["CAD auth 100", "capture 60"], "1 22:00", ["authorized", "unsettled"]],
    [
      "captures of two days",
      ["CAD auth 100", "capture 60", "capture 40 at 1 22:00"],
      "2 02:20",
      ["authorized", "settled", "pending_settlement"],
    ],
    ["a refund settles like a capture", ["CAD sale 100", "refund 100 at 2 12:00"], "2 22:00", ["settled", "unsettled"]],
    ["a void", ["USD sale 100", "void 60"], "1 12:00", ["pending_settlement", "voided"]],
    ["a void that was declined", ["CAD sale 100", "void 100 declined"], "1 12:00", ["pending_settlement", "declined"]],
    ["a void that came too late", ["CAD sale 100", "void 100 already-settled"], "1 22:00", ["unsettled", "declined"]],
  ];
  for (const [name, events, now, expected] of rows)
    test(name, () => assert.deepEqual(statuses(told(...events), at(now)), expected));
});

describe("what was wholly voided shows it, and so does the void", () => {
  const rows: readonly (readonly [string, Events, readonly Status[]])[] = [
    ["a sale", ["CAD sale 100", "void 100"], ["voided", "voided"]],
    ["an auth", ["CAD auth 100", "void 100"], ["voided", "voided"]],
    ["an auth and its captures", ["CAD auth 100", "capture 60", "void 100"], ["voided", "voided", "voided"]],
    ["in parts", ["USD sale 100", "void 60", "void 40"], ["voided", "voided", "voided"]],
    ["a cent is left", ["USD sale 100", "void 60", "void 39"], ["unsettled", "voided", "voided"]],
    ["only what was not captured", ["USD auth 100", "capture 60", "void 40"], ["authorized", "unsettled", "voided"]],
    [
      "one of two captures",
      ["USD auth 100", "capture 60", "capture 40 at 1 22:00", "void 40 at 1 22:00"],
      ["authorized", "unsettled", "voided", "voided"],
    ],
    ["by a void that is in flight", ["CAD sale 100", "void 100 pending"], ["unsettled", "pending"]],
    [
      "in part, and the rest by one that is in flight",
      ["USD auth 100", "void 40", "void 60 pending"],
      ["authorized", "voided", "pending"],
    ],
    ["a refund beside it does not", ["USD sale 100", "refund 40", "void 60"], ["unsettled", "unsettled", "voided"]],
    [
      "a declined capture stays declined",
      ["CAD auth 100", "capture 60 declined", "void 100"],
      ["voided", "declined", "voided"],
    ],
  ];
  for (const [name, events, expected] of rows)
    test(name, () => assert.deepEqual(statuses(told(...events), at("1 22:00")), expected));
});

describe("a batch", () => {
  const RECORD = "01970000-0000-7000-8000-00000000000d";
  const batchAt = (now: string, ...events: Events) => {
    const last = told(...events).events.at(-1);
    return last && batchOf(last, at(now));
  };
  const times = (cutoffAt: string) => ({ cutoffAt: at(cutoffAt), settledAt: at(cutoffAt), visibleAt: at(cutoffAt) });

  test("has a UUID of version 7 that begins with the time of its cut-off", () => {
    const id = batchId(RECORD, times("1 22:00"));
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(Number.parseInt(id.slice(0, 13).replace("-", ""), 16), at("1 22:00").getTime());
  });

  test("is the same for all money of a record and a cut-off, today and in the next release", () => {
    assert.equal(batchId(RECORD, times("1 22:00")), "01bb4979-5300-7aa8-8fd0-d7d17a9ff0b8");
  });

  test("is another one for another cut-off or another record", () => {
    const ids = [
      batchId(RECORD, times("1 22:00")),
      batchId(RECORD, times("2 22:00")),
      batchId("another", times("1 22:00")),
    ];
    assert.equal(new Set(ids).size, 3);
  });

  test("is told from the cut-off on", () => {
    const id = batchId(RECORD, times("1 22:00"));
    assert.equal(batchAt("1 21:59:59.999", "USD sale 100"), null);
    assert.equal(batchAt("1 22:00", "USD sale 100"), id);
    assert.equal(batchAt("9 00:00", "USD sale 100"), id);
    assert.equal(batchAt("9 00:00", "USD auth 100", "capture 60 at 1 21:00"), id);
  });

  test("holds captured and refunded money only", () => {
    const rows: readonly Events[] = [
      ["USD auth 100"],
      ["USD sale 100", "void 100"],
      ["USD sale 100 declined"],
      ["USD sale 100 pending"],
      ["USD sale 100", "void 100 already-settled"],
    ];
    for (const events of rows) assert.equal(batchAt("9 00:00", ...events), null, events.join());
    assert.notEqual(batchAt("9 00:00", "USD sale 100", "refund 1"), null);
  });
});

test("the words of an approved outcome do not matter to its status", () => {
  const transaction = told("USD sale 100");
  const [sale] = transaction.events;
  const outcome = {
    kind: "declined" as const,
    at: at("1 12:00"),
    processorResponse: { ...PROCESSOR_RESPONSE, code: "00" },
  };
  assert.deepEqual(statuses({ ...transaction, events: [{ ...sale, outcome }] }, at("1 12:00")), ["declined"]);
});
