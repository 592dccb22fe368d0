// The operator's routes on webhook endpoints. A secret is in the response that makes it, and in no other.

import type { FastifyInstance } from "fastify";
import { NewWebhook, WebhookChange } from "../../webhooks/endpoint-schema.ts";
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  rotateSecret,
  type SealingOffice,
} from "../../webhooks/endpoints.ts";
import { authorOf, createdOf, found, inputOf, outcomeOf, pageOf } from "./calls.ts";
import { changes, creates, ends, lists, shows } from "./describe.ts";

type WithId = { Params: { id: string } };

const WEBHOOK = ["webhook", "Webhook"] as const;
const CREATED = ["webhook", "CreatedWebhook"] as const;

export function webhookRoutes(app: FastifyInstance, office: SealingOffice): void {
  const ofMerchant = "/merchants/:id/webhooks";
  const one = "/webhooks/:id";

  const create = creates(
    {
      summary: "Create a webhook endpoint",
      description: "It receives what happens from now on. The secret is only in this response.",
      of: "merchant",
    },
    "WebhookFields",
    CREATED,
    "Webhook",
  );
  app.post<WithId>(ofMerchant, { config: { ownRecord: "merchant" }, schema: create }, async (request, reply) => {
    const input = inputOf(NewWebhook, request, reply);
    return { webhook: createdOf(await createWebhook(office, authorOf(request), request.params.id, input), reply) };
  });

  const list = lists({ summary: "List a merchant's webhook endpoints", of: "merchant" }, ["webhooks", "Webhook"]);
  app.get<WithId>(ofMerchant, { config: { ownRecord: "merchant" }, schema: list }, async (request) => ({
    webhooks: found("merchant", await listWebhooks(office.sql, request.params.id, pageOf(request))),
  }));

  const find = shows(
    {
      summary: "Look a webhook endpoint up",
      description: "Without its secret, which is shown once only.",
      of: "webhook",
    },
    WEBHOOK,
  );
  app.get<WithId>(one, { config: { ownRecord: "webhook" }, schema: find }, async ({ params }) => ({
    webhook: found("webhook", await findWebhook(office.sql, params.id)),
  }));

  const change = changes(
    {
      summary: "Change a webhook endpoint",
      description: "When it is enabled again, it first receives what it missed.",
      of: "webhook",
    },
    "WebhookChange",
    WEBHOOK,
  );
  app.patch<WithId>(one, { config: { ownRecord: "webhook" }, schema: change }, async (request, reply) => {
    const input = inputOf(WebhookChange, request, reply);
    return { webhook: outcomeOf(await changeWebhook(office, authorOf(request), request.params.id, input)) };
  });

  const rotate = shows(
    {
      summary: "Give a webhook endpoint a new secret",
      description: "It is only in this response. For 24 hours webhooks are also signed with the old one.",
      of: "webhook",
    },
    CREATED,
  );
  app.post<WithId>(`${one}/rotate-secret`, { config: { ownRecord: "webhook" }, schema: rotate }, async (request) => ({
    webhook: outcomeOf(await rotateSecret(office, authorOf(request), request.params.id)),
  }));

  const remove = ends({
    summary: "Delete a webhook endpoint",
    description: "Everything still to be sent to it is deleted too.",
    of: "webhook",
  });
  app.delete<WithId>(one, { config: { ownRecord: "webhook" }, schema: remove }, async (request, reply) => {
    outcomeOf(await deleteWebhook(office, authorOf(request), request.params.id));
    return reply.code(204).send();
  });
}
