import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { DisputeState } from "../../payment/dispute.ts";
import { amountOf } from "../../payment/money.ts";
import { compareDisputes } from "./compare-disputes.ts";
import type { Operation } from "./operations.ts";
import type { KnownDispute, OurLine } from "./report-finding.ts";

const TRANSACTION = "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77";
const EVENT = "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a78";
const NOON = Date.parse("2030-05-15T12:00:00Z");

/** `sale 100`, `void 40 declined`: in whole units. */
const operations = (...said: readonly string[]): Operation[] =>
  said.map((text, index) => {
    const [type = "", amount = "", outcome = "approved"] = text.split(" ");
    return {
      ...{
        eventId: EVENT,
        transactionId: TRANSACTION,
        sequence: index + 1,
        sentAt: NOON,
        endedAt: NOON,
        reversal: null,
      },
      type: type as Operation["type"],
      amount: amountOf(BigInt(amount) * 100n),
      outcome: outcome === "pending" ? null : (outcome as Operation["outcome"]),
    };
  });

/** `D1 -100`, `D1 +100 USD`: what the report moved. Without a name: `- -100`. */
const line = (text: string, index: number): OurLine => {
  const [name = "", amount = "", currency = "EUR"] = text.split(" ");
  const gross = BigInt(amount.replace("+", "")) * 1_000_000n;
  return {
    ...{ line: index + 2, said: "", id: null, batch: "7", about: { transactionId: TRANSACTION, eventId: EVENT } },
    ...{ kind: gross < 0n ? "chargeback" : "chargeback-reversed", gross, net: gross, currency, netCurrency: "EUR" },
    ...(name !== "-" && { dispute: name }),
  };
};

/** `D1 lost: -100`, `D1 won: -100 +100`, `D1 needs_response:`; without a name `-`. */
function known(text: string): KnownDispute {
  const [head = "", ...moved] = text.split(/:? /);
  const [state = "", ...amounts] = moved;
  const [, currency = "EUR"] = / in ([A-Z]{3})$/.exec(text) ?? [];
  const movements = amounts
    .filter((one) => /^[+-]\d+$/.test(one))
    .map((one, index) => ({
      ...{ number: index + 1, happenedAt: new Date(NOON) },
      ...{ currency, amount: BigInt(one.replace("+", "")) * 100n },
    }));
  const held = movements.reduce((sum, { amount }) => sum - amount, 0n);
  return {
    ...{ id: head, transactionId: TRANSACTION, eventId: EVENT, reference: head === "-" ? null : head, currency },
    ...{
      state: state.replace(":", "") as DisputeState,
      withdrawn: amountOf(held),
      openedAt: new Date(NOON),
      movements,
    },
  };
}

const SOLD = ["sale 100"];
const rows: readonly (readonly [string, readonly string[], readonly string[], readonly string[], readonly string[]])[] =
  [
    ["as on record", SOLD, ["D1 lost: -100"], ["D1 -100"], ["chargeback"]],
    ["a part of the payment", SOLD, ["D1 needs_response: -40"], ["D1 -40"], ["chargeback"]],
    ["taken and given back", SOLD, ["D1 won: -100 +100"], ["D1 -100", "D1 +100"], ["chargeback", "chargeback"]],
    ["only given back: taken in an earlier report", SOLD, ["D1 won: -100 +100"], ["D1 +100"], ["chargeback"]],
    ["only taken: given back in a later report", SOLD, ["D1 won: -100 +100"], ["D1 -100"], ["chargeback"]],
    [
      "a second chargeback",
      SOLD,
      ["D1 lost: -100 +100 -100"],
      ["D1 -100", "D1 +100", "D1 -100"],
      ["chargeback", "chargeback", "chargeback"],
    ],
    [
      "two disputes of halves",
      SOLD,
      ["D1 lost: -50", "D2 lost: -50"],
      ["D1 -50", "D2 -50"],
      ["chargeback", "chargeback"],
    ],
    ["one that was entered without a name", SOLD, ["- lost: -100"], ["D1 -100"], ["chargeback"]],
    ["none on record", SOLD, [], ["D1 -100"], ["unknown-dispute"]],
    ["none on record, given back", SOLD, [], ["D1 +100"], ["unknown-dispute"]],
    ["another one on record", SOLD, ["D1 lost: -100"], ["D2 -100"], ["unknown-dispute"]],
    [
      "one that is known, and an unknown one",
      SOLD,
      ["D1 lost: -100"],
      ["D1 -100", "D2 -100"],
      ["chargeback", "unknown-dispute"],
    ],
    ["two for one payment, none on record", SOLD, [], ["D1 -100", "D2 -100"], ["unknown-dispute", "dispute-doubled"]],
    ["two of halves, none on record", SOLD, [], ["D1 -50", "D2 -50"], ["unknown-dispute", "unknown-dispute"]],
    ["the same one twice", SOLD, ["D1 lost: -40"], ["D1 -40", "D1 -40"], ["chargeback", "dispute-doubled"]],
    ["more than the payment, none on record", SOLD, [], ["D1 -250"], ["dispute-exceeds-payment"]],
    ["more than the payment, as on record", SOLD, ["D1 lost: -250"], ["D1 -250"], ["dispute-exceeds-payment"]],
    [
      "two that are more than the payment together",
      SOLD,
      ["D1 lost: -60", "D2 lost: -60"],
      ["D1 -60", "D2 -60"],
      ["chargeback", "dispute-exceeds-payment"],
    ],
    [
      "taken again after it was given back",
      SOLD,
      ["D1 won: -100 +100", "D2 lost: -100"],
      ["D1 -100", "D1 +100", "D2 -100"],
      ["chargeback", "chargeback", "chargeback"],
    ],
    ["of what was voided", ["sale 100", "void 100"], [], ["D1 -100"], ["dispute-exceeds-payment"]],
    ["of what was declined", ["sale 100 declined"], [], ["D1 -100"], ["dispute-exceeds-payment"]],
    ["of what was only authorized", ["auth 100"], [], ["D1 -100"], ["dispute-exceeds-payment"]],
    ["of what was captured", ["auth 100", "capture 60"], ["D1 lost: -60"], ["D1 -60"], ["chargeback"]],
    [
      "of more than was captured",
      ["auth 100", "capture 60"],
      ["D1 lost: -61"],
      ["D1 -61"],
      ["dispute-exceeds-payment"],
    ],
    [
      "the void of the rest takes nothing of it",
      ["auth 100", "capture 60", "void 40"],
      ["D1 lost: -60"],
      ["D1 -60"],
      ["chargeback"],
    ],
    ["of what was refunded", ["sale 100", "refund 100"], ["D1 lost: -100"], ["D1 -100"], ["chargeback"]],
    ["of a sale without an answer", ["sale 100 unanswered"], ["D1 lost: -100"], ["D1 -100"], ["chargeback"]],
    ["of a sale that is pending", ["sale 100 pending"], ["D1 lost: -100"], ["D1 -100"], ["chargeback"]],
    ["of no payment here", [], [], ["D1 -100"], ["dispute-of-no-payment"]],
    ["another amount", SOLD, ["D1 lost: -100"], ["D1 -90"], ["dispute-other-amount"]],
    ["another currency", SOLD, ["D1 lost: -100"], ["D1 -100 USD"], ["dispute-other-currency"]],
    ["a dispute in another currency, as on record", SOLD, ["D1 lost: -90 in USD"], ["D1 -90 USD"], ["chargeback"]],
    ["on record nothing was taken", SOLD, ["D1 needs_response:"], ["D1 -100"], ["dispute-not-withdrawn"]],
    ["an inquiry took money", SOLD, ["D1 under_review:"], ["D1 -100"], ["dispute-not-withdrawn"]],
    ["on record it was won without money", SOLD, ["D1 won:"], ["D1 -100"], ["dispute-won-and-withdrawn"]],
    ["on record it was won, and nothing is back", SOLD, ["D1 won: -100"], ["D1 -100"], ["dispute-won-and-withdrawn"]],
    ["given back, and not on record", SOLD, ["D1 won: -100"], ["D1 +100"], ["dispute-not-returned"]],
    ["given back another amount", SOLD, ["D1 won: -100 +100"], ["D1 +90"], ["dispute-other-amount"]],
    ["given back twice", SOLD, ["D1 won: -100 +100"], ["D1 +100", "D1 +100"], ["chargeback", "dispute-doubled"]],
  ];

describe("a report's lines about disputes of an archived payment", () => {
  for (const [rule, disputes, lines, expected] of [
    ["none on record", [], ["D1 -100", "D1 +100"], ["archived", "archived"]],
    ["as on record", ["D1 lost: -100"], ["D1 -100"], ["chargeback"]],
    ["another one on record", ["D1 lost: -100"], ["D2 -100"], ["archived"]],
    ["another amount", ["D1 lost: -100"], ["D1 -90"], ["dispute-other-amount"]],
    ["the same one twice", ["D1 lost: -40"], ["D1 -40", "D1 -40"], ["chargeback", "dispute-doubled"]],
    ["given back, and not on record", ["D1 won: -100"], ["D1 +100"], ["dispute-not-returned"]],
  ] as const)
    test(rule, () => {
      const found = compareDisputes(lines.map(line), [], disputes.map(known), "EUR", true);
      assert.deepEqual(
        found.map(({ kind }) => kind),
        expected,
      );
    });
});

describe("a report's lines about disputes", () => {
  for (const [rule, events, disputes, lines, expected] of rows)
    test(rule, () => {
      const found = compareDisputes(lines.map(line), operations(...events), disputes.map(known), "EUR");
      assert.deepEqual(
        found.map(({ kind }) => kind),
        expected,
      );
    });
});
