// A dispute as it is shown to merchants and operators, and what an operator says of one: the schemas that check input and stand in the
// OpenAPI document.

import Type from "typebox";
import type { Dispute as Known } from "../../journal/dispute-rows.ts";
import { DISPUTE_OUTCOMES, DISPUTE_STAGES, OPEN_STATES, outcomeOf } from "../../payment/dispute.ts";
import { renderAmount, renderSigned } from "../../payment/money.ts";
import { Name, nullable, Timestamp, timestamp, Uuid } from "../../validation/fields.ts";
import { MUST_BE } from "../../validation/problems.ts";
import { MAY_HOLD } from "../../validation/stray-card-numbers.ts";

export const DISPUTE_STATUSES = [...OPEN_STATES, "ended"] as const;
export type DisputeStatus = (typeof DISPUTE_STATUSES)[number];

const decimal = (description: string) => Type.String({ description, examples: ["120.00"] });
const stage = Type.Enum([...DISPUTE_STAGES], { description: "How far it has gone." });

export const Dispute = Type.Object({
  id: Uuid,
  merchant_id: Uuid,
  transaction_id: { ...Uuid, description: "The disputed transaction." },
  merchant_transaction_id: Type.String({ description: "The merchant's order." }),
  event_id: { ...Uuid, description: "The sale or auth that is disputed." },
  processor_id: { ...Uuid, description: "The processor record." },
  processor_dispute_id: nullable(Type.String(), {
    description: "The processor's name for it; null if none is known.",
    examples: ["du_1MtJUT2eZvKYlo2CNaw2HvEv"],
  }),
  stage,
  status: Type.Enum([...DISPUTE_STATUSES], {
    description: "`needs_response`: evidence can be sent to the processor. `under_review`: others have to decide.",
  }),
  outcome: nullable(Type.Enum([...DISPUTE_OUTCOMES]), {
    description: "Null until it has ended. `closed`: without a winner, such as an inquiry that became no chargeback.",
  }),
  amount: decimal("What is disputed. It may be less than was charged, or more."),
  currency: Type.String({ description: "ISO 4217, of the disputed and the withdrawn amount.", examples: ["USD"] }),
  amount_withdrawn: decimal("What the processor holds of the merchant's money because of it, now."),
  fee: nullable(Type.String(), {
    description:
      "What the processor charged for it and did not give back, as far as the gateway knows. Null: no fee is known, or they are in several currencies, and the ledger has them. With a minus if the gateway knows of more that was given back than was charged.",
    examples: ["15.00"],
  }),
  fee_currency: nullable(Type.String(), {
    description: "ISO 4217, of the fee: the currency of the account at the processor. Null without a fee.",
    examples: ["USD"],
  }),
  reason: nullable(Type.String(), { description: "Why, in words.", examples: ["Other fraud: card not present"] }),
  reason_code: nullable(Type.String(), { description: "The card network's code.", examples: ["10.4"] }),
  respond_by: nullable(Timestamp, { description: "Until when evidence is taken; null if that is not known." }),
  opened_at: { ...Timestamp, description: "When it began, by the processor." },
  created_at: { ...Timestamp, description: "When the gateway knew." },
  updated_at: { ...Timestamp, description: "When something of it last changed." },
});
export type Dispute = Type.Static<typeof Dispute>;

/** As every response shows it. */
export function showDispute(dispute: Known): Dispute {
  const outcome = outcomeOf(dispute);
  return {
    id: dispute.id,
    merchant_id: dispute.merchantId,
    transaction_id: dispute.transactionId,
    merchant_transaction_id: dispute.merchantTransactionId,
    event_id: dispute.eventId,
    processor_id: dispute.processorId,
    processor_dispute_id: dispute.reference,
    stage: dispute.stage,
    status: OPEN_STATES.find((state) => state === dispute.state) ?? "ended",
    outcome,
    amount: renderAmount(dispute.amount),
    currency: dispute.currency,
    amount_withdrawn: renderAmount(dispute.withdrawn),
    fee: dispute.fee && renderSigned(dispute.fee.amount),
    fee_currency: dispute.fee?.currency ?? null,
    reason: dispute.reason,
    reason_code: dispute.reasonCode,
    respond_by: dispute.respondBy && timestamp(dispute.respondBy),
    opened_at: timestamp(dispute.openedAt),
    created_at: timestamp(dispute.createdAt),
    updated_at: timestamp(dispute.updatedAt),
  };
}

const AMOUNT_MUST_BE = "an amount such as 120.00";
const amount = (description: string) =>
  Type.String({
    pattern: "^\\d{1,15}(\\.\\d{1,2})?$",
    description,
    [MUST_BE]: AMOUNT_MUST_BE,
    examples: ["120.00"],
  });

const FIELDS = {
  currency: Type.String({
    pattern: "^[A-Z]{3}$",
    description: "ISO 4217; without it, as it was, and of a new dispute the transaction's.",
    [MUST_BE]: "a currency of ISO 4217, such as USD",
    examples: ["USD"],
  }),
  amount_withdrawn: amount(
    "What the processor holds because of it; 0.00 when it has given it back. Nothing unless told.",
  ),
  fee: amount(
    "What the processor charged for it in all, less what it gave back; 0.00 when it gave back all. No fee is known unless told.",
  ),
  fee_currency: Type.String({
    pattern: "^[A-Z]{3}$",
    description: "ISO 4217, of `fee`; without it, as it was, and at first that of the dispute.",
    [MUST_BE]: "a currency of ISO 4217, such as USD",
    examples: ["USD"],
  }),
  stage,
  status: Type.Enum([...OPEN_STATES], { description: "Of an open dispute: who has to do something." }),
  outcome: Type.Enum([...DISPUTE_OUTCOMES], { description: "How it ended." }),
  reason: { ...Name, description: "Why, in words; without it, what `reason_code` means.", examples: ["Not received"] },
  reason_code: Type.String({
    pattern: "^[0-9A-Za-z][0-9A-Za-z._-]{0,31}$",
    description: "The card network's code.",
    [MUST_BE]: "at most 32 letters, digits, points and dashes",
    examples: ["13.1"],
  }),
  respond_by: nullable(
    Type.String({
      format: "date-time",
      [MUST_BE]: "a time with its offset from UTC, like 2031-05-31T23:59:59Z",
      examples: ["2031-05-31T23:59:59Z"],
    }),
    { description: "Until when the processor takes evidence." },
  ),
};

export const NewDispute = Type.Object(
  {
    transaction_id: { ...Uuid, description: "What is disputed, a transaction of the merchant's." },
    amount: amount("What is disputed."),
    processor_dispute_id: Type.Optional(
      Type.String({
        pattern: "^[!-~]{1,255}$",
        description:
          "The processor's name for it. What the processor reports under this name is about the same dispute.",
        [MUST_BE]: "a name of 1 to 255 letters, digits and signs, without blanks",
        [MAY_HOLD]: "identifier",
        examples: ["du_1MtJUT2eZvKYlo2CNaw2HvEv"],
      }),
    ),
    ...optional(FIELDS),
  },
  { description: "What an operator knows of a dispute." },
);
export type NewDispute = Type.Static<typeof NewDispute>;

export const DisputeChange = Type.Object(
  { amount: Type.Optional(amount("What is disputed.")), ...optional(FIELDS) },
  { description: "What is otherwise now; the rest stays." },
);
export type DisputeChange = Type.Static<typeof DisputeChange>;

function optional(fields: typeof FIELDS) {
  return {
    currency: Type.Optional(fields.currency),
    amount_withdrawn: Type.Optional(fields.amount_withdrawn),
    fee: Type.Optional(fields.fee),
    fee_currency: Type.Optional(fields.fee_currency),
    stage: Type.Optional(fields.stage),
    status: Type.Optional(fields.status),
    outcome: Type.Optional(fields.outcome),
    reason: Type.Optional(fields.reason),
    reason_code: Type.Optional(fields.reason_code),
    respond_by: Type.Optional(fields.respond_by),
  };
}
