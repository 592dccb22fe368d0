// Who is signed in, and what requests carry because of it: a session's cookie with its CSRF token, or an API token that was pasted
// and is kept in memory only. The rest of the console knows `can`, and not which of the two it is.

import { useSyncExternalStore } from "react";
import { idleSeconds } from "./activity.ts";

export const CLOCK_PATH = "/operator/clock";

export type Right = "read" | "charge" | "follow_up" | "cards" | "set_up" | "operator_read" | "operate";

export type Role = "operator" | "operator_read" | "merchant_admin" | "clerk" | "viewer";

export interface Person {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  readonly merchant_id: string | null;
  readonly second_factor: boolean;
}

export interface Session {
  readonly person: Person;
  readonly rights: readonly Right[];
  /** What has to be done before anything else. */
  readonly must: "change_password" | "set_up_second_factor" | null;
  readonly mode: "sandbox" | "live";
  readonly csrf_token: string;
}

interface Common {
  /** Whom set-up pages are about, and for operators all the others. */
  readonly merchantId: string | undefined;
  /** Of an operator, pasted where one is needed: with a token for all under /operator, with a session for the sandbox's clock. */
  readonly operatorToken: string | undefined;
}

export type SignedIn = Common &
  ({ readonly kind: "session"; readonly session: Session } | { readonly kind: "token"; readonly apiToken: string });

let present: SignedIn | undefined;
const listeners = new Set<() => void>();

function become(next: SignedIn | undefined): void {
  present = next;
  for (const listener of listeners) listener();
}

/** Told of each change, those who asked first at first. */
export function onChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whose data is shown: what was read for one is not for another. A token is one merchant's, whomever set-up pages are about. */
export function viewerOf(who: SignedIn | undefined): string {
  if (who === undefined) return "";
  return who.kind === "token" ? who.apiToken : `${who.session.person.id} ${who.merchantId ?? ""}`;
}

/** Why a session ended that its person did not end. */
export type Ended = "idle" | "ended";

let left:
  | { readonly why: Ended; readonly personId: string | undefined; readonly merchantId: string | undefined }
  | undefined;

/** A new session, or the same with another CSRF token: the newest counts. A person who was signed out continues with the same merchant. */
export function becomeSession(session: Session): void {
  const { person } = session;
  const before = present?.kind === "session" && present.session.person.id === person.id ? present : undefined;
  const again = left?.personId === person.id ? left.merchantId : undefined;
  left = undefined;
  const merchantId = person.merchant_id ?? before?.merchantId ?? again;
  become({ kind: "session", session, merchantId, operatorToken: before?.operatorToken });
}

export function becomeToken(apiToken: string): void {
  left = undefined;
  become({ kind: "token", apiToken, operatorToken: undefined, merchantId: undefined });
}

export function addOperatorToken(operatorToken: string): void {
  if (present !== undefined) become({ ...present, operatorToken });
}

/**
 * The page of sign-in shows.
 * @param why undefined: of one's own accord
 */
export function becomeNobody(why?: Ended): void {
  if (present !== undefined) {
    const personId = present.kind === "session" ? present.session.person.id : undefined;
    left = why && { why, personId, merchantId: present.merchantId };
  }
  become(undefined);
}

/** Undefined: nobody was signed in here, or signed out. */
export const whyEnded = (): Ended | undefined => left?.why;

/** An operator looks at one merchant at a time. */
export function lookAtMerchant(merchantId: string): void {
  if (present !== undefined) become({ ...present, merchantId });
}

export const signedIn = (): SignedIn | undefined => present;

export function useSignedIn(): SignedIn | undefined {
  return useSyncExternalStore(onChange, signedIn);
}

/** A pasted token's scopes are not known: the gateway says no where one is missing. */
export function may(who: SignedIn | undefined, right: Right): boolean {
  if (who === undefined) return false;
  if (who.kind === "session") return who.session.rights.includes(right);
  if (right === "operate" || right === "operator_read") return who.operatorToken !== undefined;
  return right !== "set_up";
}

/** Tokens say the mode in their first characters. */
export function isSandbox(who: SignedIn | undefined): boolean {
  if (who === undefined) return false;
  return who.kind === "session" ? who.session.mode === "sandbox" : who.apiToken.startsWith("fg_test_");
}

/** The headers that say who asks. */
export function credentials(method: string, path: string): Readonly<Record<string, string>> {
  if (present === undefined) return {};
  const { operatorToken, merchantId } = present;
  if (present.kind === "token") {
    const token = path.startsWith("/operator/") ? (operatorToken ?? "none") : present.apiToken;
    return { authorization: `Bearer ${token}` };
  }
  if (operatorToken !== undefined && path === CLOCK_PATH) return { authorization: `Bearer ${operatorToken}` };
  return {
    // Without it a request does not renew the session.
    "faregate-idle-seconds": String(idleSeconds()),
    ...(method !== "GET" && { "faregate-csrf": present.session.csrf_token }),
    ...(merchantId !== undefined && { "faregate-merchant": merchantId }),
  };
}
