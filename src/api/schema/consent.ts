// What a payer agreed to when a card was stored: as it is sent with the card, and as the card shows it.

import Type, { type Static } from "typebox";
import { PERIODS } from "../../payment/consent.ts";
import { MUST_BE } from "../../validation/problems.ts";
import { COMPONENT } from "../openapi/components.ts";
import { amount, calendarDate, formatted, oneOf } from "./fields.ts";

const maybe = Type.Optional;
const MOST_CHARGES = 1_000_000;

export const CONSENT = Type.Object(
  {
    currency: maybe(
      formatted("currency", "an ISO 4217 code in capitals, such as USD", {
        description: "Of all charges. Required with an amount.",
        examples: ["USD"],
      }),
    ),
    amount_at_most: maybe(amount({ description: "The most of one charge.", examples: ["50.00"] })),
    period: maybe(
      oneOf(PERIODS, `one of ${PERIODS.join(", ")}`, {
        description: "Of the calendar in UTC; weeks begin on Monday. Required with period_amount_at_most.",
        examples: ["month"],
      }),
    ),
    period_amount_at_most: maybe(
      amount({ description: "The most of all charges in one period. Required with period.", examples: ["200.00"] }),
    ),
    charges_at_most: maybe(
      Type.Integer({
        minimum: 1,
        maximum: MOST_CHARGES,
        [MUST_BE]: `a whole number from 1 to ${MOST_CHARGES}`,
        description: "How many charges there may be in all.",
        examples: [12],
      }),
    ),
    until: maybe(calendarDate({ description: "The last day, in UTC.", examples: ["2032-05-01"] })),
  },
  {
    minProperties: 1,
    [MUST_BE]: "an object with at least one limit",
    description:
      "What the payer agreed to: limits of charges with `initiator` merchant. What is left out is not limited.",
  },
);
export type ConsentFields = Static<typeof CONSENT>;

/** As a card shows it. */
export const ConsentShape = Type.Object(
  {
    currency: maybe(Type.String({ description: "ISO 4217, of all charges.", examples: ["USD"] })),
    amount_at_most: maybe(Type.String({ description: "The most of one charge.", examples: ["50.00"] })),
    period: maybe(Type.Enum([...PERIODS], { description: "Of the calendar in UTC; weeks begin on Monday." })),
    period_amount_at_most: maybe(
      Type.String({ description: "The most of all charges in one period.", examples: ["200.00"] }),
    ),
    charges_at_most: maybe(Type.Integer({ description: "How many charges there may be in all." })),
    until: maybe(Type.String({ description: "The last day, in UTC.", examples: ["2032-05-01"] })),
  },
  {
    [COMPONENT]: "Consent",
    additionalProperties: false,
    description:
      "What the payer agreed to: limits of charges with `initiator` merchant. What is absent is not limited.",
  },
);
