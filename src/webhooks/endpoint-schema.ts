// The schemas of webhook endpoints for operators: they check input and are published in the OpenAPI document.

import Type from "typebox";
import { GIVEN_ID } from "../merchants/given-id.ts";
import { DISPUTE_NEWS } from "../payment/dispute.ts";
import { EVENT_TYPES } from "../payment/transaction.ts";
import { nullable, Timestamp, Uuid } from "../validation/fields.ts";
import { MUST_BE } from "../validation/problems.ts";
import { MOST_URL } from "./targets.ts";

/** `resolved`: an outcome that was not known at first. */
const ENDS = ["succeeded", "failed", "pending", "resolved"] as const;

export const SETTLED = "transaction.settled";

/** `transaction.sale.succeeded` … */
export const TRANSACTION_TYPES: readonly string[] = [
  ...EVENT_TYPES.flatMap((operation) => ENDS.map((end) => `transaction.${operation}.${end}`)),
  SETTLED,
];
export const DISPUTE_TYPES: readonly string[] = DISPUTE_NEWS.map((news) => `dispute.${news}`);
export const PLAN_TYPES: readonly string[] = [
  "plan.charge.succeeded",
  "plan.charge.failed",
  "plan.completed",
  "plan.canceled",
];
/** What endpoints choose from. */
export const WEBHOOK_TYPES: readonly string[] = [...TRANSACTION_TYPES, ...DISPUTE_TYPES, ...PLAN_TYPES];

/** Sent when somebody asks for it, whatever the endpoint chose. */
export const PING = "webhook.ping";

// Its form depends on the mode: targets.ts judges it.
const Url = Type.String({
  minLength: 1,
  maxLength: MOST_URL,
  description: "Where it is told, by POST.",
  examples: ["https://shop.example.com/faregate"],
});

const EventTypes = nullable(Type.Array(Type.Enum([...WEBHOOK_TYPES]), { minItems: 1, uniqueItems: true }), {
  [MUST_BE]: `null for all, or a list of at least 1, none repeated, of ${WEBHOOK_TYPES.join(", ")}`,
  description: "What it is told of; null is everything, also what later versions add.",
  examples: [["transaction.sale.succeeded", "transaction.settled"]],
});

const Enabled = Type.Boolean({ description: "Whether it is told. Nothing that happens meanwhile is kept for it." });

export const NewWebhook = Type.Object(
  { ...GIVEN_ID, url: Url, event_types: Type.Optional(EventTypes), enabled: Type.Optional(Enabled) },
  { description: "What a webhook endpoint is created from." },
);
export type NewWebhook = Type.Static<typeof NewWebhook>;

export const WebhookChange = Type.Object(
  { url: Type.Optional(Url), event_types: Type.Optional(EventTypes), enabled: Type.Optional(Enabled) },
  { description: "What is to be changed of a webhook endpoint; the rest stays." },
);
export type WebhookChange = Type.Static<typeof WebhookChange>;

export const Webhook = Type.Object({
  id: Uuid,
  merchant_id: Uuid,
  url: Url,
  event_types: EventTypes,
  enabled: Enabled,
  disabled_reason: nullable(Type.String(), {
    description: "Why the gateway disabled it by itself: it responded with 410, or failed until the last attempt.",
    examples: ["It answered 410 (gone)."],
  }),
  previous_secret_until: nullable(Timestamp, {
    description: "After a rotation: until then the secret before it signs too.",
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Webhook = Type.Static<typeof Webhook>;

/** The only responses that ever show the secret. */
export const CreatedWebhook = Type.Object({
  ...Webhook.properties,
  secret: Type.String({
    description: "What its signatures are verified with (Standard Webhooks 1.0). Shown this once.",
    examples: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
  }),
});
export type CreatedWebhook = Type.Static<typeof CreatedWebhook>;
