import { granted, refused, ruleTable } from "../../test/rulings.ts";
import { decideVoid } from "./follow-up-rules.ts";

ruleTable("what is neither settled nor refunded is voided, in parts where the processor can", decideVoid, {}, [
  ["a sale", ["USD sale 100"], 100n, granted(100n)],
  ["without an amount all of it", ["USD sale 100"], undefined, granted(100n)],
  ["a part", ["USD sale 100"], 1n, granted(1n)],
  ["a cent too much", ["USD sale 100"], 101n, refused("void-exceeds-remaining", "amount", 100n)],
  ["an authorization", ["USD auth 100"], undefined, granted(100n)],
  ["captured in part", ["USD auth 100", "capture 60"], undefined, granted(100n)],
  ["the rest", ["USD sale 100", "void 60"], 40n, granted(40n)],
  ["past the rest", ["USD sale 100", "void 60"], 41n, refused("void-exceeds-remaining", "amount", 40n)],
  ["not what was refunded", ["USD sale 100", "refund 60"], undefined, granted(40n)],
  ["past a refund", ["USD sale 100", "refund 60"], 41n, refused("void-exceeds-remaining", "amount", 40n)],
  [
    "not what is in flight",
    ["USD sale 100", "refund 60 pending"],
    41n,
    refused("void-exceeds-remaining", "amount", 40n),
  ],
  ["what a failed void left", ["USD sale 100", "void 100 already-settled"], undefined, granted(100n)],
]);

const CAPTURED_TWICE = ["USD auth 100", "capture 30 at 1 21:59", "capture 20 at 1 22:00"] as const;

ruleTable("inside the window a void goes to the processor, which alone knows", decideVoid, { now: "1 22:00" }, [
  ["a sale", ["USD sale 100"], undefined, granted(100n)],
  ["a CAD sale", ["CAD sale 100"], 100n, granted(100n)],
]);

ruleTable("a moment before the settlement shows, the window is still open", decideVoid, { now: "2 02:19:59" }, [
  ["a sale", ["CAD sale 100"], undefined, granted(100n)],
]);

ruleTable("what has settled is not voided", decideVoid, { now: "2 02:20" }, [
  ["a sale", ["USD sale 100"], 100n, refused("void-after-settlement")],
  ["a CAD sale", ["CAD sale 100"], undefined, refused("void-after-settlement")],
  ["what is authorized besides", ["USD auth 100", "capture 60"], undefined, granted(40n)],
  ["not more than that", ["USD auth 100", "capture 60"], 41n, refused("void-exceeds-remaining", "amount", 40n)],
  ["what is captured after the cut-off besides", CAPTURED_TWICE, undefined, granted(70n)],
  ["a CAD one but for what is authorized besides", ["CAD auth 100", "capture 60"], 40n, granted(40n)],
  ["a CAD one past that", ["CAD auth 100", "capture 60"], 100n, refused("void-exceeds-remaining", "amount", 40n)],
  ["a refund takes what settled first", [...CAPTURED_TWICE, "refund 50 at 1 22:01"], undefined, granted(50n)],
  ["what settled and was refunded", ["USD sale 100", "refund 100"], undefined, refused("void-after-settlement")],
  ["a CAD one too", ["CAD sale 100", "refund 100 at 2 02:20"], 100n, refused("void-after-settlement")],
  ["what was voided has not settled", ["USD sale 100", "void 100"], undefined, refused("nothing-left-to-void")],
  [
    "a part was voided, and the rest settled and was refunded",
    ["USD sale 100", "void 60", "refund 40"],
    undefined,
    refused("void-after-settlement"),
  ],
]);

ruleTable("for CAD a void is of all that is left", decideVoid, {}, [
  ["all", ["CAD sale 100"], 100n, granted(100n)],
  ["without an amount", ["CAD sale 100"], undefined, granted(100n)],
  ["a cent less", ["CAD sale 100"], 99n, refused("void-must-be-whole", "amount", 100n)],
  ["a cent more", ["CAD sale 100"], 101n, refused("void-exceeds-remaining", "amount", 100n)],
  ["captured in part", ["CAD auth 100", "capture 60"], 100n, granted(100n)],
  ["its captured part alone", ["CAD auth 100", "capture 60"], 60n, refused("void-must-be-whole", "amount", 100n)],
]);

ruleTable(
  "where the processor has no partial void, one is of all that is left",
  decideVoid,
  { capabilities: { partialVoid: false } },
  [
    ["all", ["USD sale 100"], 100n, granted(100n)],
    ["a cent less", ["USD sale 100"], 99n, refused("void-must-be-whole", "amount", 100n)],
    ["all that a refund left", ["USD sale 100", "refund 60"], 40n, granted(40n)],
  ],
);

const AS_CHARGED = { capabilities: { partialVoid: false, voidsWholePaymentsOnly: true } } as const;
const notAsCharged = refused("processor-voids-whole-payments");

ruleTable(
  "where the processor voids whole payments only, nothing was captured or refunded in part",
  decideVoid,
  AS_CHARGED,
  [
    ["a sale", ["USD sale 100"], undefined, granted(100n)],
    ["an authorization", ["USD auth 100"], 100n, granted(100n)],
    ["captured at once", ["USD auth 100", "capture 100"], undefined, granted(100n)],
    ["a capture failed", ["USD auth 100", "capture 60 declined"], undefined, granted(100n)],
    ["captured in part", ["USD auth 100", "capture 60"], undefined, notAsCharged],
    ["captured but for a cent", ["USD auth 100", "capture 99"], undefined, notAsCharged],
    ["captured in two parts", ["USD auth 100", "capture 60", "capture 40"], undefined, notAsCharged],
    ["refunded in part", ["USD sale 100", "refund 1"], undefined, notAsCharged],
    ["all that was captured is refunded", ["USD auth 100", "capture 60", "refund 60"], undefined, notAsCharged],
    ["before the amount is looked at", ["USD auth 100", "capture 60"], 101n, notAsCharged],
    ["all was refunded", ["USD sale 100", "refund 100"], undefined, refused("nothing-left-to-void")],
  ],
);

ruleTable(
  "who voids whole payments only voids no part, whatever else the processor can",
  decideVoid,
  { capabilities: { partialVoid: true, voidsWholePaymentsOnly: true } },
  [
    ["a part", ["USD auth 100"], 40n, refused("void-must-be-whole", "amount", 100n)],
    ["all", ["USD auth 100"], 100n, granted(100n)],
    ["the rest of what was voided in part before", ["USD auth 100", "void 40"], undefined, notAsCharged],
  ],
);

ruleTable(
  "refusals of a void, in the order in which they win",
  decideVoid,
  { now: "2 02:20", capabilities: { partialVoid: false } },
  [
    ["the charge was declined", ["USD sale 100 declined"], 101n, refused("charge-not-approved")],
    ["the charge was never answered", ["USD sale 100 unanswered"], undefined, refused("charge-not-approved")],
    ["all has settled", ["USD sale 100"], 101n, refused("void-after-settlement")],
    ["some of it settled, the rest was refunded", ["USD sale 100", "refund 40"], 60n, refused("void-after-settlement")],
    ["all was voided", ["USD sale 100", "void 100"], 101n, refused("nothing-left-to-void")],
    ["too much", ["USD auth 100"], 101n, refused("void-exceeds-remaining", "amount", 100n)],
    ["not all", ["USD auth 100"], 99n, refused("void-must-be-whole", "amount", 100n)],
  ],
);
