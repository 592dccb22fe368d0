// The OpenAPI 3.1 document and the page that shows it. The document is made of the same schemas that check the requests.

import { createRequire } from "node:module";
import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import type { FastifyInstance } from "fastify";
import { ActionsShape, ErrorShape, EventShape, PassengerShape, TransactionShape } from "../schema/transaction.ts";

const { version } = createRequire(import.meta.url)("../../../package.json") as { version: string };

const DESCRIPTION = `Card operations over HTTP: sale, auth, capture, void, refund, reversal, and lists with filters.

Bodies are JSON, urlencoded or multipart; in forms brackets nest: \`passenger_transport[0][legs][1][fare]\`. Texts and numbers
are interchangeable, amounts are exact decimals, an empty text or null is an absent field. Every error has one shape.`;

/** To be called before any route is added. */
export async function describeApi(app: FastifyInstance): Promise<void> {
  for (const shape of [EventShape, PassengerShape, ActionsShape, TransactionShape, ErrorShape]) app.addSchema(shape);
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Faregate",
        version,
        description: DESCRIPTION,
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      servers: [{ url: "/" }],
      tags: [
        { name: "Transactions", description: "Charges and what follows them." },
        { name: "Processors", description: "Where charges can go." },
        { name: "Operator", description: "Merchants, users, tokens and processor records; with an operator token." },
        { name: "Health", description: "For load balancers." },
      ],
      components: {
        securitySchemes: {
          apiToken: { type: "http", scheme: "bearer", description: "An API token of a merchant's user." },
          operatorToken: { type: "http", scheme: "bearer", description: "An operator token." },
        },
      },
      security: [{ apiToken: [] }],
    },
    // Without `additionalProperties: false` from the library, and with names instead of numbers.
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => String(json.$id ?? `shape-${index}`) },
  });
  await app.register(swaggerUi, {
    routePrefix: "/docs",
    staticCSP: true,
    uiConfig: { deepLinking: true, docExpansion: "list", persistAuthorization: false },
    theme: { title: "Faregate API" },
  });
  app.get("/openapi.json", { schema: { hide: true } as object }, async () => app.swagger());
}
