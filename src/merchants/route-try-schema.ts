// The schemas of a try: a charge, as far as it bears on where it goes, and the route that it would take.

import Type from "typebox";
import { REFUSALS } from "../payment/refusal.ts";
import { nullable, Uuid } from "../validation/fields.ts";
import { MUST_BE } from "../validation/problems.ts";
import { Amount, Country, Currency } from "./routing-schema.ts";

const there = (what: string) => Type.Optional(Type.Boolean({ description: `Whether it has ${what}. Default: true.` }));

export const RoutingTry = Type.Object(
  {
    amount: Amount("The amount of the charge."),
    card_start: Type.String({
      pattern: "^[0-9]{8}$",
      [MUST_BE]: "the first eight digits of a card number, and no more",
      description: "The first eight digits of the card number, and no more.",
      examples: ["41111111"],
    }),
    currency: Type.Optional({ ...Currency, description: "As the charge would send it, or not.", examples: ["CAD"] }),
    country: Type.Optional({ ...Country, description: "Of the billing address.", examples: ["CA"] }),
    airline: Type.Optional(Type.Boolean({ description: "Whether it has airline data. Default: false." })),
    meta: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          [MUST_BE]: "a JSON object",
          "x-json": true,
          description: "The charge's `meta`. A form may send it as a JSON text.",
          examples: [{ channel: "app" }],
        },
      ),
    ),
    cvv: there("a CVV"),
    names: there("first and last name"),
    document: there("a CPF or CNPJ"),
    processor_id: Type.Optional({ ...Uuid, description: "If the charge names its processor." }),
    transaction_id: Type.Optional({
      ...Uuid,
      description:
        "The draw follows from the transaction's id: with one that is known, it is repeated. Default: a new id.",
    }),
  },
  { description: "A charge, as far as it bears on where it goes." },
);
export type RoutingTry = Type.Static<typeof RoutingTry>;

export const TriedRoute = Type.Object({
  transaction_id: { ...Uuid, description: "From which the draw follows." },
  version: Type.Integer({ description: "Of the merchant's routing.", examples: [3] }),
  processor_id: nullable(Uuid, { description: "Which would be asked first. Null: the charge would be refused." }),
  rule: nullable(Type.String({ examples: ["Airline data in CAD"] }), {
    description: "The name of the rule that decides. Null: none does.",
  }),
  order: Type.Array(
    Type.Object({
      processor_id: Uuid,
      name: Type.String({ description: "Of the record.", examples: ["Acquirer in Canada"] }),
      weight: Type.Integer({ description: "By the rule; 1 where none decides.", examples: [3] }),
      share: Type.Number({ minimum: 0, maximum: 1, description: "How often it is drawn first.", examples: [0.75] }),
    }),
    { description: "The processors in the order in which they would be tried." },
  ),
  attempts_at_most: Type.Integer({
    minimum: 1,
    description: "To how many of them, one after the other, it may be sent if they decline it. 1: a decline ends it.",
    examples: [3],
  }),
  refused: Type.Array(Type.Enum([...REFUSALS]), {
    description: "Why the charge would be refused. Empty: it would not.",
  }),
  why: Type.Array(Type.String(), {
    description: "In words: which rules do not apply and which decides, and which records cannot take the charge.",
    examples: [["Rule 1 (Airline data in CAD) decides."]],
  }),
});
export type TriedRoute = Type.Static<typeof TriedRoute>;
