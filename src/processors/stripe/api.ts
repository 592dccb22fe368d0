// Stripe's API over HTTP: the headers, and what each kind of answer means before anything of it is read as a payment.
// https://docs.stripe.com/api/errors, https://docs.stripe.com/api/idempotent_requests

import type Stripe from "stripe";
import { type HttpAnswer, HttpsLink } from "../https/https-link.ts";
import type { Health, NoAnswer } from "../processor.ts";
import { errorOf, type StripeError } from "./objects.ts";

/** The version by which requests are written and answers read; docs.stripe.com/upgrades lists what came since. */
const STRIPE_VERSION = "2026-10-28.endive" satisfies typeof Stripe.API_VERSION;

/** There is no such object in this account. */
export interface Missing {
  readonly kind: "not-sent";
  readonly why: string;
  readonly missing: true;
}

export type StripeReply = Ok | Refused | KeyTaken | Failed | Missing | NoAnswer;

export interface Ok {
  readonly kind: "ok";
  readonly body: unknown;
  /** The answer to an earlier request of this key, as it was then. */
  readonly replayed: boolean;
}

/** Stripe looked at the request, and did not do it. */
export interface Refused {
  readonly kind: "refused";
  readonly error: StripeError;
  /** The answer to an earlier request of this key. Not so: of what was asked before under the key, this says nothing. */
  readonly replayed: boolean;
}

/** There was a request under this key, and it was worded otherwise: what became of it, nobody says here. */
export interface KeyTaken {
  readonly kind: "unanswered";
  readonly why: string;
  readonly keyTaken: true;
}

/** 5xx: Stripe failed at it. It may have been done all the same, and its key remembers the failure. */
export interface Failed {
  readonly kind: "unanswered";
  readonly why: string;
  readonly failed: true;
  /** The key remembers it: asked again under it, Stripe would say so again. */
  readonly replayed: boolean;
}

/** The request was turned away before it was looked at: wrong key, no permission, another account's object, too many. */
const TURNED_AWAY = new Set([401, 403, 404, 429]);

export class StripeApi {
  readonly #link: HttpsLink;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(base: URL, secretKey: string, connections: number, longestAnswer?: number) {
    this.#link = new HttpsLink(base, connections, longestAnswer);
    this.#headers = {
      authorization: `Bearer ${secretKey}`,
      "stripe-version": STRIPE_VERSION,
      "user-agent": "Faregate",
    };
  }

  async get(path: string, query: FormFields, signal: AbortSignal): Promise<StripeReply> {
    return read(await this.raw(path, query, signal));
  }

  /** @param key the same for the same request, always; null for one that does no harm when it is done twice */
  async post(path: string, fields: FormFields, key: string | null, signal: AbortSignal): Promise<StripeReply> {
    const headers = {
      ...this.#headers,
      "content-type": "application/x-www-form-urlencoded",
      ...(key !== null && { "idempotency-key": key }),
    };
    return read(await this.#link.ask({ method: "POST", path, headers, body: formOf(fields) }, signal));
  }

  /** A GET, and its answer as it came. */
  raw(path: string, query: FormFields, signal: AbortSignal): Promise<HttpAnswer | NoAnswer> {
    const text = formOf(query);
    return this.#link.ask(
      { method: "GET", path: text === "" ? path : `${path}?${text}`, headers: this.#headers },
      signal,
    );
  }

  close(): Promise<void> {
    return this.#link.close();
  }
}

function read(answer: HttpAnswer | NoAnswer): StripeReply {
  if (answer.kind !== "answered") return answer;
  const { status, headers } = answer;
  const body = parsed(answer.body);
  if (body === undefined) return { kind: "unanswered", why: `HTTP ${status} without JSON` };
  const replayed = headers["idempotent-replayed"] === "true";
  if (status >= 200 && status < 300) return { kind: "ok", body, replayed };
  const error = errorOf(body);
  if (error === undefined) return { kind: "unanswered", why: `HTTP ${status} without an error` };
  const why = `HTTP ${status} ${[error.type, error.code, error.message].filter((word) => word !== undefined).join(": ")}`;
  if (status === 404 && error.code === "resource_missing") return { kind: "not-sent", why, missing: true };
  if (TURNED_AWAY.has(status)) return { kind: "not-sent", why };
  if (error.type === "idempotency_error" && status === 400) return { kind: "unanswered", why, keyTaken: true };
  if (status === 400 || status === 402) return { kind: "refused", error, replayed };
  // 409: another request under this key is in flight.
  return status >= 500 ? { kind: "unanswered", why, failed: true, replayed } : { kind: "unanswered", why };
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}

interface FormFields {
  readonly [name: string]: FormValue;
}
/** What is undefined is left out; so is an object in which nothing is left. */
type FormValue = string | number | boolean | undefined | readonly FormValue[] | FormFields;

/** application/x-www-form-urlencoded, in which brackets nest and lists are counted from 0. */
function formOf(fields: FormFields): string {
  const pairs: string[] = [];
  const add = (name: string, value: FormValue): void => {
    if (value === undefined) return;
    if (typeof value !== "object") pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
    else for (const [part, inner] of Object.entries(value)) add(name === "" ? part : `${name}[${part}]`, inner);
  };
  add("", fields);
  return pairs.join("&");
}

/** A harmless look at the account's balance, which restricted keys may be denied: that is an answer, too. */
export async function healthOf(api: StripeApi, signal: AbortSignal): Promise<Health> {
  const answer = await api.raw("/v1/balance", {}, signal);
  if (answer.kind !== "answered") return { reachable: false, detail: answer.why };
  if (answer.status === 401) return { reachable: false, detail: "Stripe does not know the secret_key" };
  return { reachable: answer.status < 500, detail: `HTTP ${answer.status}` };
}
