// Who calls: a merchant's user by an API token, the operator by an operator token, neither of which opens the other's paths; or a
// person by the session of a browser.

import { isIP } from "node:net";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Sql } from "../journal/database.ts";
import type { ApiCaller, FindCaller, OperatorCaller, RefusedToken, TokenFault } from "../merchants/authentication.ts";
import type { FailedAuthentications } from "../merchants/failed-authentications.ts";
import type { Scope } from "../merchants/tokens.ts";
import type { Session } from "../people/sessions.ts";
import type { LogLines } from "../shares/log-lines.ts";
import { baseFault, RequestFault } from "./request-fault.ts";
import {
  apiCallerOf,
  type BySession,
  bringsSession,
  mustBeComplete,
  operatorCallerOf,
  sessionOf,
} from "./session-callers.ts";

declare module "fastify" {
  interface FastifyRequest {
    caller: ApiCaller | null;
    operator: OperatorCaller | null;
  }
  interface FastifyContextConfig {
    /** What the token must be allowed to do. */
    scope?: Scope;
    /** People whose role reads see it as well; of a token its scopes decide. */
    shownToReaders?: true;
  }
}

/** RFC 6750; the scheme's name is not case-sensitive (RFC 9110, section 11.1). */
const BEARER = /^Bearer +(\S+)$/i;

type WithoutToken = TokenFault | "no-token" | "authorization-twice" | "not-bearer";
type Unauthenticated = WithoutToken | "no-session";

/** Of the header `Authorization`: none of them repeats it, and none tells what its sender could not know. */
const REASONS: Readonly<Record<WithoutToken, string>> = {
  "no-token": "is missing: send Authorization: Bearer <token>",
  "authorization-twice": "must be sent once",
  "not-bearer": "must be Bearer, a space and the token",
  "malformed-token": "holds no token of a gateway: characters are missing, added or wrong",
  "operator-token": "holds an operator's token; here an API token of a merchant's user is needed",
  "merchant-token": "holds a merchant's API token; here an operator's token is needed",
  "unknown-token": "holds a token that this gateway does not know",
  "revoked-token": "holds a token that was revoked",
  "expired-token": "holds a token that has expired",
};

/** Of a browser whose session has ended, or never began. */
export const NO_SESSION = new RequestFault(
  401,
  { base: ["Not authenticated"], session: ["has ended, or there is none: sign in"] },
  { "www-authenticate": "Bearer" },
  "no-session",
);

/** Those that RFC 6750, section 3.1, calls `invalid_request`; the others are `invalid_token`. */
const INVALID_REQUESTS: ReadonlySet<string> = new Set(["authorization-twice", "not-bearer"]);

/** Made once, like those below: whoever guesses gets many. `base` is the same for all (decisions 3). */
const NOT_AUTHENTICATED = {
  ...Object.fromEntries(
    Object.entries(REASONS).map(([why, text]) => {
      const messages = { base: ["Not authenticated"], authorization: [text] };
      return [why, new RequestFault(401, messages, { "www-authenticate": challenge(why, text) }, why)];
    }),
  ),
  "no-session": NO_SESSION,
} as Readonly<Record<Unauthenticated, RequestFault>>;

/** RFC 6750, section 3: without a token there is no error to name. */
function challenge(why: string, text: string): string {
  if (why === "no-token") return "Bearer";
  const error = INVALID_REQUESTS.has(why) ? "invalid_request" : "invalid_token";
  return `Bearer error="${error}", error_description="Authorization ${text}"`;
}

/** @throws RequestFault if there is none */
async function callerBy<Caller extends object>(
  request: FastifyRequest,
  find: FindCaller<Caller>,
  refusing: Refusing,
): Promise<Caller> {
  const { authorization } = request.headers;
  if (authorization === undefined || authorization === "") throw await refusal("no-token", request, refusing);
  // Node drops all but the first, which may not be the one that was meant. (The check takes 0.2 µs.)
  if (request.raw.rawHeaders.filter(isAuthorizationName).length > 1)
    throw await refusal("authorization-twice", request, refusing);
  const secret = BEARER.exec(authorization)?.[1];
  if (secret === undefined) throw await refusal("not-bearer", request, refusing);
  const found = await find(secret, addressOf(request));
  if (isFault(found)) throw await refusal(found, request, refusing);
  if (isRefused(found)) throw await refusal(found.refused, request, refusing, found);
  return found;
}

const isAuthorizationName = (text: string, at: number): boolean =>
  at % 2 === 0 && text.length === "authorization".length && text.toLowerCase() === "authorization";

const isFault = (found: object | string): found is TokenFault => typeof found === "string";
const isRefused = (found: object): found is RefusedToken => "refused" in found;

/** What happens to a request without a valid token or session. */
export interface Refusing {
  readonly failures: FailedAuthentications;
  readonly lines: LogLines;
  /** Told of it before it is answered, unless there were too many from its address. */
  readonly refused?: (request: FastifyRequest) => Promise<void>;
}

/** How callers are found: by their tokens, and by the sessions of browsers. */
export interface Finding<Caller> extends BySession {
  readonly find: FindCaller<Caller>;
  /** For look-ups of merchants. */
  readonly sql: Sql;
}

/** All routes of this instance, and what it does not find, are for callers with an API token or a session only. */
export function forApiCallers(app: FastifyInstance, finding: Finding<ApiCaller>, refusing: Refusing): void {
  app.decorateRequest("caller", null);
  app.decorateRequest("session", null);
  app.addHook("onRequest", async (request) => {
    const session = await completeSession(request, finding, refusing);
    if (session !== undefined) {
      request.caller = await apiCallerOf(session, request, finding.sql);
      return;
    }
    request.caller = await callerBy(request, finding.find, refusing);
  });
}

/** Undefined: the request is not made by a session. @throws RequestFault if the session has ended, or may not do anything yet */
async function completeSession(
  request: FastifyRequest,
  by: BySession,
  refusing: Refusing,
): Promise<Session | undefined> {
  if (!bringsSession(request, by.cookies)) return undefined;
  const session = await sessionOf(request, by, addressOf(request));
  if (session === undefined) throw await refusal("no-session", request, refusing);
  mustBeComplete(session);
  request.session = session;
  return session;
}

/** @param token which was good once: its owner looks for it in the log */
async function refusal(
  why: Unauthenticated,
  request: FastifyRequest,
  { failures, lines, refused }: Refusing,
  token?: RefusedToken,
): Promise<RequestFault> {
  const { log } = request;
  const address = addressOf(request);
  const path = request.routeOptions.url;
  const facts = { address, path, why, ...(token && whoseIs(token)) };
  const line = { log, facts, text: "an authentication failed", known: token?.tokenId };
  const tooMany = failures.failed(address);
  if (tooMany === undefined || token !== undefined) lines.tell(line);
  else lines.leaveOut(line);
  if (tooMany === undefined) {
    await refused?.(request);
    return NOT_AUTHENTICATED[why];
  }
  const { waitSeconds, first } = tooMany;
  const text = "too many failed authentications from one address";
  if (first) lines.tell({ log, level: "warn", facts: { address, path }, text });
  return tooManyFailures(waitSeconds);
}

/** As in the access log. */
const whoseIs = ({ tokenId, merchantId }: RefusedToken) =>
  merchantId === undefined ? { operator: tokenId } : { merchant: merchantId, token: tokenId };

/** By the seconds that are left of a minute. */
const TOO_MANY_FAILURES = new Map<number, RequestFault>();

function tooManyFailures(waitSeconds: number): RequestFault {
  const known = TOO_MANY_FAILURES.get(waitSeconds);
  if (known !== undefined) return known;
  const text = `Too many failed authentications. Try again in ${waitSeconds} seconds.`;
  const fault = baseFault(429, text, { "retry-after": String(waitSeconds) }, "too-many-failed-authentications");
  TOO_MANY_FAILURES.set(waitSeconds, fault);
  return fault;
}

/** That of the client behind the proxies that are trusted; never what is no address. */
export const addressOf = (request: FastifyRequest): string =>
  isIP(request.ip) === 0 ? (request.socket.remoteAddress ?? "unknown") : request.ip;

/** After the rate limit, so that its headers are on the 403 too. */
export function requireScopes(app: FastifyInstance): void {
  app.addHook("preParsing", (request, _reply, body, done) => {
    const { scope, shownToReaders = false } = request.routeOptions.config;
    if (scope === undefined || callerOf(request).scopes.includes(scope)) return done(null, body);
    if (request.session && shownToReaders && callerOf(request).scopes.includes("read")) return done(null, body);
    if (request.session)
      done(baseFault(403, `Your role (${request.session.role}) may not do that.`, undefined, "role"));
    else done(baseFault(403, `This token may not do that: it lacks the scope ${scope}.`));
  });
}

/** What a session may do here, its role says: see `limitToRole`. */
export function forOperators(
  app: FastifyInstance,
  finding: Omit<Finding<OperatorCaller>, "sql">,
  refusing: Refusing,
): void {
  app.decorateRequest("operator", null);
  app.decorateRequest("session", null);
  app.addHook("onRequest", async (request) => {
    const session = await completeSession(request, finding, refusing);
    if (session !== undefined) {
      request.operator = operatorCallerOf(session);
      return;
    }
    request.operator = await callerBy(request, finding.find, refusing);
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
