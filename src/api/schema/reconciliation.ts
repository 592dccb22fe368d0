// A reconciliation as merchants and operators see it, and each of its findings.

import Type from "typebox";
import { EVENT_TYPES } from "../../payment/transaction.ts";
import { inWords } from "../../settlement/reconciliation/in-words.ts";
import { KEPT_KINDS, type KeptFinding } from "../../settlement/reconciliation/kept-finding.ts";
import { OUTCOMES_IN_BOOKS } from "../../settlement/reconciliation/operations.ts";
import { RECONCILED_WITH } from "../../settlement/reconciliation/run.ts";
import { FINDINGS_ON_A_PAGE, type KeptRun } from "../../settlement/reconciliation/runs.ts";
import { nullable, Timestamp, timestamp, Uuid } from "../../validation/fields.ts";

const count = (description: string) => Type.Integer({ minimum: 0, description });
const some = (description: string) => nullable(Type.String(), { description });
const amount = (description: string) => Type.String({ description, examples: ["1204.50"] });
const Currency = Type.String({ description: "ISO 4217.", examples: ["USD"] });

export const Reconciliation = Type.Object({
  id: Uuid,
  merchant_id: Uuid,
  processor_id: { ...Uuid, description: "The processor record." },
  source: Type.Enum([...RECONCILED_WITH], {
    description: "`books`: what the processor has on record of a day. `report`: money that it settled, of many days.",
  }),
  day: some("The day of the books. Of a report, the day whose money must all be in it."),
  payout: some("The payout that the processor was asked for."),
  file: some("The file's name; null if the data came by stdin or from the processor, and for merchants."),
  currency: { ...Currency, description: "ISO 4217, of the processor record." },
  created_at: Timestamp,
  counts: Type.Object(
    {
      lines: count("Of the file, or of what the processor answered."),
      differences: count("What has to be looked into."),
      pending: count("Operations without an outcome yet."),
      not_closed: count("Settled there and undone here: another report has to take it back."),
      chargebacks: count("Money that disputes took or gave back."),
      near_midnight: count("In flight within five minutes of midnight: they may be on the day before or after."),
      too_recent: count("Of a day that is not over: sent in the last five minutes, so that they may not be there yet."),
      others: count("Lines of other accounts or records, or of payments made elsewhere."),
      malformed: count("Lines that could not be read."),
      withheld: count(
        "Findings without an operation of the merchant's: an account at the processor may be shared. Only operators see them, and have 0 here.",
      ),
    },
    { description: "What was compared, and how often something was found." },
  ),
  sums: Type.Array(
    Type.Object({
      finding: Type.Enum([...KEPT_KINDS]),
      currency: Currency,
      count: count("Findings of this kind with an amount in this currency, on either side."),
      here: amount("What the gateway has of them. Amounts have no sign."),
      there: amount("What the processor has of them. Amounts have no sign."),
    }),
    { description: "What the findings come to, by kind and currency." },
  ),
  batches: Type.Array(
    Type.Object({
      batch_id: some("The processor's name for the batch or payout."),
      currency: Currency,
      captured: amount("Money that came in."),
      refunded: amount("Money that went back."),
      undone: amount("Refunds that failed."),
      chargebacks: amount("Taken by disputes, or given back."),
      fees: amount("Kept by the processor."),
      payouts: amount("Paid out."),
      reserves: amount("Kept back for a time, or released."),
      other: amount("Everything else."),
      left: amount("What all of it adds up to."),
    }),
    {
      description:
        "Of a report: what its batches or payouts add up to, 1,000 at most. None for merchants: an account may be shared.",
    },
  ),
});

const closed = { additionalProperties: false } as const;
const HERE = Type.Object(
  {
    operation: Type.Enum([...EVENT_TYPES, "dispute"], {
      description: "Of a `dispute` the amount is what is withdrawn on record.",
    }),
    amount: amount("What was asked for."),
    currency: Currency,
    outcome: nullable(Type.Enum([...OUTCOMES_IN_BOOKS]), { description: "Null: not known yet." }),
    sent_at: { ...Timestamp, description: "The processor was asked then, or later." },
  },
  closed,
);
const THERE = Type.Object(
  {
    line: nullable(Type.Integer({ minimum: 1 }), { description: "In the file; null of a whole batch." }),
    amount: amount("In a report below zero if money went out."),
    currency: Currency,
    code: some("The processor's code, in books."),
    batch_id: some("The batch or payout, in reports."),
    net: some("In reports: what it changed in the balance at the processor."),
    net_currency: some("ISO 4217, of `net`."),
  },
  closed,
);

export const ReconciliationFinding = Type.Object({
  number: Type.Integer({ minimum: 1 }),
  finding: Type.Enum([...KEPT_KINDS], { description: "What is the matter; docs/reconciliation.md explains each." }),
  difference: Type.Boolean({ description: "Whether it has to be looked into." }),
  message: Type.String({
    description: "In words.",
    examples: ["The books have no line for this sale of 11.00 USD, approved here."],
  }),
  operation: Type.String({ description: "The operation, or the processor's word for it.", examples: ["sale"] }),
  reference: some("What the processor knows it by."),
  transaction_id: nullable(Uuid, { description: "Whose operation it is." }),
  sequence: nullable(Type.Integer({ minimum: 1 }), { description: "Which event of the transaction." }),
  here: nullable(HERE, { description: "What the gateway has; null if it has nothing." }),
  there: nullable(THERE, { description: "What the processor has; null if it has nothing." }),
});

export const FINDINGS_PAGED =
  `With its findings, differences first, ${FINDINGS_ON_A_PAGE} a page. The first 10,000 are kept; \`counts\` and \`sums\` have all. ` +
  "What is only near midnight is counted and not listed.";

/** As operators see it. */
export const showRun = ({ counts, sums, batches, created_at, own: _, ...run }: KeptRun) => ({
  ...run,
  created_at: timestamp(created_at),
  counts: {
    ...{ lines: number(counts.lines), differences: number(counts.differences), pending: number(counts.pending) },
    ...{ not_closed: number(counts.notClosed), chargebacks: number(counts.chargebacks) },
    ...{ near_midnight: number(counts.nearMidnight), too_recent: number(counts.tooRecent) },
    ...{ others: number(counts.others), malformed: number(counts.broken) },
    withheld: 0,
  },
  ...{ sums, batches },
});

/** As its merchant sees it: nothing that may be another merchant's, whose account at the processor may be the same. */
export function showOwnRun(run: KeptRun): ReturnType<typeof showRun> {
  const all = showRun(run);
  const { differences, pending, not_closed, chargebacks } = all.counts;
  const unknown = { ...NOTHING, withheld: differences + pending + not_closed + chargebacks };
  const { sums, notClosed, ...counts } = run.own ?? unknown;
  return {
    ...all,
    file: null,
    batches: [],
    counts: { ...all.counts, ...counts, not_closed: notClosed },
    sums: [...sums],
  };
}

const NOTHING = { differences: 0, pending: 0, notClosed: 0, chargebacks: 0, sums: [] };

/** Books have no chargebacks, for instance. */
const number = (value: unknown): number => (typeof value === "number" ? value : 0);

export function showFinding(found: KeptFinding & { readonly number: number }, { source }: KeptRun) {
  const { kind, difference, operation, reference, transactionId, sequence, here, there } = found;
  return {
    ...{ number: found.number, finding: kind, difference, message: inWords(found, source), operation, reference },
    ...{ transaction_id: transactionId, sequence, there },
    here: here && { ...here, sent_at: timestamp(new Date(here.sent_at)) },
  };
}
