// The fields of a plan, and of a change of its dates.

import Type, { type Static } from "typebox";
import { MOST_PAYMENTS } from "../../payment/plan.ts";
import { MUST_BE } from "../../validation/problems.ts";
import { ChargeBody } from "./charge.ts";
import { amount, flag, uuid } from "./fields.ts";

const maybe = Type.Optional;

const DueAt = Type.String({
  format: "date-time",
  [MUST_BE]: "a time with its offset from UTC, like 2031-05-31T00:00:00Z",
  description: "When it is charged.",
  examples: ["2031-05-31T00:00:00Z"],
});

const { merchant_transaction_id, currency, document_number, passenger_transport, processor_id } = ChargeBody.properties;

export const PlanBody = Type.Object(
  {
    card_id: uuid({ description: "The card on file that is charged. It also brings names and address." }),
    merchant_transaction_id: {
      ...merchant_transaction_id,
      description: "The merchant's identifier, which each charge has; may repeat.",
    },
    processor_id,
    total: amount({ description: "What all payments add up to. With airline data: all fares.", examples: ["500.00"] }),
    currency,
    payments: Type.Array(
      Type.Object({
        due_at: { ...DueAt, description: "When it is charged: later than the payment before it, and not in the past." },
        amount: maybe(amount({ description: "Its amount. Left out with `rest`.", examples: ["100.00"] })),
        rest: maybe(
          flag({ description: "`true`, in place of an amount, for the last payment: all that is left of the total." }),
        ),
      }),
      {
        minItems: 1,
        maxItems: MOST_PAYMENTS,
        [MUST_BE]: `a list of 1 to ${MOST_PAYMENTS} payments`,
        description: "In the order in which they fall due.",
      },
    ),
    document_number,
    passenger_transport: maybe({
      ...passenger_transport,
      description:
        "Airline data, one entry a passenger, with the whole fares. Each payment is charged with a part of each fare.",
    }),
  },
  { [MUST_BE]: "an object with card_id, merchant_transaction_id, total and payments" },
);
export type PlanFields = Static<typeof PlanBody>;

export const PlanChangeBody = Type.Object(
  {
    payments: Type.Array(
      Type.Object({
        number: Type.Integer({ minimum: 1, maximum: MOST_PAYMENTS, description: "Which payment.", examples: [2] }),
        due_at: { ...DueAt, description: "When it is charged from now on." },
      }),
      {
        minItems: 1,
        maxItems: MOST_PAYMENTS,
        [MUST_BE]: `a list of 1 to ${MOST_PAYMENTS} payments with their new dates`,
        description: "Payments that get other dates. The others stay.",
      },
    ),
  },
  { [MUST_BE]: "an object with payments" },
);
