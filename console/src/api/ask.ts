// One call to the gateway. It goes through the client that merchants use too, so a write has an idempotency key and is tried again
// only where nothing can be done twice.

import { ApiError, AuthenticationError } from "../../../packages/client/src/errors.ts";
import { send } from "../../../packages/client/src/send.ts";
import { fetchHere } from "../base-path.ts";
import { idleSeconds } from "./activity.ts";
import { withoutTurns } from "./directions.ts";
import { becomeNobody, credentials } from "./session.ts";
import { readAgain } from "./unchanged.ts";

export interface Asked {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly json?: object;
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
  /** Default true. False where a 401 is about what was typed. */
  readonly endsSession?: boolean;
}

const TIMEOUT_MS = 60_000;
const RETRY_FOR_MS = 10_000;
/** A session may end a little before the quarter of an hour is over. */
const NEARLY_IDLE_SECONDS = 14 * 60;

/**
 * The body of the response; undefined if it has none.
 * @throws ApiError with the fields that are wrong, or ConnectionError
 */
export async function ask<T>(path: string, asked: Asked = {}): Promise<T> {
  const { method = "GET", endsSession = true, ...rest } = asked;
  // Only reads, and writes with a key, may be sent again.
  const repeatable = method === "GET" || rest.idempotencyKey !== undefined;
  try {
    return await send<T>(
      { url: "", token: "", timeoutMs: TIMEOUT_MS, retryForMs: repeatable ? RETRY_FOR_MS : 0, fetch: asWhoIsSignedIn },
      { method: method as "GET" | "POST", path, ...rest },
    );
  } catch (fault) {
    if (endsSession && fault instanceof AuthenticationError)
      becomeNobody(idleSeconds() >= NEARLY_IDLE_SECONDS ? "idle" : "ended");
    throw fault;
  }
}

/** In place of the client's token: whatever who is signed in has. */
const asWhoIsSignedIn: typeof fetch = async (address, init = {}) => {
  const { method = "GET" } = init;
  const sendWith = (more: Readonly<Record<string, string>>) => {
    const headers = new Headers({ ...more, ...Object.fromEntries(new Headers(init.headers)) });
    headers.delete("authorization");
    for (const [name, value] of Object.entries(credentials(method, String(address)))) headers.set(name, value);
    return fetchHere(String(address), { ...init, headers, credentials: "same-origin" });
  };
  const response = method === "GET" ? await readAgain(String(address), sendWith) : await sendWith({});
  // The client reads JSON, also of what has no body.
  if (response.status === 204) return new Response("null", { status: 200 });
  const { status, headers: told } = response;
  return new Response(withoutTurns(await response.text()), { status, headers: told });
};

/** What went wrong, in a sentence for a person. */
export function wordsOf(fault: unknown): string {
  return linesOf(fault).join(" ");
}

/**
 * The same, each matter by itself.
 * @param shown fields that say what is wrong with them themselves, with all below them
 */
export function linesOf(fault: unknown, shown: readonly string[] = []): readonly string[] {
  if (!(fault instanceof ApiError)) return ["The gateway did not answer. Nothing is known to be done; try again."];
  const isShown = (field: string) => shown.some((one) => field === one || field.startsWith(`${one}.`));
  const entries = Object.entries(fault.fields);
  const lines = entries.flatMap(([field, texts]) => {
    if (isShown(field)) return [];
    return texts.map((text) => (field === "base" || field === "fatal" ? text : `${nameOf(field)}: ${text}`));
  });
  const marked = entries.filter(([field]) => isShown(field)).length;
  if (marked > 0)
    return [marked === 1 ? "One field is wrong: it says why." : `${marked} fields are wrong: they say why.`, ...lines];
  return lines.length > 0 ? lines : [`The gateway answered ${fault.status}.`];
}

const nameOf = (field: string): string => field.replaceAll("_", " ").replaceAll(".", " › ");

/** By field, for a form; empty where it is not about fields. */
export function fieldsOf(fault: unknown): Readonly<Record<string, string>> {
  if (!(fault instanceof ApiError)) return {};
  return Object.fromEntries(Object.entries(fault.fields).map(([field, texts]) => [field, texts.join(" ")]));
}
