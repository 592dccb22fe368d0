// The OpenAPI 3.1 document. It is made of the same schemas that check the requests; the pages at /docs show it.

import { createRequire } from "node:module";
import swagger from "@fastify/swagger";
import type { FastifyInstance } from "fastify";
import Type from "typebox";
import type { Kinds } from "../../merchants/kind-settings.ts";
import { PlanPassengerShape, PlanPaymentShape, PlanShape } from "../../merchants/plans/plan-schema.ts";
import { textUnder } from "../base-path.ts";
import { operatorComponents } from "../operator/components.ts";
import { OverviewShape } from "../overview.ts";
import { showPages } from "../reference/pages.ts";
import { StoredCardShape, VerificationShape } from "../schema/card.ts";
import { PassengerShape } from "../schema/passenger.ts";
import { ActionShape, ActionsShape, EventShape, TransactionShape } from "../schema/transaction.ts";
import { SettlementShape } from "../settlement.ts";
import { BODIES } from "./bodies.ts";
import { cachedResponse, madeOnce } from "./cached-response.ts";
import { APPROVED_SALE } from "./examples.ts";
import { frontPage } from "./front-page.ts";
import { MovementShape } from "./ledger-route.ts";
import { publish } from "./publish.ts";
import { ErrorShape, headTooLarge } from "./responses.ts";
import {
  DisputeWebhookPayload,
  PingPayload,
  PlanWebhookPayload,
  WEBHOOK_ITEMS,
  WEBHOOKS,
  WebhookPayload,
} from "./webhooks.ts";

const { version } = createRequire(import.meta.url)("../../../package.json") as { version: string };

const DESCRIPTION = `Card operations over HTTP: sale, auth, capture, void, refund, reversal, and lists with filters.

Bodies are JSON, urlencoded or multipart; in forms brackets nest: \`passenger_transport[0][legs][1][fare]\`. Texts and numbers
are interchangeable, amounts are exact decimals, an empty text or null is an absent field. Unknown fields are ignored and named
in \`Faregate-Ignored-Fields\`.

Every error has one shape: what is wrong, by field. Its header \`Link\` leads to what it means and what to do
([all errors](/docs/errors)). Beyond those that each operation lists, a known path with another method is
405 (\`Allow\` says which there are), an unknown path 404, a request that stalls 408, and too large headers are 431.

\`X-Request-Id\` is in every response and in the gateway's log. Send one to choose it (1 to 64 letters, digits and \`. _ : + / = -\`); one
that is not well-formed, or holds a card number, is replaced.

The pages at [/docs](/docs) and [/docs/operator](/docs/operator) show this document.`;

/**
 * To be called before any route is added.
 * @param kinds whose settings are described
 */
export async function describeApi(app: FastifyInstance, kinds: Kinds): Promise<void> {
  const { basePath = "" } = app;
  const Transaction = { ...TransactionShape, examples: [APPROVED_SALE] };
  const shapes = [
    EventShape,
    PassengerShape,
    ActionShape,
    ActionsShape,
    Transaction,
    StoredCardShape,
    PlanPaymentShape,
    PlanPassengerShape,
    PlanShape,
    VerificationShape,
    MovementShape,
    OverviewShape,
    SettlementShape,
    ErrorShape,
    WebhookPayload,
    DisputeWebhookPayload,
    PlanWebhookPayload,
    PingPayload,
  ];
  for (const component of [...BODIES, ...shapes, ...operatorComponents(kinds)]) app.addSchema(component);
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Faregate",
        version,
        description: textUnder(basePath, DESCRIPTION),
        contact: { name: "Whoever operates this gateway" },
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      servers: [{ url: basePath === "" ? "/" : basePath }],
      tags: [
        { name: "Transactions", description: "Charges and what follows them." },
        { name: "Cards", description: "Cards on file, to be charged without their numbers." },
        { name: "Plans", description: "Orders that are charged in several payments, each when it falls due." },
        { name: "Ledger", description: "Movements of money and settlement batches, for the accountant." },
        { name: "Disputes", description: "What payers' banks ask about transactions, or take back of them." },
        { name: "Processors", description: "Where charges can go." },
        { name: "Operator", description: "Merchants, users, tokens and processor records; with an operator token." },
        { name: "Webhooks", description: "What the gateway sends to a merchant's endpoints (Standard Webhooks 1.0)." },
        { name: "Health", description: "For load balancers." },
      ],
      webhooks: WEBHOOKS,
      components: {
        pathItems: WEBHOOK_ITEMS as never,
        securitySchemes: {
          apiToken: { type: "http", scheme: "bearer", description: "Of a merchant's user: fg_test_… or fg_live_…" },
          operatorToken: { type: "http", scheme: "bearer", description: "Of the operator: fg_operator_…" },
        },
      },
      security: [{ apiToken: [] }],
    },
    // Names instead of numbers.
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => String(json.$id ?? `shape-${index}`) },
    transformObject: (made) => publish("openapiObject" in made ? made.openapiObject : made.swaggerObject) as never,
  });
  showPages(app, () => app.swagger());
  frontPage(app, version);
  const itself = {
    summary: "This document",
    description: "OpenAPI 3.1, made of the schemas that check the requests. The page at `/docs` shows it.",
    tags: ["Health"],
    security: [],
    response: {
      200: {
        description: "The document.",
        content: { "application/json": { schema: Type.Object({}, { additionalProperties: true }) } },
      },
      ...headTooLarge,
    },
  };
  const document = () =>
    cachedResponse(Buffer.from(JSON.stringify(app.swagger())), { "content-type": "application/json; charset=utf-8" });
  app.get("/openapi.json", { schema: itself }, madeOnce(document));
}
