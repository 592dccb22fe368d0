// Who is signed in, and what requests carry because of it: a session's cookie with its CSRF token, or an API token that was pasted
// and is kept in memory only. The rest of the console knows `can`, and not which of the two it is.

import { useSyncExternalStore } from "react";

export type Right = "read" | "charge" | "follow_up" | "set_up" | "operator_read" | "operate";

export interface Person {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: "operator" | "operator_read" | "merchant_admin" | "clerk" | "viewer";
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

export type SignedIn =
  | { readonly kind: "session"; readonly session: Session; readonly merchantId: string | undefined }
  | {
      readonly kind: "token";
      readonly apiToken: string;
      /** Of an operator, for what is under /operator. */
      readonly operatorToken: string | undefined;
      /** Whom set-up pages are about. */
      readonly merchantId: string | undefined;
    };

let present: SignedIn | undefined;
const listeners = new Set<() => void>();

function become(next: SignedIn | undefined): void {
  present = next;
  for (const listener of listeners) listener();
}

/** A new session, or the same with another CSRF token: the newest counts. */
export function becomeSession(session: Session): void {
  const before = present?.kind === "session" ? present.merchantId : undefined;
  become({ kind: "session", session, merchantId: session.person.merchant_id ?? before });
}

export const becomeToken = (apiToken: string): void =>
  become({ kind: "token", apiToken, operatorToken: undefined, merchantId: undefined });

/** Beside the API token: opens the set-up pages and the clock. */
export function addOperatorToken(operatorToken: string): void {
  if (present?.kind === "token") become({ ...present, operatorToken });
}

/** The session is over, or the token is not valid any more: the page of sign-in shows. */
export const becomeNobody = (): void => become(undefined);

/** An operator looks at one merchant at a time. */
export function lookAtMerchant(merchantId: string): void {
  if (present !== undefined) become({ ...present, merchantId });
}

export const signedIn = (): SignedIn | undefined => present;

export function useSignedIn(): SignedIn | undefined {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, signedIn);
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
  if (present.kind === "token") {
    const token = path.startsWith("/operator/") ? (present.operatorToken ?? "none") : present.apiToken;
    return { authorization: `Bearer ${token}` };
  }
  const { session, merchantId } = present;
  return {
    ...(method !== "GET" && { "faregate-csrf": session.csrf_token }),
    ...(merchantId !== undefined && { "faregate-merchant": merchantId }),
  };
}
