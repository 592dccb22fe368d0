// The operator's routes on merchants and on their users.

import type { FastifyInstance } from "fastify";
import type { CheckoutTokens } from "../../gateway/checkout-tokens.ts";
import type { Backoffice } from "../../merchants/backoffice.ts";
import {
  changeMerchant,
  createMerchant,
  findMerchant,
  listMerchants,
  MerchantChange,
  NewMerchant,
} from "../../merchants/merchants.ts";
import { renewReturnSecret } from "../../merchants/returns.ts";
import { createUser, listUsers, NewUser } from "../../merchants/users.ts";
import { authorOf, createdOf, found, inputOf, outcomeOf, pageOf } from "./calls.ts";
import { changes, creates, lists, shows } from "./describe.ts";

type WithId = { Params: { id: string } };

const MERCHANT = ["merchant", "Merchant"] as const;

export function merchantRoutes(
  app: FastifyInstance,
  office: Backoffice,
  secretOf: CheckoutTokens["returnSecret"],
): void {
  const create = creates(
    { summary: "Create a merchant", description: "It starts without users and without processor records." },
    "MerchantFields",
    MERCHANT,
  );
  app.post("/merchants", { schema: create }, async (request, reply) => {
    const input = inputOf(NewMerchant, request, reply);
    return { merchant: createdOf(await createMerchant(office, authorOf(request), input), reply) };
  });

  const list = lists({ summary: "List all merchants" }, ["merchants", "Merchant"]);
  app.get("/merchants", { schema: list }, async (request) => ({
    merchants: await listMerchants(office.sql, pageOf(request)),
  }));

  const find = shows(
    { summary: "Look a merchant up", description: "Its name and its settings.", of: "merchant" },
    MERCHANT,
  );
  app.get<WithId>("/merchants/:id", { config: { ownRecord: "merchant" }, schema: find }, async ({ params }) => ({
    merchant: found("merchant", await findMerchant(office.sql, params.id)),
  }));

  const change = changes(
    { summary: "Change a merchant", description: "What is not named stays as it is.", of: "merchant" },
    "MerchantChange",
    MERCHANT,
  );
  app.patch<WithId>("/merchants/:id", { schema: change }, async (request, reply) => {
    const input = inputOf(MerchantChange, request, reply);
    return { merchant: outcomeOf(await changeMerchant(office, authorOf(request), request.params.id, input)) };
  });

  const secret = shows(
    {
      summary: "Make the secret of payers' returns anew",
      description: "It is only in this response. From now on a payer's return is signed with it.",
      of: "merchant",
    },
    ["return_secret", "ReturnSecret"],
  );
  app.post<WithId>(
    "/merchants/:id/return-secret",
    { config: { ownRecord: "merchant" }, schema: secret },
    async (request) => ({
      return_secret: outcomeOf(await renewReturnSecret(office, authorOf(request), request.params.id, secretOf)),
    }),
  );
}

export function userRoutes(app: FastifyInstance, office: Backoffice): void {
  const path = "/merchants/:id/users";

  const create = creates(
    {
      summary: "Create a user of a merchant",
      description: "API tokens belong to users; a transaction names the user whose token made it.",
      of: "merchant",
    },
    "UserFields",
    ["user", "User"],
  );
  app.post<WithId>(path, { config: { ownRecord: "merchant" }, schema: create }, async (request, reply) => {
    const input = inputOf(NewUser, request, reply);
    return { user: createdOf(await createUser(office, authorOf(request), request.params.id, input), reply) };
  });

  const list = lists({ summary: "List a merchant's users", of: "merchant" }, ["users", "User"]);
  app.get<WithId>(path, { config: { ownRecord: "merchant" }, schema: list }, async (request) => ({
    users: found("merchant", await listUsers(office.sql, request.params.id, pageOf(request))),
  }));
}
