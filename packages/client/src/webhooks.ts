// Whether it was the gateway that sent a webhook: Standard Webhooks 1.0, "Verifying webhook authenticity", with WebCrypto.

import { WebhookError } from "./errors.ts";
import { bytesOf, isSigned } from "./hmac.ts";
import type { WebhookPayload } from "./shapes.ts";

export interface Webhook {
  /** As `Request` has them, or Node's `request.headers`. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** As it came, byte for byte: before it is parsed. */
  readonly body: string | Uint8Array;
  /** `whsec_…` */
  readonly secret: string;
}

const TOLERANCE_SECONDS = 300;
const PREFIX = "whsec_";

/**
 * What the gateway told.
 * @throws WebhookError if it did not sign this body, or signed it more than five minutes ago
 */
export async function verifyWebhook({ headers, body, secret }: Webhook): Promise<WebhookPayload> {
  const [id, sentAt, signatures] = ["id", "timestamp", "signature"].map((name) => headerOf(headers, `webhook-${name}`));
  if (!id || !sentAt || !signatures)
    throw new WebhookError("webhook-id, webhook-timestamp or webhook-signature is missing");
  if (!/^\d{1,12}$/.test(sentAt) || Math.abs(Date.now() / 1000 - Number(sentAt)) > TOLERANCE_SECONDS)
    throw new WebhookError("webhook-timestamp is not within five minutes of now");
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const signed = joined(new TextEncoder().encode(`${id}.${sentAt}.`), bytes);
  const key = keyOf(secret);
  for (const signature of signatures.split(" "))
    if (signature.startsWith("v1,") && (await isSigned(signed, key, signature.slice("v1,".length))))
      return JSON.parse(new TextDecoder().decode(bytes)) as WebhookPayload;
  throw new WebhookError("no signature in webhook-signature is right: the body was changed, or the secret is another");
}

function headerOf(headers: Webhook["headers"], name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof value === "string" ? value : value?.join(" ");
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** @throws TypeError if it is none: a mistake of the receiver, not a wrong webhook */
function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = secret.startsWith(PREFIX) ? bytesOf(secret.slice(PREFIX.length)) : undefined;
  if (bytes === undefined || bytes.length === 0) throw new TypeError("secret must be whsec_ and Base64");
  return bytes;
}
