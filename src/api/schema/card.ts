// The fields of a card and of its holder, as a charge sends them and as they are stored, and what the API shows of a stored card.

import Type, { type Static, type TSchema } from "typebox";
import { CARD_BRANDS } from "../../payment/card-brand.ts";
import { NETWORK_TRANSACTION_ID_PATTERN } from "../../payment/stored-credential.ts";
import { AVS_WORDS, CVV_WORDS } from "../../payment/verification.ts";
import { nullable, Timestamp, Uuid } from "../../validation/fields.ts";
import { MUST_BE } from "../../validation/problems.ts";
import { MAY_HOLD } from "../../validation/stray-card-numbers.ts";
import { CONSENT, ConsentShape } from "./consent.ts";
import { code, digits, formatted, matching, oneOf, text, uuid } from "./fields.ts";

const maybe = Type.Optional;

const MONTHS = ["01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11", "12"];

/** Of a charge, and of a card that is stored. */
export const CARD = {
  card_number: digits("card-number", "8 to 19 digits without spaces or dashes", {
    description: "Card to charge.",
    examples: ["4111111111111111"],
  }),
  card_expiry_month: oneOf(MONTHS, "two digits, 01 to 12", {
    description: "Expiry month.",
    examples: ["12"],
  }),
  card_expiry_year: matching("^[0-9]{4}$", "four digits", { description: "Expiry year.", examples: ["2039"] }),
  card_cvv: maybe(
    digits("card-cvv", "three or four digits", {
      description: "Required by some processors for some brands. Never stored, never returned.",
      examples: ["123"],
    }),
  ),
};

/** Names and billing address. */
export const CARDHOLDER = {
  first_name: maybe(text(1, 255, { description: "Required, with two characters or more, by some processors." })),
  last_name: maybe(text(1, 255, { description: "Required, with two characters or more, by some processors." })),
  email: maybe(text(1, 255, { description: "Customer email.", examples: ["jane@example.com"] })),
  mobile_phone: maybe(text(1, 15, { description: "Customer phone.", examples: ["15145550199"] })),
  street_address_1: maybe(text(1, 255, { description: "Billing address, line 1." })),
  street_address_2: maybe(text(1, 255, { description: "Billing address, line 2." })),
  city: maybe(text(1, 255, { description: "Billing city." })),
  state: maybe(code(1, 3, { description: "Billing state.", examples: ["CA"] })),
  country: maybe(matching("^[A-Za-z]{2}$", "two letters", { description: "Billing country.", examples: ["US"] })),
  zip: maybe(text(2, 255, { description: "Billing postal code.", examples: ["95030"] })),
};

export const CUSTOMER_IP = formatted("ip", "an IPv4 or IPv6 address", {
  description: "Customer IP address.",
  examples: ["203.0.113.7"],
});

export const CardBody = Type.Object(
  {
    card_number: maybe({ ...CARD.card_number, description: "Card to store. Required without processor_token." }),
    card_expiry_month: maybe({
      ...CARD.card_expiry_month,
      description: "Expiry month. Required without processor_token.",
    }),
    card_expiry_year: maybe({
      ...CARD.card_expiry_year,
      description: "Expiry year. Required without processor_token.",
    }),
    card_cvv: maybe({
      ...digits("card-cvv", "three or four digits", {
        description: "Never stored, never returned: a stored card has no CVV.",
        examples: ["123"],
      }),
    }),
    processor_id: maybe(uuid({ description: "With processor_token: the record whose processor keeps the card." })),
    processor_token: maybe(
      text(1, 255, {
        description:
          "The processor's own name for a card that it keeps, in place of the card: at Stripe a payment method (`pm_…`), at Adyen a `storedPaymentMethodId`.",
        examples: ["pm_1NxYzABC"],
        [MAY_HOLD]: "identifier",
      }),
    ),
    processor_customer: maybe(
      text(1, 256, {
        description:
          "With processor_token: whose card it is there: at Stripe the customer (`cus_…`; default: that of the payment method), at Adyen the `shopperReference` (required).",
        examples: ["cus_9s6XKzkNRiz8i3"],
        [MAY_HOLD]: "identifier",
      }),
    ),
    network_transaction_id: maybe(
      matching(NETWORK_TRANSACTION_ID_PATTERN, "1 to 64 letters, digits, spaces, - and _", {
        description:
          "The scheme's id of the card's first charge, if that was made elsewhere. Default: that of the first approved charge here.",
        examples: ["483297487231504"],
        [MAY_HOLD]: "identifier",
      }),
    ),
    ...CARDHOLDER,
    consent: maybe(CONSENT),
    ip_address: maybe({
      ...CUSTOMER_IP,
      description: "Customer IP address: what looks like card testing is recognized by it. Not stored.",
    }),
  },
  { minProperties: 1, [MUST_BE]: "an object with a card, or a processor's token for one" },
);
export type CardFields = Static<typeof CardBody>;

export const VerificationBody = Type.Object({
  processor_id: maybe(
    uuid({
      description:
        "Record whose processor asks the issuer. Without it: the one that keeps the card, or one that is drawn.",
    }),
  ),
  card_cvv: maybe(
    digits("card-cvv", "three or four digits", {
      description: "To be compared by the issuer. Never stored, never returned.",
      examples: ["123"],
    }),
  ),
  ip_address: maybe({
    ...CUSTOMER_IP,
    description: "Customer IP address: what looks like card testing is recognized by it. Not stored.",
  }),
});

const orRemoved = <T extends TSchema>(schema: T) =>
  maybe(
    nullable(schema, {
      ...words(schema),
      description: `${descriptionOf(schema)} Null removes it from the card.`.trim(),
    }),
  );
const descriptionOf = (schema: TSchema) => (schema as { readonly description?: string }).description ?? "";
const words = (schema: TSchema) => ({ [MUST_BE]: (schema as { readonly [MUST_BE]?: string })[MUST_BE] });

export const CardChangeBody = Type.Object(
  {
    card_expiry_month: maybe(CARD.card_expiry_month),
    card_expiry_year: maybe(CARD.card_expiry_year),
    first_name: orRemoved(text(1, 255, { description: "First name." })),
    last_name: orRemoved(text(1, 255, { description: "Last name." })),
    email: orRemoved(text(1, 255, { description: "Customer email." })),
    mobile_phone: orRemoved(text(1, 15, { description: "Customer phone." })),
    street_address_1: orRemoved(text(1, 255, { description: "Billing address, line 1." })),
    street_address_2: orRemoved(text(1, 255, { description: "Billing address, line 2." })),
    city: orRemoved(text(1, 255, { description: "Billing city." })),
    state: orRemoved(code(1, 3, { description: "Billing state." })),
    country: orRemoved(matching("^[A-Za-z]{2}$", "two letters", { description: "Billing country." })),
    zip: orRemoved(text(2, 255, { description: "Billing postal code." })),
    consent: orRemoved(CONSENT),
  },
  { minProperties: 1, [MUST_BE]: "an object with at least one field that can change: expiry, names, address, consent" },
);
export type CardChangeFields = Static<typeof CardChangeBody>;

const stored = (description: string) => maybe(Type.String({ description }));

export const StoredCardShape = Type.Object(
  {
    id: { ...Uuid, description: "To be sent as `card_id`." },
    card_number: Type.String({ description: "Masked.", examples: ["411111******1111"] }),
    card_brand: Type.Enum([...CARD_BRANDS], { description: "By the published number ranges." }),
    card_expiry_month: Type.String({ examples: ["12"] }),
    card_expiry_year: Type.String({ examples: ["2039"] }),
    fingerprint: nullable(Type.String(), {
      description:
        "Equal for cards of the same number of one merchant. It says nothing else, and no other merchant has the same. Null: a processor keeps the card.",
      examples: ["mO7oF2wQpUeT1cXb9sR3Zg"],
    }),
    processor_id: nullable(Uuid, {
      description:
        "The record whose processor keeps the card: it alone can charge it. Null: the gateway itself keeps it.",
    }),
    network_transaction_id: nullable(Type.String(), {
      description:
        "The scheme's id of the card's first approved charge, which is sent with later ones. Null: not known, or not yet.",
      examples: ["483297487231504"],
    }),
    first_name: stored("As sent."),
    last_name: stored("As sent."),
    email: stored("As sent."),
    mobile_phone: stored("As sent."),
    street_address_1: stored("As sent."),
    street_address_2: stored("As sent."),
    city: stored("As sent."),
    state: stored("As sent."),
    country: stored("As sent."),
    zip: stored("As sent."),
    consent: nullable(ConsentShape, { description: "As sent, in place of the one before. Null: no limits." }),
    created_at: { ...Timestamp, description: "When it was stored. UTC." },
  },
  {
    $id: "Card",
    additionalProperties: false,
    description: "A card on file: to be charged by its `id`, without its number.",
  },
);

export const VerificationShape = Type.Object(
  {
    success: Type.Boolean({ description: "Whether the issuer says that the card is good." }),
    processor_id: { ...Uuid, description: "The record whose processor asked the issuer." },
    avs_response: nullable(Type.Enum([...AVS_WORDS]), { description: "Address verification result." }),
    processor_avs_response: nullable(Type.String(), { description: "Raw address verification letter." }),
    cvv_response: nullable(Type.Enum([...CVV_WORDS]), {
      description: "CVV result. Null: no CVV was sent, or nobody compared it.",
    }),
    processor_cvv_response: nullable(Type.String(), { description: "Raw CVV letter." }),
    processor_code: Type.String({ description: "The processor's code.", examples: ["00"] }),
    processor_message: Type.String({ description: "The processor's message.", examples: ["APPROVED"] }),
  },
  {
    $id: "Verification",
    additionalProperties: false,
    description: "What a card's issuer said of it, without money.",
  },
);
