// Who calls: a merchant's user by an API token, or the operator by an operator token. Neither opens the other's paths.

import { isIP } from "node:net";
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from "fastify";
import type { ApiCaller, FindCaller, OperatorCaller } from "../merchants/authentication.ts";
import type { FailedAuthentications } from "../merchants/failed-authentications.ts";
import type { Scope } from "../merchants/tokens.ts";
import { baseFault, type RequestFault } from "./request-fault.ts";

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

/** Decisions 3: one answer, whatever is wrong with the token. Made once, like those below: whoever guesses gets many. */
const NOT_AUTHENTICATED = baseFault(401, "Not authenticated", { "www-authenticate": "Bearer" });

/** What happens to a request without a valid token. */
export interface Refusing {
  readonly failures: FailedAuthentications;
  readonly log: FastifyBaseLogger;
  /** Told of it before it is answered, unless there were too many from its address. */
  readonly refused?: (request: FastifyRequest) => Promise<void>;
}

/** All routes of this instance, and what it does not find, are for callers with an API token only. */
export function forApiCallers(app: FastifyInstance, find: FindCaller<ApiCaller>, refusing: Refusing): void {
  app.decorateRequest("caller", null);
  app.addHook("onRequest", async (request) => {
    const caller = await find(secretOf(request), addressOf(request));
    if (caller === undefined) throw await refusal(request, refusing);
    request.caller = caller;
  });
}

async function refusal(request: FastifyRequest, { failures, log, refused }: Refusing): Promise<RequestFault> {
  const address = addressOf(request);
  const tooMany = failures.failed(address);
  const path = request.routeOptions.url;
  if (tooMany === undefined) {
    log.info({ address, path }, "an authentication failed");
    await refused?.(request);
    return NOT_AUTHENTICATED;
  }
  const { waitSeconds, first } = tooMany;
  if (first) log.warn({ address, path }, "too many failed authentications from one address");
  return tooManyFailures(waitSeconds);
}

/** By the seconds that are left of a minute. */
const TOO_MANY_FAILURES = new Map<number, RequestFault>();

function tooManyFailures(waitSeconds: number): RequestFault {
  const known = TOO_MANY_FAILURES.get(waitSeconds);
  if (known !== undefined) return known;
  const text = `Too many failed authentications. Try again in ${waitSeconds} seconds.`;
  const fault = baseFault(429, text, { "retry-after": String(waitSeconds) });
  TOO_MANY_FAILURES.set(waitSeconds, fault);
  return fault;
}

/** That of the client behind the proxies that are trusted; never what is no address. */
export const addressOf = (request: FastifyRequest): string =>
  isIP(request.ip) === 0 ? (request.socket.remoteAddress ?? "unknown") : request.ip;

/** After the rate limit, so that its headers are on the 403 too. */
export function requireScopes(app: FastifyInstance): void {
  app.addHook("preParsing", async (request) => {
    const { scope } = request.routeOptions.config;
    if (scope !== undefined && !callerOf(request).scopes.includes(scope))
      throw baseFault(403, `This token may not do that: it lacks the scope ${scope}.`);
  });
}

export function forOperators(app: FastifyInstance, find: FindCaller<OperatorCaller>, refusing: Refusing): void {
  app.decorateRequest("operator", null);
  app.addHook("onRequest", async (request) => {
    const operator = await find(secretOf(request), addressOf(request));
    if (operator === undefined) throw await refusal(request, refusing);
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
