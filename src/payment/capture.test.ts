import { granted, refused, ruleTable } from "../../test/rulings.ts";
import { decideCapture } from "./follow-up-rules.ts";

ruleTable("an authorization is captured up to what is neither captured nor voided", decideCapture, {}, [
  ["all of it", ["USD auth 100"], 100n, granted(100n)],
  ["without an amount all of it", ["USD auth 100"], undefined, granted(100n)],
  ["a part", ["USD auth 100"], 1n, granted(1n)],
  ["a cent too much", ["USD auth 100"], 101n, refused("capture-exceeds-authorization", "amount", 100n)],
  ["the rest", ["USD auth 100", "capture 60"], 40n, granted(40n)],
  ["without an amount the rest", ["USD auth 100", "capture 60"], undefined, granted(40n)],
  ["past the rest", ["USD auth 100", "capture 60"], 41n, refused("capture-exceeds-authorization", "amount", 40n)],
  ["day after day", ["USD auth 100", "capture 30", "capture 30 at 2 12:00"], undefined, granted(40n)],
  ["a CAD one in parts as well", ["CAD auth 100", "capture 60"], 40n, granted(40n)],
  ["what a void left", ["USD auth 100", "void 30"], undefined, granted(70n)],
  ["past a void", ["USD auth 100", "void 30"], 71n, refused("capture-exceeds-authorization", "amount", 70n)],
  ["not what was voided", ["USD auth 100", "capture 60", "void 50"], undefined, refused("nothing-left-to-capture")],
  [
    "not what was refunded",
    ["USD auth 100", "capture 100", "refund 60"],
    undefined,
    refused("nothing-left-to-capture"),
  ],
  ["what a declined capture left", ["USD auth 100", "capture 60 declined"], 100n, granted(100n)],
  ["what an unsent capture left", ["USD auth 100", "capture 60 not-sent"], 100n, granted(100n)],
  [
    "not what is in flight",
    ["USD auth 100", "capture 60 pending"],
    41n,
    refused("capture-exceeds-authorization", "amount", 40n),
  ],
  ["the approved one of several tries", ["USD auth 100 not-sent", "auth 100"], undefined, granted(100n)],
]);

ruleTable(
  "refusals of a capture, in the order in which they win",
  decideCapture,
  { capabilities: { multipleCaptures: false } },
  [
    ["the charge was declined", ["USD sale 100 declined"], 101n, refused("charge-not-approved")],
    ["the charge was never answered", ["USD auth 100 unanswered"], 100n, refused("charge-not-approved")],
    ["the charge has no outcome yet", ["USD auth 100 pending"], 100n, refused("charge-not-approved")],
    ["it is a sale, wholly voided", ["USD sale 100", "void 100"], 101n, refused("sale-is-captured")],
    ["it is a sale at the second try", ["USD sale 100 not-sent", "sale 100"], undefined, refused("sale-is-captured")],
    ["nothing is left of it", ["USD auth 100", "void 100"], 101n, refused("nothing-left-to-capture", "amount")],
    ["nothing is left at all", ["USD auth 100", "void 100"], undefined, refused("nothing-left-to-capture")],
    ["it was captured whole", ["USD auth 100", "capture 100"], undefined, refused("nothing-left-to-capture")],
    ["the processor captures once", ["USD auth 100", "capture 60"], 41n, refused("processor-captures-once")],
    ["too much", ["USD auth 100", "void 99"], 2n, refused("capture-exceeds-authorization", "amount", 1n)],
  ],
);

ruleTable(
  "a processor that captures once takes one capture of any amount",
  decideCapture,
  { capabilities: { multipleCaptures: false } },
  [
    ["a part", ["USD auth 100"], 60n, granted(60n)],
    ["another after a declined one", ["USD auth 100", "capture 60 declined"], 60n, granted(60n)],
    ["no second one", ["USD auth 100", "capture 60"], 40n, refused("processor-captures-once")],
    [
      "no second one after a void of a part",
      ["USD auth 100", "capture 60", "void 39"],
      1n,
      refused("processor-captures-once"),
    ],
    [
      "none of the rest where no rest is left",
      ["USD auth 100", "capture 60", "void 40"],
      undefined,
      refused("nothing-left-to-capture"),
    ],
  ],
);
