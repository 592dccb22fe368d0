// Standard webhooks as Adyen sends them: signed, until they are answered with 2xx; and on demand doubled, late, shuffled or lost.

import { createHmac } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Item } from "./entry.ts";

export interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface Conduct {
  /** How often each is sent, even when it was answered. */
  readonly times?: number;
  /** Each is held back for so long, at random. */
  readonly upToMs?: number;
  /** From 0 to 1: never sent at all. */
  readonly lost?: number;
  /** Event codes of which none is ever sent. */
  readonly loses?: readonly string[];
}

const TIMEOUT_MS = 5_000;
const RETRY_MS = 500;

export function messageOf(item: Item, hmacKey: string, basic: string | null = null): Message {
  const additionalData = { ...item.additionalData, hmacSignature: signature(item, hmacKey) };
  const signed = { ...item, additionalData };
  const json = { live: "false", notificationItems: [{ NotificationRequestItem: signed }] };
  const authorization = basic === null ? {} : { authorization: `Basic ${Buffer.from(basic).toString("base64")}` };
  return { headers: { "content-type": "application/json", ...authorization }, body: Buffer.from(JSON.stringify(json)) };
}

/** The eight fields, with colons between. */
function signature(item: Item, hmacKey: string): string {
  const {
    pspReference,
    originalReference = "",
    merchantAccountCode,
    merchantReference,
    amount,
    eventCode,
    success,
  } = item;
  const names = [pspReference, originalReference, merchantAccountCode, merchantReference];
  const text = [...names, amount.value, amount.currency, eventCode, success].join(":");
  return createHmac("sha256", Buffer.from(hmacKey, "hex")).update(text).digest("base64");
}

export class Webhooks {
  readonly #hmacKey: string;
  readonly #ended = new AbortController();
  readonly #sending = new Set<Promise<void>>();
  url: string | null = null;
  basic: string | null = null;
  conduct: Conduct = {};

  constructor(hmacKey: string) {
    this.#hmacKey = hmacKey;
  }

  /** In the background. */
  send(item: Item): void {
    if (this.url === null || this.conduct.loses?.includes(item.eventCode)) return;
    if (Math.random() < (this.conduct.lost ?? 0)) return;
    const message = messageOf(item, this.#hmacKey, this.basic);
    for (let time = 0; time < (this.conduct.times ?? 1); time++) {
      const sending: Promise<void> = this.#deliver(this.url, message).finally(() => this.#sending.delete(sending));
      this.#sending.add(sending);
    }
  }

  async #deliver(url: string, { headers, body }: Message): Promise<void> {
    const { signal } = this.#ended;
    try {
      await pause(Math.random() * (this.conduct.upToMs ?? 0), undefined, { signal });
      while (!signal.aborted && !(await accepted(url, { headers, body: new Uint8Array(body) }, signal)))
        await pause(RETRY_MS, undefined, { signal });
    } catch (fault) {
      if (!signal.aborted) throw fault;
    }
  }

  /** All that is on its way has arrived. */
  async arrived(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all(this.#sending);
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    await this.arrived();
  }
}

async function accepted(
  url: string,
  message: { readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array<ArrayBuffer> },
  signal: AbortSignal,
): Promise<boolean> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    const response = await fetch(url, { method: "POST", ...message, signal: deadline });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}
