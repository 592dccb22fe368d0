// A plan as the API, webhooks and commands show it.

import Type, { type Static } from "typebox";
import { type Amount, renderAmount } from "../../payment/money.ts";
import {
  chargedOf,
  PAYMENT_STATUSES,
  PLAN_STATUSES,
  type Plan,
  type PlanPayment,
  planStatusOf,
} from "../../payment/plan.ts";
import type { Passenger } from "../../payment/transaction.ts";
import { nullable, Timestamp, timestamp, Uuid } from "../../validation/fields.ts";

const Money = (description: string) => Type.String({ description, examples: ["120.00"] });

export const PlanPaymentShape = Type.Object(
  {
    number: Type.Integer({ description: "From 1, in the order of the request." }),
    due_at: { ...Timestamp, description: "When it falls due." },
    amount: Money("Its amount."),
    rest: Type.Optional(Type.Boolean({ description: "It was sent as the rest of the total." })),
    status: Type.Enum([...PAYMENT_STATUSES], {
      description:
        "`pending`: it is being charged, or the outcome is not known yet. `retrying`: its charge came to nothing, and it is charged again. " +
        "`failed`: it is not charged any more, unless it is moved.",
    }),
    transaction_id: nullable(Uuid, { description: "Of its last charge." }),
    next_charge_at: nullable(Timestamp, { description: "When it is charged next; null if it is not." }),
    declines: Type.Integer({ description: "How many of its charges were declined or came to nothing." }),
    reason: nullable(Type.String(), {
      description:
        "Why its last charge came to nothing: a `decline_category`, the name of a refusal, or one of the reasons of plans.",
      examples: ["insufficient-funds"],
    }),
  },
  { $id: "PlanPayment", additionalProperties: false, description: "One payment of a plan." },
);

export const PlanShape = Type.Object(
  {
    id: Uuid,
    merchant_id: Uuid,
    user_id: { ...Uuid, description: "Who made it." },
    status: Type.Enum([...PLAN_STATUSES], {
      description:
        "`completed`: all is charged. `failed`: nothing is charged any more, and not all was. `canceled`: what was not charged was canceled.",
    }),
    card_id: { ...Uuid, description: "The card on file that is charged." },
    merchant_transaction_id: Type.String({ description: "As sent. Each charge has it.", examples: ["order-1001"] }),
    processor_id: nullable(Uuid, { description: "As sent; null: for each charge one in rotation is drawn." }),
    currency: Type.String({ description: "ISO 4217.", examples: ["USD"] }),
    total: Money("What all payments add up to."),
    charged: Money("What was charged so far."),
    payments: Type.Array(Type.Ref("PlanPayment"), { description: "In the order in which they fall due at first." }),
    document_number: Type.Optional(Type.String({ description: "As sent." })),
    passenger_transport: Type.Optional(
      Type.Array(Type.Ref("PlanPassenger"), {
        description: "As sent. Left out in lists and webhooks.",
      }),
    ),
    created_at: Timestamp,
    updated_at: { ...Timestamp, description: "When something of it became otherwise last." },
    canceled_at: nullable(Timestamp, { description: "When it was canceled." }),
  },
  {
    $id: "Plan",
    additionalProperties: false,
    description: "An order that is charged to a card on file in several payments.",
  },
);

const PlanLegShape = Type.Object(
  {
    carrier_code: Type.String(),
    service_class: Type.String(),
    departure_airport: Type.String(),
    destination_airport: Type.String(),
    departure_date: Type.String({ format: "date" }),
    flight_number: Type.Optional(Type.String()),
    fare_basis: Type.String(),
    fare: Type.String({ description: "The whole fare of the leg." }),
  },
  { additionalProperties: false },
);

export const PlanPassengerShape = Type.Object(
  {
    passenger_name: Type.String(),
    ticket_number: Type.String(),
    ticket_issuing_carrier_name: Type.String(),
    ticket_issuing_carrier_code: Type.String(),
    ticket_issuing_city: Type.String(),
    ticket_issuing_date: Type.String({ format: "date" }),
    restricted_ticket_indicator: Type.Boolean(),
    legs: Type.Array(PlanLegShape),
  },
  { $id: "PlanPassenger", additionalProperties: false, description: "A passenger of a plan, as sent." },
);

export type ShownPlan = Static<typeof PlanShape> & { readonly payments: readonly ShownPayment[] };
export type ShownPayment = Static<typeof PlanPaymentShape>;

/** @param whole with the passengers; lists and webhooks leave them out */
export function showPlan(plan: Plan, whole = false) {
  return {
    id: plan.id,
    merchant_id: plan.merchantId,
    user_id: plan.userId,
    status: planStatusOf(plan),
    card_id: plan.cardId,
    merchant_transaction_id: plan.merchantTransactionId,
    processor_id: plan.processorId,
    currency: plan.currency,
    total: renderAmount(plan.total),
    charged: renderAmount(chargedOf(plan)),
    payments: plan.payments.map(showPayment),
    ...(whole && plan.fields.document_number !== undefined && { document_number: plan.fields.document_number }),
    ...(whole && plan.passengers !== null && { passenger_transport: plan.passengers.map(showPassenger) }),
    created_at: timestamp(plan.createdAt),
    updated_at: timestamp(plan.updatedAt),
    canceled_at: plan.canceledAt && timestamp(plan.canceledAt),
  };
}

const showPayment = (payment: PlanPayment): ShownPayment => ({
  number: payment.number,
  due_at: timestamp(payment.dueAt),
  amount: renderAmount(payment.amount),
  ...(payment.isRest && { rest: true }),
  status: payment.status,
  transaction_id: payment.transactionId,
  next_charge_at: payment.chargeAt && timestamp(payment.chargeAt),
  declines: payment.declines,
  reason: payment.reason,
});

const showPassenger = ({ fares: _, legs, ...passenger }: Omit<Passenger, "id">) => ({
  ...passenger,
  legs: legs.map((leg) => ({ ...leg, fare: renderAmount(leg.fare as Amount) })),
});
