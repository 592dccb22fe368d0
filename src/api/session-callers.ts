// Who calls by a session instead of a token: a person in a browser. What sessions may ask for is decided by people/roles.ts, and
// applied here, for /api and for /operator.

import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Sql } from "../journal/database.ts";
import type { ApiCaller, OperatorCaller } from "../merchants/authentication.ts";
import { findMerchant } from "../merchants/merchants.ts";
import { type OwnedRecord, ownerOf } from "../merchants/record-owner.ts";
import { mayOperate, scopesOf } from "../people/roles.ts";
import { isCsrfToken, type Session, type Sessions } from "../people/sessions.ts";
import { baseFault } from "./request-fault.ts";
import type { SessionCookies } from "./session-cookies.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Of a request with a token, and of one without either: null or undefined. */
    session: Session | null;
  }
  interface FastifyContextConfig {
    /** Of what the path's id is: a record that the admins of its merchant look after themselves. */
    ownRecord?: OwnRecord;
    /** It is a POST because its question is long. */
    changesNothing?: boolean;
  }
}

export interface BySession {
  readonly sessions: Sessions;
  readonly cookies: SessionCookies;
}

const CSRF_HEADER = "faregate-csrf";
const MERCHANT_HEADER = "faregate-merchant";
const IDLE_HEADER = "faregate-idle-seconds";

const FORGED = baseFault(
  403,
  "This change does not come from the page that signed in: send Faregate-CSRF with the session's csrf_token.",
  undefined,
  "missing-csrf-token",
);
const DUTIES = {
  change_password: baseFault(403, "Choose a password of your own first.", undefined, "unfinished-sign-in"),
  set_up_second_factor: baseFault(403, "Set up a second factor first.", undefined, "unfinished-sign-in"),
} as const;

/** Whether the request is made by a session at all: a token that is sent counts, and a cookie beside it does not. */
export const bringsSession = (request: FastifyRequest, cookies: SessionCookies): boolean =>
  (request.headers.authorization ?? "") === "" && cookies.session(request) !== undefined;

/**
 * Undefined if the session has ended.
 * @param address that the request comes from
 * @throws RequestFault if the request may come from another site
 */
export async function sessionOf(
  request: FastifyRequest,
  { sessions, cookies }: BySession,
  address: string,
): Promise<Session | undefined> {
  const secret = cookies.session(request) ?? "";
  const session = await sessions.find(secret, address, idleSecondsOf(request));
  if (session !== undefined && changes(request) && !isCsrfToken(request.headers[CSRF_HEADER], secret)) throw FORGED;
  return session;
}

/** A request that does not say it, or says something else, is no sign of a person. */
function idleSecondsOf({ headers }: FastifyRequest): number | undefined {
  const said = headers[IDLE_HEADER];
  return typeof said === "string" && /^\d{1,6}$/.test(said) ? Number(said) : undefined;
}

export const changes = ({ method }: FastifyRequest): boolean => method !== "GET" && method !== "HEAD";

/** @throws RequestFault if its person has to do something else first */
export function mustBeComplete({ duty }: Session): void {
  if (duty !== null) throw DUTIES[duty];
}

/** For whom a session acts under /api. @throws RequestFault */
export async function apiCallerOf(session: Session, request: FastifyRequest, sql: Sql): Promise<ApiCaller> {
  const { personId, role, strictIdentifiers, requireIpAddress, verifyCards, cardTesting } = session;
  const { id: merchantId, cardNumbersForbidden } = await merchantOf(session, request.headers[MERCHANT_HEADER], sql);
  return {
    // Of all sessions of the person together: signing in again begins nothing anew.
    tokenId: personId,
    merchantId,
    userId: personId,
    scopes: scopesOf(role),
    rateLimitPerMinute: null,
    ...{ strictIdentifiers, requireIpAddress, cardNumbersForbidden, verifyCards, cardTesting },
  };
}

/** People of a merchant act for it alone; operators look at the one that they name. */
async function merchantOf(
  { merchantId, cardNumbersForbidden }: Session,
  named: unknown,
  sql: Sql,
): Promise<{ readonly id: string; readonly cardNumbersForbidden: boolean }> {
  if (merchantId !== null) {
    if (named !== undefined && named !== merchantId) throw NO_MERCHANT;
    return { id: merchantId, cardNumbersForbidden };
  }
  if (typeof named !== "string") throw baseFault(422, "An operator says whose: send Faregate-Merchant: <merchant id>.");
  const merchant = await findMerchant(sql, named);
  if (merchant === undefined) throw NO_MERCHANT;
  return { id: merchant.id, cardNumbersForbidden: merchant.card_numbers === "forbidden" };
}

const NO_MERCHANT = baseFault(404, "There is no such merchant.");

export const operatorCallerOf = ({ personId, email }: Session): OperatorCaller => ({ tokenId: personId, name: email });

export type OwnRecord = "merchant" | OwnedRecord;

/** For all routes of this instance, after who calls is known. Tokens of operators may ask for everything. */
export function limitToRole(operator: FastifyInstance, sql: Sql): void {
  operator.addHook("preParsing", async (request) => {
    const { session } = request;
    if (!session || request.is404) return;
    const { ownRecord, changesNothing = false } = request.routeOptions.config;
    const may = mayOperate(session.role, changesNothing || !changes(request), ownRecord !== undefined);
    if (may === "no") throw baseFault(403, `Your role (${session.role}) may not do that.`, undefined, "role");
    if (may === "own" && ownRecord !== undefined) await mustBeOwn(request, session, ownRecord, sql);
  });
}

/** What is another merchant's is not there, as for whoever has a token of a merchant. */
async function mustBeOwn(request: FastifyRequest, { merchantId }: Session, record: OwnRecord, sql: Sql): Promise<void> {
  const { id } = request.params as { readonly id: string };
  const own = record === "merchant" ? id.toLowerCase() === merchantId : (await ownerOf(sql, record, id)) === merchantId;
  if (!own || merchantId === null) throw baseFault(404, `There is no such ${record}.`);
}
