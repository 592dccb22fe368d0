import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { at, passengerId, told } from "../../test/transactions.ts";
import { type Balances, balances, leftOf, phaseAt, type Reading, refundable, voidable } from "./balances.ts";
import { withEvent } from "./transaction.ts";

const NOW = "1 12:00";

/** Whole, in words: the sums, then for each capture its sequence, what it took, what became of it, and where it is. */
function shown({ authorized, captured, voided, refunded, uncaptured, captures }: Balances): string[] {
  return [
    `authorized ${authorized} captured ${captured} voided ${voided} refunded ${refunded} uncaptured ${uncaptured}`,
    ...captures.map(
      (one) =>
        `${one.sequence}: took ${one.amount} voided ${one.voided} refunded ${one.refunded} left ${one.left} ${one.phase}`,
    ),
  ];
}

type Events = readonly [string, ...string[]];
const stands = (events: Events, { now = NOW, reading = "failed" as Reading, passenger = 0 } = {}): string[] =>
  shown(balances(told(...events), at(now), reading, passenger === 0 ? undefined : passengerId(passenger)));

describe("money goes from authorized to captured, and back by void and refund", () => {
  const rows: readonly (readonly [string, Events, readonly string[]])[] = [
    ["an auth", ["USD auth 100"], ["authorized 100 captured 0 voided 0 refunded 0 uncaptured 100"]],
    [
      "a sale takes all at once",
      ["USD sale 100"],
      ["authorized 100 captured 100 voided 0 refunded 0 uncaptured 0", "1: took 100 voided 0 refunded 0 left 100 open"],
    ],
    [
      "captures in parts",
      ["USD auth 100", "capture 30", "capture 20"],
      [
        "authorized 100 captured 50 voided 0 refunded 0 uncaptured 50",
        "2: took 30 voided 0 refunded 0 left 30 open",
        "3: took 20 voided 0 refunded 0 left 20 open",
      ],
    ],
    [
      "a void cancels what is not captured first",
      ["USD auth 100", "capture 60", "void 40"],
      ["authorized 100 captured 60 voided 40 refunded 0 uncaptured 0", "2: took 60 voided 0 refunded 0 left 60 open"],
    ],
    [
      "then what settles last",
      ["USD auth 100", "capture 30", "capture 20 at 2 12:00", "void 60 at 2 12:00"],
      [
        "authorized 100 captured 50 voided 60 refunded 0 uncaptured 0",
        "2: took 30 voided 0 refunded 0 left 30 open",
        "3: took 20 voided 10 refunded 0 left 10 open",
      ],
    ],
    [
      "of what settles together, what was captured last",
      ["USD auth 100", "capture 60", "capture 40", "void 50"],
      [
        "authorized 100 captured 100 voided 50 refunded 0 uncaptured 0",
        "2: took 60 voided 10 refunded 0 left 50 open",
        "3: took 40 voided 40 refunded 0 left 0 open",
      ],
    ],
    [
      "a refund gives back what settles first",
      ["USD auth 100", "capture 30", "capture 20 at 2 12:00", "refund 40 at 2 12:00"],
      [
        "authorized 100 captured 50 voided 0 refunded 40 uncaptured 50",
        "2: took 30 voided 0 refunded 30 left 0 open",
        "3: took 20 voided 0 refunded 10 left 10 open",
      ],
    ],
    [
      "what became of money that is gone is not asked again",
      ["USD sale 100", "void 100 already-settled", "refund 100", "refund 100 declined"],
      [
        "authorized 100 captured 100 voided 0 refunded 100 uncaptured 0",
        "1: took 100 voided 0 refunded 100 left 0 window",
      ],
    ],
    [
      "what the processor has called settled is no longer open, and what was captured since is",
      ["USD auth 100", "capture 60", "void 100 already-settled", "capture 40"],
      [
        "authorized 100 captured 100 voided 0 refunded 0 uncaptured 0",
        "2: took 60 voided 0 refunded 0 left 60 window",
        "4: took 40 voided 0 refunded 0 left 40 open",
      ],
    ],
    ["a declined charge", ["USD sale 100 declined"], ["authorized 0 captured 0 voided 0 refunded 0 uncaptured 0"]],
    [
      "one without an answer",
      ["USD sale 100 unanswered"],
      ["authorized 0 captured 0 voided 0 refunded 0 uncaptured 0"],
    ],
    [
      "the second processor's answer counts",
      ["USD sale 100 not-sent", "sale 100"],
      ["authorized 100 captured 100 voided 0 refunded 0 uncaptured 0", "2: took 100 voided 0 refunded 0 left 100 open"],
    ],
  ];
  for (const [name, events, expected] of rows) test(name, () => assert.deepEqual(stands(events), expected));
});

test("money captured later under a schedule that settles it earlier is refunded first and voided last", () => {
  const charge = ["USD auth 100", "capture 30", "capture 20"] as const;
  const before = told(...charge);
  const second = before.events[2];
  assert.ok(second?.outcome?.kind === "approved");
  const settlement = { cutoffAt: at("1 13:00"), settledAt: at("1 14:00"), visibleAt: at("1 15:00") };
  const changed = withEvent(before, { ...second, outcome: { ...second.outcome, settlement } });
  const capturesAfter = (step: string) =>
    shown(
      balances(
        told(...charge, step)
          .events.slice(3)
          .reduce(withEvent, changed),
        at("1 14:00"),
        "failed",
      ),
    ).slice(1);
  assert.deepEqual(capturesAfter("refund 25"), [
    "2: took 30 voided 0 refunded 5 left 25 open",
    "3: took 20 voided 0 refunded 20 left 0 window",
  ]);
  assert.deepEqual(capturesAfter("void 85"), [
    "2: took 30 voided 30 refunded 0 left 0 open",
    "3: took 20 voided 5 refunded 0 left 15 window",
  ]);
});

describe("an event in flight counts as reserved, as failed or as succeeded", () => {
  const rows: readonly (readonly [string, Events, Reading, readonly string[]])[] = [
    ["a charge", ["USD sale 100 pending"], "reserved", ["authorized 0 captured 0 voided 0 refunded 0 uncaptured 0"]],
    [
      "a capture is gone and not there yet",
      ["USD auth 100", "capture 60 pending"],
      "reserved",
      ["authorized 100 captured 0 voided 0 refunded 0 uncaptured 40"],
    ],
    [
      "a capture that fails",
      ["USD auth 100", "capture 60 pending"],
      "failed",
      ["authorized 100 captured 0 voided 0 refunded 0 uncaptured 100"],
    ],
    [
      "a capture that succeeds",
      ["USD auth 100", "capture 60 pending"],
      "succeeded",
      ["authorized 100 captured 60 voided 0 refunded 0 uncaptured 40", "2: took 60 voided 0 refunded 0 left 60 open"],
    ],
    [
      "a void and a refund",
      ["USD sale 100", "void 30 pending", "refund 20 pending"],
      "reserved",
      [
        "authorized 100 captured 100 voided 30 refunded 20 uncaptured 0",
        "1: took 100 voided 30 refunded 20 left 50 open",
      ],
    ],
    [
      "a void and a refund that fail",
      ["USD sale 100", "void 30 pending", "refund 20 pending"],
      "failed",
      ["authorized 100 captured 100 voided 0 refunded 0 uncaptured 0", "1: took 100 voided 0 refunded 0 left 100 open"],
    ],
  ];
  for (const [name, events, reading, expected] of rows)
    test(`${name}: ${reading}`, () => assert.deepEqual(stands(events, { reading }), expected));
});

describe("what the processor has called settled depends on what else was in flight then", () => {
  const CAPTURE: Events = ["USD auth 100", "capture 30", "capture 20 pending", "void 50 already-settled"];
  const REFUND: Events = [
    "USD auth 100",
    "capture 30",
    "capture 20 at 2 12:00",
    "refund 30 pending at 2 12:00",
    "void 70 already-settled at 2 12:00",
  ];
  const rows: readonly (readonly [string, Events, Reading, readonly string[]])[] = [
    ["a capture that fails", CAPTURE, "failed", ["2: took 30 voided 0 refunded 0 left 30 window"]],
    [
      "a capture that succeeds may be in the same batch",
      CAPTURE,
      "succeeded",
      ["2: took 30 voided 0 refunded 0 left 30 window", "3: took 20 voided 0 refunded 0 left 20 window"],
    ],
    [
      "a refund that fails",
      REFUND,
      "failed",
      ["2: took 30 voided 0 refunded 0 left 30 window", "3: took 20 voided 0 refunded 0 left 20 open"],
    ],
    [
      "a refund that succeeds had left only what settles later",
      REFUND,
      "succeeded",
      ["2: took 30 voided 0 refunded 30 left 0 open", "3: took 20 voided 0 refunded 0 left 20 window"],
    ],
  ];
  for (const [name, events, reading, expected] of rows)
    test(name, () => assert.deepEqual(stands(events, { reading }).slice(1), expected));
});

describe("of one passenger count the fares and the parts that were named", () => {
  const events: Events = ["USD auth 100=60+40", "capture 70=50+20", "refund 30=30", "void 10=0+10"];
  const rows: readonly (readonly [number, readonly string[]])[] = [
    [
      1,
      ["authorized 60 captured 50 voided 0 refunded 30 uncaptured 10", "2: took 50 voided 0 refunded 30 left 20 open"],
    ],
    [
      2,
      ["authorized 40 captured 20 voided 10 refunded 0 uncaptured 10", "2: took 20 voided 0 refunded 0 left 20 open"],
    ],
    [3, ["authorized 0 captured 0 voided 0 refunded 0 uncaptured 0"]],
  ];
  for (const [passenger, expected] of rows)
    test(`passenger ${passenger}`, () => assert.deepEqual(stands(events, { passenger }), expected));

  test("the whole is what its passengers add up to: a void takes the money of who is named, not what is uncaptured", () => {
    assert.deepEqual(stands(["USD auth 200=100+100", "capture 100=100+0", "void 100=100+0"]), [
      "authorized 200 captured 100 voided 100 refunded 0 uncaptured 100",
      "2: took 100 voided 100 refunded 0 left 0 open",
    ]);
  });
});

test("captured money is open before its cut-off, in the window from it on, settled from the visible time on", () => {
  const times = { cutoffAt: at("1 22:00"), settledAt: at("2 02:00"), visibleAt: at("2 02:20") };
  for (const [now, phase] of [
    ["1 21:59:59.999", "open"],
    ["1 22:00", "window"],
    ["2 02:00", "window"],
    ["2 02:19:59.999", "window"],
    ["2 02:20", "settled"],
  ] as const)
    assert.equal(phaseAt(times, at(now)), phase, now);
  assert.equal(phaseAt(null, at("9 00:00")), "open");
});

test("what could be voided, what refunded, and of how much only the processor knows whether it has settled", () => {
  const events: Events = ["USD auth 100", "capture 30", "capture 20 at 2 12:00", "refund 10 at 2 12:00"];
  const money = (now: string) => balances(told(...events), at(now), "failed");
  const sums = (now: string) => [voidable(money(now)), refundable(money(now)), leftOf(money(now), "window")];
  assert.deepEqual(sums("1 12:00"), [90n, 40n, 0n]);
  assert.deepEqual(sums("1 22:00"), [90n, 40n, 20n]);
  assert.deepEqual(sums("2 02:20"), [70n, 40n, 0n]);
  assert.deepEqual(sums("2 22:00"), [70n, 40n, 20n]);
  assert.deepEqual(sums("3 02:20"), [50n, 40n, 0n]);
  assert.deepEqual([leftOf(money("2 22:00"), "settled"), leftOf(money("2 22:00"), "window", "open")], [20n, 20n]);
});

test("more voided or refunded than there was is a broken ledger, and said so", () => {
  for (const step of ["void 101", "refund 101"]) assert.throws(() => stands(["USD sale 100", step]), /broken ledger/);
});

test("an event takes its place by sequence, and nothing stays behind it", () => {
  const transaction = told("USD auth 100", "capture 60", "void 40");
  const [, capture] = told("USD auth 100", "capture 50").events;
  assert.ok(capture);
  assert.deepEqual(withEvent(transaction, capture).events, told("USD auth 100", "capture 50").events);
});
