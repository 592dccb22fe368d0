import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { refused } from "../../test/rulings.ts";
import { at, told } from "../../test/transactions.ts";
import { judgeDispute } from "./disputable.ts";
import type { DisputeSummary } from "./dispute.ts";
import { amountOf } from "./money.ts";

/** Amounts in hundredths. */
interface Said {
  readonly amount?: number;
  readonly withdrawn?: number;
  readonly currency?: string;
  readonly stage?: DisputeSummary["stage"];
  readonly state?: DisputeSummary["state"];
  readonly respondBy?: string;
}

const summary = ({
  amount = 100,
  withdrawn = 0,
  currency = "USD",
  stage = "chargeback",
  ...more
}: Said): DisputeSummary => ({
  ...{ stage, state: more.state ?? "needs_response", currency, fee: null, reason: null, reasonCode: null },
  amount: amountOf(BigInt(amount)),
  withdrawn: amountOf(BigInt(withdrawn)),
  respondBy: more.respondBy === undefined ? null : at(more.respondBy),
  openedAt: at("1 12:00"),
});

interface Case {
  readonly others?: readonly Said[];
  readonly before?: Said;
}

const judged = (events: readonly [string, ...string[]], after: Said, { others = [], before }: Case = {}) => {
  const [charge, ...steps] = events;
  return judgeDispute(
    {
      transaction: told(charge, ...steps),
      before: before && summary(before),
      after: summary(after),
      others: others.map(summary),
    },
    at("1 12:00"),
  );
};

const SALE = ["USD sale 100"] as const;
const all = { withdrawn: 100 };
const MOST = (most: bigint) => refused("withdrawn-exceeds-captured", "amount_withdrawn", most);
const NOTHING = refused("nothing-captured-to-withdraw", "amount_withdrawn");
const NOT_APPROVED = refused("disputed-charge-not-approved", "transaction_id");

describe("money that never moved is not withdrawn", () => {
  const rows: readonly (readonly [string, readonly [string, ...string[]], Said, ReturnType<typeof judged>, Case?])[] = [
    ["all of a sale", SALE, all, undefined],
    [
      "a cent more than was disputed",
      SALE,
      { withdrawn: 101 },
      refused("withdrawn-exceeds-disputed", "amount_withdrawn", 100n),
    ],
    ["a cent more than was captured", SALE, { amount: 101, withdrawn: 101 }, MOST(100n)],
    ["nothing of more than was captured", SALE, { amount: 250 }, undefined],
    ["a declined sale", ["USD sale 100 declined"], all, NOT_APPROVED],
    ["a declined sale, of which nothing is withdrawn", ["USD sale 100 declined"], {}, NOT_APPROVED],
    ["a sale that was not sent", ["USD sale 100 not-sent"], {}, NOT_APPROVED],
    ["a sale that failed later", ["USD sale 100 failed-after-all"], all, NOT_APPROVED],
    ["a sale that was voided", ["USD sale 100", "void 100"], all, NOTHING],
    ["a sale that was voided, of which nothing is withdrawn", ["USD sale 100", "void 100"], {}, undefined],
    ["a sale that was voided in part", ["USD sale 100", "void 60"], { amount: 40, withdrawn: 40 }, undefined],
    ["more than the void left", ["USD sale 100", "void 60"], { withdrawn: 41 }, MOST(40n)],
    ["an authorization", ["USD auth 100"], all, NOTHING],
    ["an authorization, of which nothing is withdrawn", ["USD auth 100"], {}, undefined],
    ["what was captured of one", ["USD auth 100", "capture 60"], { withdrawn: 60 }, undefined],
    ["more than was captured of one", ["USD auth 100", "capture 60"], { withdrawn: 61 }, MOST(60n)],
    ["a capture that was declined", ["USD auth 100", "capture 60 declined"], { withdrawn: 60 }, NOTHING],
    ["what was refunded: the bank may take it again", ["USD sale 100", "refund 100"], all, undefined],
    ["a sale in flight may have been taken", ["USD sale 100 pending"], all, undefined],
    ["a capture in flight, too", ["USD auth 100", "capture 60 pending"], { withdrawn: 60 }, undefined],
    ["no more than that", ["USD auth 100", "capture 60 pending"], { withdrawn: 61 }, MOST(60n)],
    ["a void in flight has voided nothing yet", ["USD sale 100", "void 100 pending"], all, undefined],
    ["a sale that was never answered may have been taken", ["USD sale 100 unanswered"], all, undefined],
    ["an authorization that was never answered was not captured", ["USD auth 100 unanswered"], all, NOTHING],
    ["what another dispute has left", SALE, { withdrawn: 40 }, undefined, { others: [{ withdrawn: 60 }] }],
    ["what another dispute has taken", SALE, { withdrawn: 41 }, MOST(40n), { others: [{ withdrawn: 60 }] }],
    [
      "what two others have taken",
      SALE,
      { withdrawn: 1 },
      MOST(0n),
      { others: [{ withdrawn: 60 }, { withdrawn: 40 }] },
    ],
    [
      "another dispute that a processor reported too high",
      SALE,
      { withdrawn: 1 },
      MOST(0n),
      { others: [{ amount: 250, withdrawn: 250 }] },
    ],
    ["another dispute whose money is back", SALE, all, undefined, { others: [{ state: "won" }] }],
    [
      "in another currency",
      SALE,
      { currency: "EUR", withdrawn: 1 },
      refused("withdrawn-in-other-currency", "currency"),
    ],
    ["disputed in another currency, nothing withdrawn", SALE, { currency: "EUR", amount: 90 }, undefined],
    ["an inquiry", SALE, { stage: "inquiry" }, undefined],
    [
      "an inquiry that moves money",
      SALE,
      { stage: "inquiry", withdrawn: 1 },
      refused("inquiry-moves-no-money", "amount_withdrawn"),
    ],
    ["evidence due before the charge", SALE, { respondBy: "1 00:00" }, refused("dispute-before-charge", "respond_by")],
    ["evidence due after it", SALE, { respondBy: "2 00:00" }, undefined],
  ];
  for (const [name, events, after, expected, given] of rows)
    test(name, () => assert.deepEqual(judged(events, after, given), expected));
});

describe("what is on record is not judged again", () => {
  const reported = { amount: 250, withdrawn: 250 };
  for (const [name, before, after, expected] of [
    ["a response to a dispute that took too much", reported, { ...reported, state: "under_review" }, undefined],
    ["less is withdrawn than before", reported, { ...reported, withdrawn: 200 }, undefined],
    ["all is back", reported, { ...reported, withdrawn: 0, state: "won" }, undefined],
    ["more is withdrawn than before", reported, { amount: 260, withdrawn: 251 }, MOST(100n)],
    [
      "the disputed amount falls below what is withdrawn",
      { withdrawn: 100 },
      { amount: 99, withdrawn: 100 },
      refused("withdrawn-exceeds-disputed", "amount_withdrawn", 99n),
    ],
    [
      "a chargeback becomes an inquiry again",
      { withdrawn: 100 },
      { withdrawn: 100, stage: "inquiry" },
      refused("inquiry-moves-no-money", "amount_withdrawn"),
    ],
    [
      "its currency becomes another",
      { withdrawn: 100 },
      { withdrawn: 100, currency: "EUR" },
      refused("withdrawn-in-other-currency", "currency"),
    ],
    [
      "it stays in another currency",
      { withdrawn: 100, currency: "EUR" },
      { withdrawn: 100, currency: "EUR", state: "lost" },
      undefined,
    ],
  ] as const)
    test(name, () => assert.deepEqual(judged(SALE, after, { before }), expected));
});

test("a dispute that a processor reported of a declined charge can be ended", () => {
  const before = { withdrawn: 100 };
  assert.equal(judged(["USD sale 100 declined"], { withdrawn: 0, state: "won" }, { before }), undefined);
});
