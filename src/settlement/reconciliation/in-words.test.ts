// What each kind of finding says, of books and of reports.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inWords } from "./in-words.ts";
import { type Here, KEPT_KINDS, type KeptKind, type There } from "./kept-finding.ts";

const HERE: Here = {
  ...{ operation: "sale", amount: "10.00", currency: "USD", outcome: "approved" },
  sent_at: "2030-05-15T12:00:00.000Z",
};
const THERE: There = {
  ...{ line: 7, amount: "10.01", currency: "USD", code: "05", batch_id: null, net: null, net_currency: null },
};
const IN_REPORT: There = { ...THERE, code: null, amount: "-10.01", batch_id: "134" };

const DISPUTE: Here = { ...HERE, operation: "dispute", outcome: null };
const TOOK = "A dispute took 10.01 USD (line 7)";

const SAID: Readonly<Record<KeptKind, readonly [Here | null, There | null, "books" | "report", string]>> = {
  "missing-here": [
    null,
    THERE,
    "books",
    "The books have an auth of 10.01 USD (line 7) that the gateway does not have.",
  ],
  "missing-there": [HERE, null, "report", "The report has no line for this auth of 10.00 USD, approved here."],
  "other-operation": [HERE, THERE, "books", "The books have this as an auth (line 7); here it is a sale."],
  "other-amount": [HERE, THERE, "books", "The books have 10.01 USD for this auth (line 7); here it is 10.00 USD."],
  "other-currency": [
    HERE,
    { ...THERE, currency: "CAD" },
    "report",
    "The report has 10.01 CAD for this auth (line 7); here it is 10.00 USD.",
  ],
  "other-outcome": [
    HERE,
    THERE,
    "books",
    "The books have this auth of 10.01 USD with code 05 (line 7); it was approved here.",
  ],
  "booked-twice": [HERE, THERE, "books", "The books have a second line for the same auth of 10.01 USD (line 7)."],
  "reversal-refused": [
    { ...HERE, outcome: "unanswered" },
    THERE,
    "books",
    "The books have this sale of 10.00 USD, and its reversal was refused with code 05 (line 7): its money is held or taken, though it failed here.",
  ],
  "settled-twice": [HERE, THERE, "report", "The report has a second line for the same auth of 10.01 USD (line 7)."],
  "reported-twice": [
    null,
    IN_REPORT,
    "report",
    "The same line of 10.01 USD stands there again (line 7). It is left out of the sums.",
  ],
  unbalanced: [
    null,
    { ...IN_REPORT, line: null },
    "report",
    "The lines of batch 134 leave 10.01 USD instead of nothing: lines are missing, or the payout is.",
  ],
  "wrong-sum": [
    HERE,
    { ...IN_REPORT, amount: "10.01", net: "10.02", net_currency: "USD" },
    "report",
    "The line of 10.01 USD (line 7) does not add up: its fees do not explain 10.02 USD net.",
  ],
  "wrong-sign": [
    HERE,
    { ...IN_REPORT, amount: "10.01", net: "-1.00", net_currency: "USD" },
    "report",
    "The line of 10.01 USD (line 7) moves money in the wrong direction: -1.00 USD net is no auth.",
  ],
  unaccounted: [
    null,
    { ...IN_REPORT, net: "-90.00", net_currency: "USD" },
    "report",
    "The report has an auth of -90.00 USD (line 7), which is about no payment, fee, payout or reserve.",
  ],
  archived: [
    null,
    IN_REPORT,
    "report",
    "The report has an auth of 10.01 USD (line 7) of a payment that is archived: it was not compared.",
  ],
  "unknown-dispute": [HERE, IN_REPORT, "report", `${TOOK}, and no such dispute is on record.`],
  "dispute-of-no-payment": [null, IN_REPORT, "report", `${TOOK} of a payment that the gateway does not have.`],
  "dispute-exceeds-payment": [HERE, IN_REPORT, "report", `${TOOK}, which is more than was captured of this payment.`],
  "dispute-doubled": [HERE, IN_REPORT, "report", `${TOOK} once more than is on record.`],
  "dispute-other-amount": [
    DISPUTE,
    IN_REPORT,
    "report",
    `${TOOK}; on record it moved another amount, and 10.00 USD is withdrawn.`,
  ],
  "dispute-other-currency": [{ ...DISPUTE, currency: "CAD" }, IN_REPORT, "report", `${TOOK}; on record it is in CAD.`],
  "dispute-not-withdrawn": [DISPUTE, IN_REPORT, "report", `${TOOK}; on record nothing was withdrawn.`],
  "dispute-won-and-withdrawn": [
    DISPUTE,
    IN_REPORT,
    "report",
    `${TOOK}; on record the dispute was won, and the money is not back.`,
  ],
  "dispute-not-returned": [
    DISPUTE,
    { ...IN_REPORT, amount: "10.01" },
    "report",
    "A dispute gave back 10.01 USD (line 7); on record nothing was given back.",
  ],
  "dispute-missing-there": [
    DISPUTE,
    null,
    "report",
    "On record a dispute gave back 10.00 USD on this day, and the report has no line for it.",
  ],
  pending: [
    { ...HERE, outcome: null },
    null,
    "books",
    "The gateway does not know yet how this sale of 10.00 USD ended.",
  ],
  "not-closed": [
    { ...HERE, outcome: "unanswered" },
    THERE,
    "report",
    "This sale of 10.01 USD was settled there (line 7) and undone here. Another report has to take it back.",
  ],
  chargeback: [HERE, IN_REPORT, "report", "A dispute took 10.01 USD (line 7)."],
};

test("a dispute that took money by the record and not by the report is said so", () => {
  const kept = { kind: "dispute-missing-there", difference: true, operation: "chargeback", reference: null } as const;
  assert.equal(
    inWords({ ...kept, transactionId: null, sequence: null, here: DISPUTE, there: null }, "report"),
    "On record a dispute took 10.00 USD on this day, and the report has no line for it.",
  );
});

test("what has no end yet is said with what the books have of it", () => {
  const kept = { kind: "pending", difference: false, operation: "refund", reference: null } as const;
  const here: Here = { ...HERE, operation: "refund", outcome: null };
  assert.equal(
    inWords({ ...kept, transactionId: null, sequence: null, here, there: THERE }, "books"),
    "The gateway does not know yet how this refund of 10.00 USD ended. The books have a refund of 10.01 USD with code 05 (line 7).",
  );
});

for (const kind of KEPT_KINDS)
  test(`${kind} is said with both sides`, () => {
    const [here, there, source, said] = SAID[kind];
    const named = { operation: "auth", reference: null, transactionId: null, sequence: null };
    assert.equal(inWords({ kind, difference: true, ...named, here, there }, source), said);
  });
