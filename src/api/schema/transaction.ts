// What responses have: specification 2, decisions 2. These stand in the OpenAPI document, and the test run holds real
// responses against them.

import Type, { type TSchema, type TSchemaOptions } from "typebox";
import { CARD_BRANDS } from "../../payment/card-brand.ts";
import { DECLINE_CATEGORIES } from "../../payment/decline.ts";
import { REFUSALS } from "../../payment/refusal.ts";
import { STATUSES } from "../../payment/status.ts";
import { INITIATORS, REASONS } from "../../payment/stored-credential.ts";
import { COMPONENT } from "../openapi/components.ts";

const nullable = <S extends TSchema>(schema: S, about: TSchemaOptions = {}) => Type.Union([schema, Type.Null()], about);
export const id = (description: string) => Type.String({ format: "uuid", description });
const at = (description: string) =>
  Type.String({ format: "date-time", description: `${description} UTC.`, examples: ["2018-02-16T16:33:40+00:00"] });
export const decimal = (description: string) =>
  Type.String({
    pattern: "^[0-9]+\\.[0-9]{2}$",
    description: `${description} A decimal with two places.`,
    examples: ["3.56"],
  });
const words = (values: readonly string[], description: string) => Type.Enum([...values], { description });

const AVS = ["match", "address_match", "postal_match", "no_match", "unavailable", "not_supported"];
const CVV = ["match", "no_match", "not_processed", "not_present", "unsupported"];
const THREE_D_SECURE = ["attempted", "failed", "success", "error", "unavailable"];

export const EventShape = Type.Object(
  {
    id: id("Event id."),
    success: Type.Boolean({ description: "Whether the event succeeded." }),
    event_type: words(["auth", "capture", "sale", "void", "refund"], "The operation that added it."),
    amount: decimal("Event amount."),
    status: words(
      STATUSES,
      "Where the money stands. `pending`: nobody knows the outcome yet. `unsettled`: inside the settlement window.",
    ),
    ip_address: Type.Optional(Type.String({ description: "Customer IP address; absent where none was sent." })),
    by_processor: Type.Optional(
      Type.Boolean({
        description:
          "True: the processor did this without being asked, or contrary to what was on record; `processor_code_detail` says why. Otherwise absent.",
      }),
    ),
    processor_code: nullable(Type.String({ minLength: 2, maxLength: 10 }), {
      description: "Processor response code; null while pending.",
      examples: ["00"],
    }),
    processor_message: nullable(Type.String({ minLength: 1, maxLength: 255 }), {
      description: "The processor's message; of a pending event, that there is no outcome yet.",
      examples: ["APPROVED"],
    }),
    processor_code_detail: nullable(Type.String(), { description: "A detail of the code." }),
    decline_category: nullable(
      words(DECLINE_CATEGORIES, "Why it was declined, by what can be done about it, whatever the processor's codes."),
      { description: "Null unless it was declined, and where the processor's reason is not known." },
    ),
    processor_transaction_id: nullable(Type.String({ minLength: 1, maxLength: 255 }), {
      description: "Processor-assigned identifier.",
    }),
    auth_code: nullable(Type.String(), { description: "Authorization code.", examples: ["A1B2C3"] }),
    threeds_response: nullable(words(THREE_D_SECURE, "3-D Secure outcome."), {
      description: "Null without 3-D Secure data.",
    }),
    processor_threeds_response: nullable(Type.String(), { description: "Raw processor 3-D Secure result." }),
    avs_response: nullable(words(AVS, "Address verification result.")),
    processor_avs_response: nullable(Type.String(), { description: "Raw address verification letter." }),
    cvv_response: nullable(words(CVV, "CVV result.")),
    processor_cvv_response: nullable(Type.String(), { description: "Raw CVV letter." }),
    batch_id: nullable(id("Settlement batch."), { description: "Null until the event's cut-off has passed." }),
    created_at: at("When the operation was asked for."),
    updated_at: at("When its outcome was known."),
  },
  { $id: "Event", additionalProperties: false, description: "One operation on a transaction." },
);

/** One shape rather than two that differ in `allowed`: few generators of clients tell alternatives apart by a boolean. */
export const ActionShape = Type.Object(
  {
    allowed: Type.Boolean({ description: "Whether it may be tried now." }),
    amount: Type.Optional(decimal("If allowed: the most that may be asked.")),
    partial: Type.Optional(Type.Boolean({ description: "If allowed: whether a smaller amount is possible." })),
    uncertain: Type.Optional(
      Type.Boolean({ description: "If allowed: `true` within the settlement window, where the processor may say no." }),
    ),
    warning: Type.Optional(
      words(["disputed"], "If allowed. The payer's bank disputes the payment: the payer might get the money twice."),
    ),
    until: Type.Optional(
      nullable(
        at(
          "If allowed: from then on the clock alone may change this (automatic capture, cut-off, the window's end, a card's removal). Null: the clock does not change it.",
        ),
      ),
    ),
    reason: Type.Optional(Type.Enum([...REFUSALS], { description: "If not allowed: why not." })),
    uncertain_from: Type.Optional(
      nullable(
        at(
          "If not allowed: from then on it may be tried, and the processor may say no. Null: there is no such time before `from`, or an operation in flight decides.",
        ),
      ),
    ),
    from: Type.Optional(
      nullable(
        at(
          "If not allowed: from then on it is allowed for certain. Null: time alone will not allow it, or an operation in flight decides.",
        ),
      ),
    ),
  },
  {
    $id: "Action",
    additionalProperties: false,
    description:
      "Whether one operation is allowed now. If it is: `amount`, `partial`, `uncertain` and `until`. If not: `reason`, `uncertain_from` and `from`.",
  },
);

const action = Type.Ref("Action");
export const ActionsShape = Type.Object(
  { capture: action, void: action, refund: action, reversal: action },
  { $id: "Actions", additionalProperties: false, description: "What the rules allow now, and up to which amount." },
);

const AttemptShape = Type.Object(
  {
    processor_id: id("The processor record that was tried."),
    reason: words(
      ["out_of_reach", "declined"],
      "Why it took nothing: its connection was refused, and nothing was sent; or it declined.",
    ),
    processor_code: nullable(Type.String(), { description: "Of a decline: its code.", examples: ["05"] }),
    processor_message: nullable(Type.String(), {
      description: "Of a decline: the processor's message.",
      examples: ["DO NOT HONOR"],
    }),
    decline_category: nullable(words(DECLINE_CATEGORIES, "Of a decline: why."), {
      description: "Null unless it was declined.",
    }),
    processor_transaction_id: nullable(Type.String(), {
      description: "Of a decline: the processor's identifier, if it gave one.",
    }),
    created_at: at("When it was tried."),
  },
  {
    [COMPONENT]: "Attempt",
    additionalProperties: false,
    description: "A processor that was tried for this charge and took nothing.",
  },
);

const echo = (description: string) => Type.Optional(Type.String({ description }));

export const TransactionShape = Type.Object(
  {
    id: id("Transaction id."),
    merchant_id: id("The user's merchant."),
    user_id: id("The user of the token."),
    processor_id: id("The processor record that took the charge."),
    merchant_transaction_id: Type.String({ description: "As sent." }),
    transaction_type: Type.Literal("card", { description: "What was charged." }),
    checkout_url: nullable(Type.String(), {
      description: "Where to send the payer, who has to authenticate. Null unless the charge waits for that.",
    }),
    checkout_expires_at: Type.Optional(
      at("Until when the payer can authenticate; then the charge is given up. Present with a checkout_url."),
    ),
    return_url: echo("As sent."),
    card_number: Type.String({ description: "Masked.", examples: ["411111******1111"] }),
    card_brand: words(CARD_BRANDS, "By the published number ranges."),
    card_expiry_month: Type.String(),
    card_expiry_year: Type.String(),
    card_id: Type.Optional(
      nullable(id("The card on file that was charged, or that the charge stored."), {
        description:
          "Present with `card_id` or `store_card`. Null: the card is not stored, as the charge is not approved, or not yet.",
      }),
    ),
    store_card: Type.Optional(Type.Boolean({ description: "As sent." })),
    initiator: Type.Optional(words(INITIATORS, "As sent.")),
    reason: Type.Optional(words(REASONS, "As sent.")),
    network_transaction_id: echo("As sent."),
    plan_id: Type.Optional(id("The plan of which this charges a payment.")),
    plan_payment: Type.Optional(Type.Integer({ description: "The number of that payment." })),
    first_name: echo("As sent."),
    last_name: echo("As sent."),
    email: echo("As sent."),
    mobile_phone: echo("As sent."),
    street_address_1: echo("As sent."),
    street_address_2: echo("As sent."),
    city: echo("As sent."),
    state: echo("As sent."),
    country: echo("As sent."),
    zip: echo("As sent."),
    shipping_street_address_1: echo("As sent."),
    shipping_street_address_2: echo("As sent."),
    shipping_city: echo("As sent."),
    shipping_state: echo("As sent."),
    shipping_country: echo("As sent."),
    shipping_zip: echo("As sent."),
    currency: Type.String({ description: "ISO 4217, of all its amounts: the processor record's.", examples: ["USD"] }),
    document_number: echo("As sent."),
    dynamic_descripton: echo("As sent, under the name that was sent."),
    dynamic_descriptor: echo("As sent, under the name that was sent."),
    meta: Type.Optional(Type.Object({}, { additionalProperties: true, description: "As sent." })),
    threeds_enabled: Type.Optional(Type.Boolean({ description: "As sent." })),
    threeds_xid: echo("As sent."),
    threeds_eci: echo("As sent."),
    threeds_cavv: echo("As sent."),
    threeds_status: echo("As sent."),
    // No type: a union of texts and numbers is what common generators fail at.
    threeds_version: Type.Optional(
      Type.Any({ description: "As sent: the number 1 or 2, or the protocol's version as a text, such as `2.2.0`." }),
    ),
    created_at: at("When it was made."),
    updated_at: at("When an event was last added, or its outcome last became known."),
    events: Type.Array(Type.Ref("Event"), { minItems: 1, description: "Newest first. One of them is the charge." }),
    attempts: Type.Optional(
      Type.Array(AttemptShape, {
        minItems: 1,
        description:
          "Other processors that were tried for the charge and took nothing, oldest first. Absent if there are none.",
      }),
    ),
    disputes: Type.Optional(
      Type.Array(Type.Ref("Dispute"), {
        description: "In look-ups and lists: what the payer's bank disputes, oldest first. Absent if there is nothing.",
      }),
    ),
    actions: Type.Ref("Actions"),
    passengers: Type.Optional(
      Type.Array(Type.Ref("Passenger"), { description: "Present when airline data was sent." }),
    ),
  },
  {
    $id: "Transaction",
    additionalProperties: false,
    description: "A charge, the fields that came with it, and its events.",
  },
);

export const PageMeta = Type.Object(
  {
    last_page: Type.Integer({ minimum: 1 }),
    current_page: Type.Integer({ minimum: 1 }),
    total: Type.Integer({ minimum: 0, description: "Exact count of all matches." }),
  },
  { [COMPONENT]: "PageMeta", additionalProperties: false, description: "Which page this is, of how many." },
);
