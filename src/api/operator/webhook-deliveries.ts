// The operator's routes on what a webhook endpoint was told: what became of it, and telling it again.

import type { FastifyInstance, FastifyRequest } from "fastify";
import Type from "typebox";
import type { Sql } from "../../journal/database.ts";
import { inTurn, lister } from "../../journal/search/ask.ts";
import type { Backoffice } from "../../merchants/backoffice.ts";
import { fairTurns, takeWithin } from "../../shares/turns.ts";
import { Uuid } from "../../validation/fields.ts";
import { DELIVERY_STATUSES, listDeliveries, Replay, replay } from "../../webhooks/deliveries.ts";
import { ping } from "../../webhooks/ping.ts";
import { readerGone } from "../long-responses.ts";
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

/** Of the office's few connections, by which people sign in, one is for those that are told again. */
const REPLAYS = { atOnce: 1, mostOfOne: 1, mostWaiting: 100, mostWaitingOfOne: 10 };
const REPLAYS_WAIT_MS = 10_000;

const holderOf = ({ session }: FastifyRequest): string => session?.merchantId ?? "operator";

type Office = Backoffice & { readonly slowReads: Sql };

export function webhookDeliveryRoutes(app: FastifyInstance, office: Office): void {
  const { slowReads } = office;
  const replays = fairTurns(REPLAYS);
  app.get<WithId>(
    "/webhooks/:id/deliveries",
    { config: { ownRecord: "webhook" }, schema: LIST },
    async (request, reply) => {
      const { transaction_id: transactionId, ...asked } = queryOf(Query, request);
      const page = { ...asked, ...(transactionId !== undefined && { transactionId }), limit: MOST_LISTED };
      const asker = lister(slowReads, holderOf(request), readerGone(reply));
      const listed = await inTurn(asker, () => listDeliveries(slowReads, request.params.id, page));
      return { deliveries: found("webhook", listed) };
    },
  );

  app.post<WithId>("/webhooks/:id/ping", { config: { ownRecord: "webhook" }, schema: PING }, async (request) => ({
    delivery: outcomeOf(await ping(office, authorOf(request), request.params.id)),
  }));

  app.post<WithId>(
    "/webhooks/:id/replay",
    { config: { ownRecord: "webhook" }, schema: REPLAY },
    async (request, reply) => {
      const input = inputOf(Replay, request, reply);
      const release = await takeWithin(replays, holderOf(request), REPLAYS_WAIT_MS, readerGone(reply));
      try {
        return { replayed: outcomeOf(await replay(office, authorOf(request), request.params.id, input)) };
      } finally {
        release();
      }
    },
  );
}
