import { granted, refused, ruleTable } from "../../test/rulings.ts";
import { decideRefund } from "./follow-up-rules.ts";

ruleTable("once captured, money is refunded up to captured less refunded", decideRefund, {}, [
  ["a sale", ["USD sale 100"], 100n, granted(100n)],
  ["without an amount all of it", ["USD sale 100"], undefined, granted(100n)],
  ["a part", ["USD sale 100"], 1n, granted(1n)],
  ["a cent too much", ["USD sale 100"], 101n, refused("refund-exceeds-captured", "amount", 100n)],
  ["the rest", ["USD sale 100", "refund 60"], 40n, granted(40n)],
  ["past the rest", ["USD sale 100", "refund 60"], 41n, refused("refund-exceeds-captured", "amount", 40n)],
  ["what was captured of an authorization", ["USD auth 100", "capture 60"], undefined, granted(60n)],
  ["past that", ["USD auth 100", "capture 60"], 61n, refused("refund-exceeds-captured", "amount", 60n)],
  ["not what was voided", ["USD sale 100", "void 60"], undefined, granted(40n)],
  [
    "a void of what was only authorized takes nothing",
    ["USD auth 100", "capture 60", "void 40"],
    undefined,
    granted(60n),
  ],
  [
    "not what is in flight",
    ["USD sale 100", "void 60 pending"],
    41n,
    refused("refund-exceeds-captured", "amount", 40n),
  ],
  ["what a failed refund left", ["USD sale 100", "refund 100 declined"], undefined, granted(100n)],
  ["not a capture that is in flight", ["USD auth 100", "capture 60", "capture 40 pending"], undefined, granted(60n)],
]);

/** 30 in the batch of the first day, 20 in that of the second. */
const TWO_BATCHES = ["CAD auth 100", "capture 30 at 1 21:59:59", "capture 20 at 1 22:00"] as const;

ruleTable("CAD before the cut-off: a void is the way", decideRefund, { now: "1 21:59:59" }, [
  ["all", ["CAD sale 100"], 100n, refused("refund-before-settlement")],
  ["without an amount", ["CAD sale 100"], undefined, refused("refund-before-settlement")],
  ["a part", ["CAD sale 100"], 1n, refused("refund-before-settlement")],
]);

for (const now of ["1 22:00", "2 02:19:59"])
  ruleTable(`CAD inside the window, at ${now}: all or nothing goes to the processor`, decideRefund, { now }, [
    ["all", ["CAD sale 100"], 100n, granted(100n)],
    ["without an amount", ["CAD sale 100"], undefined, granted(100n)],
    ["a cent less", ["CAD sale 100"], 99n, refused("partial-refund-inside-window")],
    ["a cent more", ["CAD sale 100"], 101n, refused("refund-exceeds-captured", "amount", 100n)],
    ["all that is inside the window", TWO_BATCHES, 30n, granted(30n)],
    ["a cent less of two batches", TWO_BATCHES, 29n, refused("partial-refund-inside-window")],
    ["some of the next batch with it", TWO_BATCHES, 31n, refused("refund-exceeds-settled", "amount", 30n)],
    ["a cent more than both", TWO_BATCHES, 51n, refused("refund-exceeds-settled", "amount", 30n)],
    ["without an amount, which would be both", TWO_BATCHES, undefined, refused("refund-exceeds-settled", "base", 30n)],
  ]);

/** Whose answer came after the cut-off, or whose cut-off is earlier at the processor. */
const TOO_LATE = ["CAD sale 100", "void 100 already-settled"] as const;

ruleTable(
  "CAD before the cut-off, when the processor has refused a void since the money had settled: all or nothing goes to the processor",
  decideRefund,
  { now: "1 21:59:59" },
  [
    ["all", TOO_LATE, 100n, granted(100n)],
    ["without an amount", TOO_LATE, undefined, granted(100n)],
    ["a cent less", TOO_LATE, 99n, refused("partial-refund-inside-window")],
    [
      "a void that was declined says nothing of it",
      ["CAD sale 100", "void 100 declined"],
      100n,
      refused("refund-before-settlement"),
    ],
    [
      "what was captured after that void",
      ["CAD auth 100", "capture 30", "void 100 already-settled", "capture 20"],
      undefined,
      refused("refund-exceeds-settled", "base", 30n),
    ],
    [
      "of captures in two batches the first",
      ["CAD auth 100", "capture 20 at 1 22:00", "capture 30", "void 100 already-settled"],
      undefined,
      refused("refund-exceeds-settled", "base", 30n),
    ],
  ],
);

ruleTable(
  "of what a refund left when the processor refused a void since money had settled, that is the first",
  decideRefund,
  { now: "2 21:00" },
  [
    [
      "what had settled before was refunded",
      [
        "CAD auth 100",
        "capture 30",
        "refund 30 at 2 12:00",
        "capture 20 at 2 12:00",
        "void 70 already-settled at 2 12:30",
      ],
      20n,
      granted(20n),
    ],
    [
      "it was not",
      ["CAD auth 100", "capture 30", "capture 20 at 2 12:00", "void 70 already-settled at 2 12:30"],
      50n,
      refused("refund-exceeds-settled", "amount", 30n),
    ],
  ],
);

ruleTable("CAD after the settlement: any part", decideRefund, { now: "2 02:20" }, [
  ["all", ["CAD sale 100"], undefined, granted(100n)],
  ["a part", ["CAD sale 100"], 1n, granted(1n)],
  ["a cent more", ["CAD sale 100"], 101n, refused("refund-exceeds-captured", "amount", 100n)],
  ["all that has settled", TWO_BATCHES, 30n, granted(30n)],
  ["a cent of the next batch with it", TWO_BATCHES, 31n, refused("refund-exceeds-settled", "amount", 30n)],
  ["what a refund left of the settled batch", [...TWO_BATCHES, "refund 10 at 2 02:20"], 20n, granted(20n)],
  ["past that", [...TWO_BATCHES, "refund 10 at 2 02:20"], 21n, refused("refund-exceeds-settled", "amount", 20n)],
]);

ruleTable("CAD, one batch settled and the next inside its window", decideRefund, { now: "2 22:00" }, [
  ["the settled one", TWO_BATCHES, 30n, granted(30n)],
  ["both", TWO_BATCHES, 50n, granted(50n)],
  ["without an amount both", TWO_BATCHES, undefined, granted(50n)],
  ["a part of the second", TWO_BATCHES, 49n, refused("partial-refund-inside-window")],
]);

ruleTable(
  "where the processor refunds after settlement only, other currencies wait like CAD",
  decideRefund,
  { now: "1 22:00", capabilities: { refundBeforeSettlement: false } },
  [
    ["before the cut-off", ["USD sale 100 at 1 22:00"], 100n, refused("refund-before-settlement")],
    ["all inside the window", ["USD sale 100"], 100n, granted(100n)],
    ["a part inside the window", ["USD sale 100"], 99n, refused("partial-refund-inside-window")],
  ],
);

const CAPTURES_AT_ONCE = {
  capabilities: { refundBeforeSettlement: false, refundsCapturedAuthorizations: true },
} as const;

ruleTable("where captures alone are refunded at once, sales wait", decideRefund, CAPTURES_AT_ONCE, [
  ["a sale", ["USD sale 100"], 100n, refused("refund-before-settlement")],
  ["a capture", ["USD auth 100", "capture 60"], undefined, granted(60n)],
  ["a part of it", ["USD auth 100", "capture 60"], 59n, granted(59n)],
  ["a cent too much", ["USD auth 100", "capture 60"], 61n, refused("refund-exceeds-captured", "amount", 60n)],
  ["a CAD account's captures wait too", ["CAD auth 100", "capture 60"], 60n, refused("refund-before-settlement")],
]);

ruleTable("refusals of a refund, in the order in which they win", decideRefund, {}, [
  ["the charge was declined", ["CAD sale 100 declined"], 101n, refused("charge-not-approved")],
  ["the charge has no outcome yet", ["CAD sale 100 pending"], 101n, refused("charge-not-approved")],
  ["nothing was captured", ["CAD auth 100"], 101n, refused("nothing-captured")],
  ["the capture has no outcome yet", ["CAD auth 100", "capture 100 pending"], 100n, refused("nothing-captured")],
  ["all was voided", ["CAD sale 100", "void 100"], 101n, refused("nothing-left-to-refund", "amount")],
  [
    "all was voided, and no amount is at fault",
    ["CAD sale 100", "void 100"],
    undefined,
    refused("nothing-left-to-refund"),
  ],
  ["too much", ["CAD sale 100"], 101n, refused("refund-exceeds-captured", "amount", 100n)],
  ["too early", ["CAD sale 100"], 100n, refused("refund-before-settlement")],
]);
