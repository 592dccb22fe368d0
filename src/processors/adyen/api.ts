// Asking Adyen's API: JSON over a kept connection, each question under an idempotency key. What was perhaps done, and not
// answered, is asked again under the same key while there is time.
//
// docs.adyen.com/development-resources/api-idempotency: keys of up to 64 characters hold for a week at least. A request that was processed
// already gets the response to the first attempt; the header `idempotency-key` shows that a response was given under the key. While the first
// is at work, a second gets 422 or 409 with error 704, under the same header: so no error is known to be the first answer. What is worth
// another try has the header `transient-error: true`.

import { setTimeout as pause } from "node:timers/promises";
import { type HttpAnswer, HttpsLink } from "../https/https-link.ts";
import type { NoAnswer } from "../processor.ts";

export type ApiAnswer = Told | Refused | NoAnswer;

export interface Told {
  readonly kind: "told";
  readonly body: Readonly<Record<string, unknown>>;
  /** Adyen gave it under the key of the question: where that was sent before, it is the answer to the first sending. */
  readonly underKey: boolean;
}

/** The request was not accepted, and it did nothing. That is no word about an earlier one. */
export interface Refused {
  readonly kind: "refused";
  readonly status: number;
  readonly errorCode: string;
  readonly message: string;
  readonly pspReference: string | null;
}

export interface Asked {
  readonly answer: ApiAnswer;
  /** Where the answer is that of a repeat: why nobody knows what became of an earlier sending. */
  readonly doubt?: NoAnswer;
}

/** Of one question, the first included. */
const MOST_TRIES = 5;
const FIRST_PAUSE_MS = 50;
const CONNECTIONS = 64;
const IN_PROGRESS = "704";

export class Api {
  readonly #link: HttpsLink;
  readonly #basePath: string;
  readonly #apiKey: string;

  /** @param baseUrl with the API's version, without a slash at its end */
  constructor(baseUrl: string, apiKey: string) {
    const url = new URL(baseUrl);
    this.#link = new HttpsLink(url, CONNECTIONS);
    this.#basePath = url.pathname.replace(/\/+$/, "");
    this.#apiKey = apiKey;
  }

  /** Asks once, whatever comes of it. */
  async askOnce(path: string, body: object, key: string | null, signal: AbortSignal): Promise<ApiAnswer> {
    return (await this.#attempt(path, JSON.stringify(body), key, signal)).answer;
  }

  /** A GET, once. */
  async look(path: string, signal: AbortSignal): Promise<ApiAnswer> {
    const headers = { accept: "application/json", "x-api-key": this.#apiKey };
    const answer = await this.#link.ask({ method: "GET", path: this.#basePath + path, headers }, signal);
    return answer.kind === "answered" ? read(answer, null).answer : answer;
  }

  /** Asks until it is known what came of it, or the time is over. */
  async ask(path: string, body: object, key: string, signal: AbortSignal): Promise<Asked> {
    const text = JSON.stringify(body);
    let doubt: NoAnswer | undefined;
    for (let tries = 1; ; tries++) {
      const { answer, again } = await this.#attempt(path, text, key, signal);
      if (!again || tries === MOST_TRIES || !(await paused(FIRST_PAUSE_MS * 2 ** (tries - 1), signal)))
        return { answer, ...(doubt && { doubt }) };
      if (answer.kind === "unanswered") doubt = answer;
    }
  }

  close(): Promise<void> {
    return this.#link.close();
  }

  async #attempt(path: string, text: string, key: string | null, signal: AbortSignal): Promise<Attempt> {
    const headers = {
      "content-type": "application/json",
      accept: "application/json",
      "x-api-key": this.#apiKey,
      ...(key !== null && { "idempotency-key": key }),
    };
    const answer = await this.#link.ask({ method: "POST", path: this.#basePath + path, headers, body: text }, signal);
    return answer.kind === "answered" ? read(answer, key) : { answer, again: answer.kind === "unanswered" };
  }
}

interface Attempt {
  readonly answer: ApiAnswer;
  /** Another try may bring more. */
  readonly again: boolean;
}

function read(http: HttpAnswer, key: string | null): Attempt {
  const body = jsonOf(http.body);
  if (http.status >= 200 && http.status < 300) {
    if (body === undefined) return { answer: unanswered("an answer that is no JSON object"), again: true };
    const underKey = key !== null && http.headers["idempotency-key"] === key;
    return { answer: { kind: "told", body, underKey }, again: false };
  }
  const [errorCode, message] = [textOf(body?.errorCode), textOf(body?.message)];
  const words = `HTTP ${http.status} ${errorCode} ${message}`.trim();
  const transient = http.headers["transient-error"] === "true";
  // Turned away before it was read.
  if (http.status === 429) return { answer: { kind: "not-sent", why: words }, again: true };
  if ([401, 403, 404].includes(http.status)) return { answer: { kind: "not-sent", why: words }, again: false };
  if (transient || errorCode === IN_PROGRESS) return { answer: unanswered(words), again: true };
  if (http.status >= 500) return { answer: unanswered(words), again: true };
  if (http.status < 400 || body === undefined) return { answer: unanswered(words), again: false };
  const pspReference = textOf(body.pspReference) || null;
  return { answer: { kind: "refused", status: http.status, errorCode, message, pspReference }, again: false };
}

const unanswered = (why: string): NoAnswer => ({ kind: "unanswered", why });

function jsonOf(bytes: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const json: unknown = JSON.parse(bytes.toString("utf8"));
    return typeof json === "object" && json !== null && !Array.isArray(json) ? { ...json } : undefined;
  } catch {
    return undefined;
  }
}

const MOST_SHOWN = 200;
const textOf = (value: unknown): string => (typeof value === "string" ? value.slice(0, MOST_SHOWN) : "");

async function paused(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await pause(ms, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}
