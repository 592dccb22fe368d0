// The operator's routes on what a webhook endpoint was told: what became of it, and telling it again.

import type { FastifyInstance } from "fastify";
import Type from "typebox";
import type { Backoffice } from "../../merchants/backoffice.ts";
import { Uuid } from "../../validation/fields.ts";
import { DELIVERY_STATUSES, listDeliveries, Replay, replay } from "../../webhooks/deliveries.ts";
import { ping } from "../../webhooks/ping.ts";
import { COMPONENT } from "../openapi/components.ts";
import { authorOf, found, inputOf, outcomeOf, queryOf } from "./calls.ts";
import { findsMany, sets, shows } from "./describe.ts";

type WithId = { Params: { id: string } };

const MOST_LISTED = 100;

const Query = Type.Object(
  {
    before: Type.Optional({
      ...Uuid,
      description: "Only what is older than the delivery with this id: the last one of the previous response.",
    }),
    status: Type.Optional(Type.Enum([...DELIVERY_STATUSES], { description: "Only these.", examples: ["failed"] })),
    transaction_id: Type.Optional({ ...Uuid, description: "Only what happened to the transaction with this id." }),
  },
  { additionalProperties: false },
);

const LIST = findsMany(
  {
    summary: "List a webhook endpoint's deliveries",
    description:
      `Newest first, ${MOST_LISTED} at a time: ask again with \`before\` until a list is empty. ` +
      "What was delivered or given up is kept for 30 days.",
    of: "webhook",
  },
  ["deliveries", "WebhookDelivery"],
  Query,
);

const REPLAY = sets(
  {
    summary: "Tell a webhook endpoint again",
    description:
      "Deliveries that succeeded or failed are sent again, under the same id. Those still waiting are left alone.",
    of: "webhook",
  },
  "Replay",
  Type.Object(
    { replayed: Type.Integer({ description: "How many will be sent again." }) },
    { [COMPONENT]: "ReplayedDeliveries", additionalProperties: false },
  ),
);

const PING = shows(
  {
    summary: "Send a webhook endpoint a ping",
    description:
      "A signed `webhook.ping`, sent once, whatever types the endpoint chose. The response comes after it: `status` is `delivered` or " +
      "`failed`, and `last_answer` how the endpoint responded; `waiting` if its turn did not come within 20 s.",
    of: "webhook",
  },
  ["delivery", "WebhookDelivery"],
);

export function webhookDeliveryRoutes(app: FastifyInstance, office: Backoffice): void {
  app.get<WithId>("/webhooks/:id/deliveries", { config: { ownRecord: "webhook" }, schema: LIST }, async (request) => {
    const { transaction_id: transactionId, ...asked } = queryOf(Query, request);
    const page = { ...asked, ...(transactionId !== undefined && { transactionId }), limit: MOST_LISTED };
    return { deliveries: found("webhook", await listDeliveries(office.sql, request.params.id, page)) };
  });

  app.post<WithId>("/webhooks/:id/ping", { config: { ownRecord: "webhook" }, schema: PING }, async (request) => ({
    delivery: outcomeOf(await ping(office, authorOf(request), request.params.id)),
  }));

  app.post<WithId>(
    "/webhooks/:id/replay",
    { config: { ownRecord: "webhook" }, schema: REPLAY },
    async (request, reply) => {
      const input = inputOf(Replay, request, reply);
      return { replayed: outcomeOf(await replay(office, authorOf(request), request.params.id, input)) };
    },
  );
}
