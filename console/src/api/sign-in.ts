// Signing in and out.

import { ApiError } from "../../../packages/client/src/errors.ts";
import { send } from "../../../packages/client/src/send.ts";
import { fetchHere } from "../base-path.ts";
import { codeSent } from "../words/typed.ts";
import { ask } from "./ask.ts";
import { passes } from "./passing.ts";
import { addOperatorToken, becomeNobody, becomeSession, becomeToken, type Session, signedIn } from "./session.ts";

type WithSession = { readonly session: Session };

/** What is asked at the door: `sessions` says whether this gateway has people who sign in at all. */
export interface Door {
  readonly sessions: boolean;
}

/** Finds the session that the browser has from before, if any. @throws what says nothing of it, and passes */
export async function openDoor(): Promise<Door> {
  try {
    const { session } = await ask<WithSession>("/session", { endsSession: false });
    becomeSession(session);
    return { sessions: true };
  } catch (fault) {
    if (passes(fault)) throw fault;
    return { sessions: fault instanceof ApiError && fault.status === 401 };
  }
}

export interface Proof {
  readonly email: string;
  readonly password: string;
  readonly code?: string;
  readonly recovery_code?: string;
}

/** @throws ApiError of status 401: `base`, or `code` where the second factor is missing or wrong */
export async function signIn(proof: Proof): Promise<void> {
  const { session } = await ask<WithSession>("/session", { method: "POST", json: proof, endsSession: false });
  becomeSession(session);
}

/** A merchant's API token, kept in memory until the page is left. @throws ApiError where it is not valid */
export async function enterToken(apiToken: string): Promise<void> {
  const connection = { url: "", token: apiToken, timeoutMs: 20_000, retryForMs: 0 };
  await send({ ...connection, fetch: fetchHere }, { method: "GET", path: "/api/processors" });
  becomeToken(apiToken);
}

/** An operator's, beside it. @throws ApiError where it is not valid */
export async function enterOperatorToken(operatorToken: string): Promise<void> {
  const connection = { url: "", token: operatorToken, timeoutMs: 20_000, retryForMs: 0 };
  await send({ ...connection, fetch: fetchHere }, { method: "GET", path: "/operator/merchants" });
  addOperatorToken(operatorToken);
}

export async function changePassword(password: string, newPassword: string): Promise<void> {
  const json = { password, new_password: newPassword };
  becomeSession((await ask<WithSession>("/session/password", { method: "PUT", json, endsSession: false })).session);
}

export interface SecondFactor {
  readonly secret: string;
  readonly uri: string;
}

/** Beside the password, where a second factor is on: six digits of the app, or a recovery code. */
const proofOf = (code: string) => {
  const typed = codeSent(code);
  if (typed === "") return {};
  return /^\d{6}$/.test(typed) ? { code: typed } : { recovery_code: typed };
};

/** @param present code of the one that is on, if one is */
export async function beginSecondFactor(password: string, present: string): Promise<SecondFactor> {
  const asked = { method: "POST", json: { password, ...proofOf(present) }, endsSession: false } as const;
  return (await ask<{ readonly second_factor: SecondFactor }>("/session/second-factor", asked)).second_factor;
}

/** @returns the recovery codes, and what ends the set-up: the new session, once they have been written down */
export async function confirmSecondFactor(
  code: string,
): Promise<{ readonly recoveryCodes: readonly string[]; readonly done: () => void }> {
  const asked = { method: "PUT", json: { code: codeSent(code) }, endsSession: false } as const;
  const { session, recovery_codes } = await ask<WithSession & { readonly recovery_codes: readonly string[] }>(
    "/session/second-factor",
    asked,
  );
  return { recoveryCodes: recovery_codes, done: () => becomeSession(session) };
}

/** The ones from before are void. */
export async function newRecoveryCodes(password: string, code: string): Promise<readonly string[]> {
  const asked = { method: "POST", json: { password, ...proofOf(code) }, endsSession: false } as const;
  return (await ask<{ readonly recovery_codes: readonly string[] }>("/session/recovery-codes", asked)).recovery_codes;
}

export async function removeSecondFactor(password: string, code: string): Promise<void> {
  const asked = { method: "POST", json: { password, ...proofOf(code) }, endsSession: false } as const;
  becomeSession((await ask<WithSession>("/session/second-factor/removal", asked)).session);
}

/** Here, or on every device. */
export async function signOut({ everywhere }: { readonly everywhere: boolean }): Promise<void> {
  try {
    if (signedIn()?.kind === "session") await ask(everywhere ? "/sessions" : "/session", { method: "DELETE" });
  } finally {
    becomeNobody();
  }
}
