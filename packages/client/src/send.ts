// One call to the gateway, and its retries. Every write has an idempotency key, the same at each try, so that however often it is
// sent it is done once.

import { type ApiError, apiError, ConnectionError, type Refused } from "./errors.ts";
import type { ApiError as ErrorBody } from "./openapi.ts";

export interface CallOptions {
  /** Stops waiting. What was sent may still be done. */
  readonly signal?: AbortSignal;
}

export interface WriteOptions extends CallOptions {
  /** Default: a random UUID. One of your own, kept with the order, also holds when your process dies. */
  readonly idempotencyKey?: string;
}

export interface Connection {
  /** Without a slash at the end. */
  readonly url: string;
  readonly token: string;
  readonly timeoutMs: number;
  readonly retryForMs: number;
  readonly fetch: typeof fetch;
}

export interface Call {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly json?: object;
  /** Of a write. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal | undefined;
}

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

/**
 * The body of the response, tried again for as long as nothing can be done twice.
 * @throws ApiError, ConnectionError, or the reason of the signal
 */
export async function send<T>(connection: Connection, call: Call): Promise<T> {
  const until = Date.now() + connection.retryForMs;
  for (let tries = 0; ; tries++) {
    const result = await ask<T>(connection, call);
    if (result.kind === "done") return result.body;
    const pauseMs = pauseBefore(result, tries);
    if (pauseMs === undefined || Date.now() + pauseMs > until) throw result.error;
    await pause(pauseMs, call.signal);
  }
}

type Result<T> =
  | { readonly kind: "done"; readonly body: T }
  | { readonly kind: "refused"; readonly error: ApiError }
  | { readonly kind: "unanswered"; readonly error: ConnectionError };

async function ask<T>(connection: Connection, call: Call): Promise<Result<T>> {
  const { signal, idempotencyKey } = call;
  // What cannot be sent at all throws here, and is no lost connection.
  const sent = {
    method: call.method,
    headers: new Headers({
      accept: "application/json",
      authorization: `Bearer ${connection.token}`,
      ...(call.json && { "content-type": "application/json" }),
      ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
    }),
    ...(call.json && { body: JSON.stringify(call.json) }),
  };
  const timeout = AbortSignal.timeout(connection.timeoutMs);
  try {
    const response = await connection.fetch(connection.url + call.path, {
      ...sent,
      // A redirect could carry a card number to somewhere else.
      redirect: "manual",
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    const text = await response.text();
    if (response.status === 204) return { kind: "done", body: undefined as T };
    if (response.ok) return { kind: "done", body: JSON.parse(text) as T };
    return { kind: "refused", error: apiError(refusedIn(response, text, idempotencyKey)) };
  } catch (cause) {
    signal?.throwIfAborted();
    const why = timeout.aborted
      ? `no response within ${connection.timeoutMs} ms`
      : cause instanceof SyntaxError
        ? "a response that is not JSON, as of another program,"
        : "no whole response";
    return { kind: "unanswered", error: new ConnectionError(`${why} from ${connection.url}`, idempotencyKey, cause) };
  }
}

function refusedIn({ status, headers }: Response, text: string, idempotencyKey: string | undefined) {
  const seconds = headers.get("retry-after");
  return {
    status,
    code: codeIn(text),
    fields: redirection(status, headers) ?? fieldsIn(text),
    refusal: headers.get("faregate-refusal") ?? undefined,
    retryAfterSeconds: seconds !== null && /^\d+$/.test(seconds) ? Number(seconds) : undefined,
    idempotencyKey,
    replayed: headers.get("idempotent-replayed") === "true",
    requestId: headers.get("x-request-id") ?? undefined,
  };
}

/** Where a request is sent on to: whoever gave the client the address can give it that one. */
function redirection(status: number, headers: Headers): Refused["fields"] | undefined {
  const to = headers.get("location");
  return status >= 300 && status < 400 && to !== null
    ? { base: [`the gateway's address leads on to ${to}`] }
    : undefined;
}

function codeIn(text: string): string | undefined {
  try {
    const { code } = (JSON.parse(text) as ErrorBody).error;
    return typeof code === "string" ? code : undefined;
  } catch {
    return undefined;
  }
}

/** None if this is not the gateway's: a proxy's page, or JSON of another shape. */
function fieldsIn(text: string): Refused["fields"] {
  try {
    const fields = Object.entries((JSON.parse(text) as ErrorBody).error.message);
    return Object.fromEntries(fields.filter(([, texts]) => Array.isArray(texts)));
  } catch {
    return {};
  }
}

/** Undefined: another try would change nothing, or could do something twice. */
function pauseBefore(result: Exclude<Result<unknown>, { kind: "done" }>, tries: number): number | undefined {
  const growingMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries) * (0.5 + Math.random() / 2);
  if (result.kind === "unanswered") return growingMs;
  const { status, retryAfterSeconds, replayed } = result.error;
  // A proxy that heard nothing from the gateway.
  if (status === 502 || status === 504) return growingMs;
  const isPassing = [409, 429, 503].includes(status) && retryAfterSeconds !== undefined && !replayed;
  return isPassing ? Math.max(growingMs, retryAfterSeconds * 1_000) : undefined;
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
