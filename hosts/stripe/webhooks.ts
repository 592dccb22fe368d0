// The host's webhooks: an event for each change, signed as Stripe signs, sent again until it is acknowledged.
// https://docs.stripe.com/webhooks/signature

import { createHmac } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Misbehaviour } from "./misbehaviour.ts";
import { newId } from "./new-id.ts";

/** One message as it is sent; whoever sends it again sends the same. */
export interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export function message(type: string, object: unknown, secret: string, id = newId("evt"), at = new Date()): Message {
  const event = { id, object: "event", type, created: secondOf(at), livemode: false, data: { object } };
  return signed(Buffer.from(JSON.stringify(event)), secret, at);
}

/** The same event sent again is signed again, with the time at which it is sent. */
export function signed(body: Buffer, secret: string, at: Date): Message {
  const time = secondOf(at);
  const signature = createHmac("sha256", secret).update(`${time}.`).update(body).digest("hex");
  return { headers: { "content-type": "application/json", "stripe-signature": `t=${time},v1=${signature}` }, body };
}

const secondOf = (at: Date): number => Math.floor(at.getTime() / 1000);

const PAUSES_MS = [0, 50, 200, 1_000, 5_000, 20_000, 60_000];

/** Where to send them, and what they are signed with. */
export interface Endpoint {
  readonly url: string;
  readonly secret: string;
}

export class Webhooks {
  endpoint: Endpoint | null;
  readonly #misbehaviour: Misbehaviour;
  readonly #durable: () => Promise<void>;
  readonly #closing = new AbortController();
  readonly #sending = new Set<Promise<void>>();

  /** @param durable resolves once what is told of is on disk: a host that dies takes back nothing that it has told */
  constructor(endpoint: Endpoint | null, misbehaviour: Misbehaviour, durable: () => Promise<void>) {
    this.endpoint = endpoint;
    this.#misbehaviour = misbehaviour;
    this.#durable = durable;
  }

  /** In the background. */
  tell(type: string, object: unknown): void {
    const { endpoint } = this;
    if (endpoint === null) return;
    const conducts = this.#misbehaviour.at("webhook");
    if (conducts.has("lose")) return;
    const sent = message(type, object, endpoint.secret);
    const late = conducts.get("late")?.ms ?? 0;
    for (let copy = 0; copy < (conducts.has("double") ? 2 : 1); copy++) this.#begin(endpoint.url, sent, late);
  }

  /** All that is on its way has arrived, or was given up. */
  async arrived(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all(this.#sending);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.arrived();
  }

  #begin(url: string, sent: Message, late: number): void {
    const sending = this.#send(url, sent, late).finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  async #send(url: string, { headers, body }: Message, late: number): Promise<void> {
    const { signal } = this.#closing;
    await this.#durable();
    for (const ms of [late, ...PAUSES_MS]) {
      await pause(ms, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      const response = await fetch(url, { method: "POST", headers, body: new Uint8Array(body), signal }).catch(
        () => null,
      );
      await response?.arrayBuffer().catch(() => undefined);
      if (response?.ok) return;
    }
  }
}
