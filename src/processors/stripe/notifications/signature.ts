// Whether a webhook is Stripe's: HMAC-SHA256 over its time and its very bytes. https://docs.stripe.com/webhooks/signature

import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "../../processor.ts";

export const SIGNATURE_HEADER = "stripe-signature";

/** How far its time may be from now, in seconds, as Stripe's own libraries have it. */
export const TOLERANCE_S = 300;

const MOST_SIGNATURES = 10;

/** Null if it is genuine, otherwise why not. @param secrets any of which may have signed it */
export function forgeryOf({ headers, body }: IncomingMessage, secrets: readonly string[], now: Date): string | null {
  const header = headers[SIGNATURE_HEADER];
  if (typeof header !== "string") return `there is no ${SIGNATURE_HEADER}`;
  const parts = header.split(",").map((part) => part.trim().split("="));
  const time = parts.find(([name]) => name === "t")?.[1];
  const given = parts.flatMap(([name, value]) => (name === "v1" && value !== undefined ? [value] : []));
  if (time === undefined || !/^\d{1,12}$/.test(time)) return `${SIGNATURE_HEADER} has no time`;
  const right = secrets.map((secret) => createHmac("sha256", secret).update(`${time}.`).update(body).digest("hex"));
  const signed = given.slice(0, MOST_SIGNATURES).some((one) => right.some((other) => same(one, other)));
  if (!signed) return "the signature is not by webhook_secret";
  const away = Math.abs(now.getTime() / 1000 - Number(time));
  return away > TOLERANCE_S ? `its time is ${Math.round(away)} s from now, and ${TOLERANCE_S} s are allowed` : null;
}

function same(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
