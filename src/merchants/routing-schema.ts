// The schemas of a merchant's routing: its rules as the operator sends and sees them. What no schema can say stands in
// routing-input.ts.

import Type, { type TSchema } from "typebox";
import { CARD_BRANDS } from "../payment/card-brand.ts";
import { MOST_ATTEMPTS } from "../payment/going-on.ts";
import { UNREADABLE, Uuid } from "../validation/fields.ts";
import { MUST_BE } from "../validation/problems.ts";
import { MAY_HOLD } from "../validation/stray-card-numbers.ts";
import { CURRENCY } from "./processor-schema.ts";

const MOST_RULES = 50;
const MOST_PROCESSORS = 20;
const MOST_VALUES = 100;
const MOST_META = 5;
const MOST_WEIGHT = 1_000;
const ONE_ATTEMPT = 1;

export const CARD_RANGE =
  "the first 1 to 8 digits of card numbers, or two of one length from low to high, like 411111-411199";
export const AMOUNT = "an amount from 0.01 to 9999999 with at most two decimals, such as 10.00";

export const Currency = Type.String({ pattern: "^[A-Z]{3}$", [MUST_BE]: CURRENCY });
export const Country = Type.String({
  pattern: "^[A-Z]{2}$",
  [MUST_BE]: "a country of ISO 3166-1 in two capitals, like CA",
});
const CardRange = Type.String({
  pattern: "^[0-9]{1,8}(-[0-9]{1,8})?$",
  [MUST_BE]: CARD_RANGE,
  // Two ranges beside each other are as long as a card number.
  [MAY_HOLD]: "anything",
});
export const Amount = (description: string) =>
  Type.String({
    pattern: "^0*[0-9]{1,7}(\\.[0-9]{1,2})?$",
    [MUST_BE]: AMOUNT,
    description,
    examples: ["10.00"],
  });
const shortText = (most: number, description: string, example: string) =>
  Type.String({
    minLength: 1,
    maxLength: most,
    pattern: `^[^${UNREADABLE}]*$`,
    [MUST_BE]: `a text of 1 to ${most} characters, without control or invisible characters`,
    description,
    examples: [example],
  });

const listOf = <T extends TSchema>(items: T, most: number, what: string, description: string, examples: unknown[]) =>
  Type.Array(items, {
    minItems: 1,
    maxItems: most,
    uniqueItems: true,
    [MUST_BE]: `a list of 1 to ${most} ${what}, none repeated`,
    description,
    examples: [examples],
  });

const Meta = Type.Object(
  {
    name: shortText(255, "A field of the charge's `meta`.", "channel"),
    values: listOf(
      shortText(255, "A value of the field.", "app"),
      MOST_VALUES,
      "texts",
      "Its value is one of these. Numbers and flags count as texts.",
      ["app", "kiosk"],
    ),
  },
  { additionalProperties: false },
);

const When = Type.Object(
  {
    currencies: Type.Optional(
      listOf(Currency, MOST_VALUES, "currencies", "The currency is one of these.", ["CAD", "USD"]),
    ),
    brands: Type.Optional(
      listOf(Type.Enum([...CARD_BRANDS]), CARD_BRANDS.length, "brands", "The card's brand is one of these.", ["amex"]),
    ),
    card_ranges: Type.Optional(
      listOf(
        CardRange,
        MOST_VALUES,
        "card ranges",
        "The card number begins with one of these: 1 to 8 digits, or two such beginnings and all between.",
        ["411111", "45000000-45009999"],
      ),
    ),
    countries: Type.Optional(
      listOf(Country, MOST_VALUES, "countries", "The charge's `country`, of the billing address, is one of these.", [
        "CA",
      ]),
    ),
    amount_at_least: Type.Optional(Amount("The amount is not below this one.")),
    amount_at_most: Type.Optional(Amount("The amount is not above this one.")),
    airline: Type.Optional(
      Type.Boolean({ description: "The charge has airline data (`true`), or has none (`false`).", examples: [true] }),
    ),
    meta: Type.Optional(
      Type.Array(Meta, {
        minItems: 1,
        maxItems: MOST_META,
        [MUST_BE]: `a list of 1 to ${MOST_META} fields of meta with their values`,
        description: "Each of these fields of the charge's `meta` has one of its values.",
      }),
    ),
  },
  { additionalProperties: false, description: "All of these must hold. Without any, the rule is for every charge." },
);
export type When = Type.Static<typeof When>;

const RuleName = shortText(100, "For people: it stands in explanations.", "Airline data in CAD");
const ProcessorId = { ...Uuid, description: "One of the merchant's processor records." };
const Weight = Type.Integer({
  minimum: 0,
  maximum: MOST_WEIGHT,
  description:
    "How often it is drawn first, beside the others' weights. 0: only where nothing was sent to those with a weight; if all " +
    "are 0, they are tried in the order of the list.",
  examples: [3],
});

const rules = (when: TSchema, weight: TSchema) =>
  Type.Array(
    Type.Object(
      {
        name: RuleName,
        when,
        processors: Type.Array(Type.Object({ id: ProcessorId, weight }, { additionalProperties: false }), {
          minItems: 1,
          maxItems: MOST_PROCESSORS,
          [MUST_BE]: `a list of 1 to ${MOST_PROCESSORS} processors`,
          description: "Among whom is drawn.",
        }),
      },
      { additionalProperties: false },
    ),
    {
      maxItems: MOST_RULES,
      [MUST_BE]: `a list of at most ${MOST_RULES} rules`,
      description: "In order: the first that applies, and names a processor that can take the charge, decides.",
    },
  );

const AttemptsAtMost = Type.Integer({
  minimum: ONE_ATTEMPT,
  maximum: MOST_ATTEMPTS,
  [MUST_BE]: `a whole number from ${ONE_ATTEMPT} to ${MOST_ATTEMPTS}`,
  description:
    "To how many processors a charge may be sent, one after the other, if they decline it for a reason that another may not have. " +
    "1: a decline ends it.",
  examples: [3],
});

export const RoutingChange = Type.Object(
  {
    rules: Type.Optional(rules(Type.Optional(When), Type.Optional(Weight))),
    attempts_at_most: Type.Optional(AttemptsAtMost),
    version: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: "The version that you looked at. If it is another by now, nothing is changed.",
        examples: [3],
      }),
    ),
  },
  { description: "The rules are replaced as a whole. What is left out stays as it is." },
);
export interface RoutingChange {
  readonly rules?: readonly RuleInput[];
  readonly attempts_at_most?: number;
  readonly version?: number;
}
export interface RuleInput {
  readonly name: string;
  readonly when?: When;
  readonly processors: readonly { readonly id: string; readonly weight?: number }[];
}

export const Routing = Type.Object({
  version: Type.Integer({ minimum: 0, description: "Counts the changes; 0: there was none.", examples: [3] }),
  rules: rules(When, Weight),
  attempts_at_most: AttemptsAtMost,
});
/** As it is stored and shown. */
export interface ShownRule extends Required<RuleInput> {
  readonly processors: readonly { readonly id: string; readonly weight: number }[];
}
export interface Routing {
  readonly version: number;
  readonly rules: readonly ShownRule[];
  readonly attempts_at_most: number;
}
