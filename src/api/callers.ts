// Who calls: a merchant's user by an API token, or the operator by an operator token. Neither opens the other's paths.

import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ApiCaller, OperatorCaller } from "../merchants/authentication.ts";
import type { Scope } from "../merchants/tokens.ts";
import { baseFault } from "./request-fault.ts";

declare module "fastify" {
  interface FastifyRequest {
    caller: ApiCaller | null;
    operator: OperatorCaller | null;
  }
  interface FastifyContextConfig {
    /** What the token must be allowed to do. */
    scope?: Scope;
  }
}

/** RFC 6750; the scheme's name is not case-sensitive (RFC 9110, section 11.1). */
const BEARER = /^Bearer +(\S+)$/i;

const secretOf = (request: FastifyRequest): string => BEARER.exec(request.headers.authorization ?? "")?.[1] ?? "";

/** Decisions 3: one answer, whatever is wrong with the token. */
const notAuthenticated = () => baseFault(401, "Not authenticated", { "www-authenticate": "Bearer" });

/** All routes of this instance, and what it does not find, are for callers with an API token only. */
export function forApiCallers(app: FastifyInstance, find: (secret: string) => Promise<ApiCaller | undefined>): void {
  app.decorateRequest("caller", null);
  app.addHook("onRequest", async (request) => {
    const caller = await find(secretOf(request));
    if (caller === undefined) throw notAuthenticated();
    request.caller = caller;
  });
}

/** After the rate limit, so that its headers are on the 403 too. */
export function requireScopes(app: FastifyInstance): void {
  app.addHook("preParsing", async (request) => {
    const { scope } = request.routeOptions.config;
    if (scope !== undefined && !callerOf(request).scopes.includes(scope))
      throw baseFault(403, `This token may not do that: it lacks the scope ${scope}.`);
  });
}

/** @param refused told of a request without a valid token, before it is answered */
export function forOperators(
  app: FastifyInstance,
  find: (secret: string) => Promise<OperatorCaller | undefined>,
  refused: (request: FastifyRequest) => Promise<void>,
): void {
  app.decorateRequest("operator", null);
  app.addHook("onRequest", async (request) => {
    const operator = await find(secretOf(request));
    if (operator === undefined) {
      await refused(request);
      throw notAuthenticated();
    }
    request.operator = operator;
  });
}

export function callerOf({ caller }: FastifyRequest): ApiCaller {
  if (caller === null) throw new Error("broken invariant: an API route without a caller");
  return caller;
}

export function operatorOf({ operator }: FastifyRequest): OperatorCaller {
  if (operator === null) throw new Error("broken invariant: an operator's route without one");
  return operator;
}
