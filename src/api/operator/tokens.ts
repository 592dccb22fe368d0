// The operator's routes on API tokens. A token's secret is in the response that creates it, and in no other.

import type { FastifyInstance } from "fastify";
import type { Backoffice } from "../../merchants/backoffice.ts";
import { createToken, listTokens, NewToken, revokeToken } from "../../merchants/tokens.ts";
import { RequestFault } from "../request-fault.ts";
import { authorOf, createdOf, found, inputOf, outcomeOf, pageOf } from "./calls.ts";
import { creates, ends, lists } from "./describe.ts";

type WithId = { Params: { id: string } };

export function tokenRoutes(app: FastifyInstance, office: Backoffice): void {
  const path = "/merchants/:id/tokens";

  const create = creates(
    { summary: "Create an API token", description: "The secret is only in this response.", of: "merchant" },
    "TokenFields",
    ["token", "CreatedToken"],
    "Token",
  );
  app.post<WithId>(path, { config: { ownRecord: "merchant" }, schema: create }, async (request, reply) => {
    const input = inputOf(NewToken, request, reply);
    if (request.session?.merchantId && hasOwnLimit(input)) throw LIMIT_OF_OPERATORS;
    return { token: createdOf(await createToken(office, authorOf(request), request.params.id, input), reply) };
  });

  const list = lists(
    {
      summary: "List a merchant's API tokens",
      description: "Including those that are revoked or expired.",
      of: "merchant",
    },
    ["tokens", "Token"],
  );
  app.get<WithId>(path, { config: { ownRecord: "merchant" }, schema: list }, async (request) => ({
    tokens: found("merchant", await listTokens(office.sql, request.params.id, pageOf(request))),
  }));

  const revoke = ends({
    summary: "Revoke an API token",
    description: "Every node refuses it within a second. Revoking it again changes nothing.",
    of: "token",
  });
  app.delete<WithId>("/tokens/:id", { config: { ownRecord: "token" }, schema: revoke }, async (request, reply) => {
    outcomeOf(await revokeToken(office, authorOf(request), request.params.id));
    return reply.code(204).send();
  });
}

/** Asked before the fields are judged. */
const hasOwnLimit = (input: unknown): boolean =>
  typeof input === "object" &&
  input !== null &&
  "rate_limit_per_minute" in input &&
  input.rate_limit_per_minute !== null;

/** A limit on a merchant that its own people could lift would be none. */
const LIMIT_OF_OPERATORS = new RequestFault(422, {
  rate_limit_per_minute: ["can be set by operators only: leave it out for the gateway's default"],
});
