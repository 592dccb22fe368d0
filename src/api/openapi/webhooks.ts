// What the gateway itself sends, as the OpenAPI document describes it: one entry for each type of webhook.

import Type from "typebox";
import {
  DISPUTE_TYPES,
  PING,
  PLAN_TYPES,
  SETTLED,
  TRANSACTION_TYPES,
  WEBHOOK_TYPES,
} from "../../webhooks/endpoint-schema.ts";

const Happened = Type.String({
  format: "date-time",
  description: "When it happened, by the gateway's clock.",
  examples: ["2026-02-16T16:33:40+00:00"],
});

export const WebhookPayload = Type.Object(
  {
    type: Type.Enum([...TRANSACTION_TYPES], { description: "What happened." }),
    timestamp: Happened,
    data: Type.Object(
      {
        event_id: Type.String({ format: "uuid", description: "The event of the transaction that this is about." }),
        transaction: { ...Type.Ref("Transaction"), description: "As the API showed it at that moment." },
      },
      { additionalProperties: false },
    ),
  },
  { $id: "WebhookPayload", additionalProperties: false, description: "The body of a webhook about a transaction." },
);

export const DisputeWebhookPayload = Type.Object(
  {
    type: Type.Enum([...DISPUTE_TYPES], { description: "What happened." }),
    timestamp: Happened,
    data: Type.Object(
      { dispute: { ...Type.Ref("Dispute"), description: "As the API showed it at that moment." } },
      { additionalProperties: false },
    ),
  },
  { $id: "DisputeWebhookPayload", additionalProperties: false, description: "The body of a webhook about a dispute." },
);

export const PlanWebhookPayload = Type.Object(
  {
    type: Type.Enum([...PLAN_TYPES], { description: "What happened." }),
    timestamp: Happened,
    data: Type.Object(
      {
        payment: Type.Optional(
          Type.Integer({ description: "The number of the payment that was charged, or was not." }),
        ),
        plan: { ...Type.Ref("Plan"), description: "As the API showed it at that moment, without passengers." },
      },
      { additionalProperties: false },
    ),
  },
  { $id: "PlanWebhookPayload", additionalProperties: false, description: "The body of a webhook about a plan." },
);

export const PingPayload = Type.Object(
  {
    type: Type.Enum([PING], { description: "Somebody asked for it." }),
    timestamp: Happened,
    data: Type.Object({}, { maxProperties: 0, description: "Empty." }),
  },
  { $id: "PingPayload", additionalProperties: false, description: "The body of a ping." },
);

const HEADERS = [
  header("webhook-id", "The same at each attempt: what was taken before under this id can be left out."),
  header(
    "webhook-timestamp",
    "When it was sent, in seconds since 1970 by real time. Refuse what is older than five minutes.",
  ),
  header(
    "webhook-signature",
    "`v1,` and the base64 of the HMAC-SHA256 over `id.timestamp.body`, keyed with the base64 after `whsec_`. " +
      "Several, with blanks between them, after a rotation: one must be right.",
  ),
];

function header(name: string, description: string) {
  return { name, in: "header", required: true, description, schema: { type: "string" } } as const;
}

const MEANS: Readonly<Record<string, string>> = {
  succeeded: "was approved.",
  failed: "was declined, or nothing was sent, or nobody answered and it is reversed.",
  pending: "has an outcome that nobody knows yet.",
  resolved: "whose outcome was not known has one: see `success` of the event.",
};

const OF_DISPUTE: Readonly<Record<string, string>> = {
  "dispute.opened": "A dispute is known. Once for each; it may have ended already.",
  "dispute.updated": "Something of a dispute is otherwise than before.",
  "dispute.won": "A dispute ended for the merchant.",
  "dispute.lost": "A dispute ended for the payer.",
  "dispute.closed": "A dispute ended without a winner.",
};

const OF_PLAN: Readonly<Record<string, string>> = {
  "plan.charge.succeeded": "A payment of a plan was charged.",
  "plan.charge.failed":
    "A payment of a plan was not charged: it is tried again (`retrying`, with `next_charge_at`), or has failed.",
  "plan.completed": "All payments of a plan are charged.",
  "plan.canceled": "A plan was canceled: what was not charged is not charged any more.",
};

function meaningOf(type: string): string {
  const known = OF_DISPUTE[type] ?? OF_PLAN[type];
  if (known !== undefined) return known;
  if (type === PING) return "Somebody asked for a ping: it tells of nothing. It is sent once.";
  if (type === SETTLED) return "Money shows as settled. Once for each sale, capture and refund.";
  const [, operation, end = ""] = type.split(".");
  return `A ${operation} ${MEANS[end]}`;
}

/** `transaction.sale.succeeded` → `TransactionSaleSucceeded` */
const nameOf = (type: string): string => type.replace(/(?:^|[._])([a-z])/g, (_, first: string) => first.toUpperCase());

function shapeOf(type: string): string {
  if (type === PING) return "PingPayload";
  if (PLAN_TYPES.includes(type)) return "PlanWebhookPayload";
  return DISPUTE_TYPES.includes(type) ? "DisputeWebhookPayload" : "WebhookPayload";
}

const bodyOf = (shape: string) => ({
  required: true,
  content: { "application/json": { schema: { $ref: `#/components/schemas/${shape}` } } },
});
const RESPONSES = { "2XX": { description: "Taken." }, "410": { description: "Gone: the endpoint is disabled." } };

const description =
  "Any status from 200 to 299 says that it was taken. Anything else, or nothing within 15 s: it is sent again, up to ten " +
  "times over three days.";

const TYPES = [...WEBHOOK_TYPES, PING];

/** The member `webhooks` of OpenAPI 3.1. */
export const WEBHOOKS = Object.fromEntries(
  TYPES.map((type) => [type, { $ref: `#/components/pathItems/${nameOf(type)}` }]),
);

/**
 * What webhooks consist of, as components: from webhooks that are written out, generators make calls that nobody can use, and
 * openapi-generator's typescript-fetch makes code that does not compile.
 */
export const WEBHOOK_ITEMS = Object.fromEntries(
  TYPES.map((type) => [
    nameOf(type),
    {
      post: {
        operationId: `on${nameOf(type)}`,
        summary: meaningOf(type),
        description,
        tags: ["Webhooks"],
        security: [],
        parameters: HEADERS,
        requestBody: bodyOf(shapeOf(type)),
        responses: RESPONSES,
      },
    },
  ]),
);

const calls = (shape: string, summary: string) => ({
  "{$request.body#/url}": {
    post: { summary, description, security: [], requestBody: bodyOf(shape), responses: RESPONSES },
  },
});

/** Of the operation that makes an endpoint. oapi-codegen leaves out what only webhooks refer to. */
export const WEBHOOK_CALLS = {
  transaction: calls("WebhookPayload", "Something about a transaction happened."),
  dispute: calls("DisputeWebhookPayload", "Something about a dispute happened."),
  plan: calls("PlanWebhookPayload", "Something about a plan happened."),
  ping: calls("PingPayload", "Somebody asked for a ping."),
};
