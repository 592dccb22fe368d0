// A webhook of Stripe's, as the notifications that it is about (https://docs.stripe.com/api/events). It is genuine by an HMAC-SHA256 over
// its time and its exact bytes (https://docs.stripe.com/webhooks/signature).

import { createHmac, timingSafeEqual } from "node:crypto";
import { Type } from "typebox";
import { Check } from "typebox/value";
import { systemClock } from "../../../clock.ts";
import type { IncomingMessage, Received } from "../../processor.ts";
import { notificationsOf } from "./news.ts";

const EVENT = Type.Object({
  id: Type.String({ pattern: "^[!-~]{1,150}$" }),
  type: Type.String({ pattern: "^[!-~]{1,100}$" }),
  created: Type.Integer({ minimum: 0, maximum: 99_999_999_999 }),
  data: Type.Object({ object: Type.Unknown() }),
});

/** Stripe signs by real time; a sandbox's clock may run ahead of it. */
export function receive(message: IncomingMessage, secrets: readonly string[]): Received {
  const forgery = forgeryOf(message, secrets, systemClock.now());
  if (forgery !== null) return { kind: "forged", why: forgery };
  const event = parsed(message.body);
  if (!Check(EVENT, event)) return { kind: "unreadable", why: "it is no event of Stripe's" };
  return {
    kind: "genuine",
    notifications: notificationsOf({
      id: event.id,
      type: event.type,
      at: new Date(event.created * 1000),
      object: event.data.object,
    }),
    acknowledgement: "received",
  };
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}

const SIGNATURE_HEADER = "stripe-signature";

/** How far its time may be from now, in seconds, as Stripe's own libraries have it. */
const TOLERANCE_S = 300;

const MOST_SIGNATURES = 10;

/** Null if it is genuine, otherwise why not. @param secrets any of which may have signed it */
function forgeryOf({ headers, body }: IncomingMessage, secrets: readonly string[], now: Date): string | null {
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
