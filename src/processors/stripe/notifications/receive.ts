// A webhook of Stripe's, as the notifications that it is about (https://docs.stripe.com/api/events). It is genuine by an HMAC-SHA256 over
// its time and its exact bytes (https://docs.stripe.com/webhooks/signature).

import { createHmac, hash, timingSafeEqual } from "node:crypto";
import { Type } from "typebox";
import { Check } from "typebox/value";
import { systemClock } from "../../../clock.ts";
import type { IncomingMessage, ProcessorNotification, Received } from "../../processor.ts";
import { notificationsOf } from "./news.ts";

const EVENT = Type.Object({
  id: Type.String({ pattern: "^[!-~]{1,150}$" }),
  type: Type.String({ pattern: "^[!-~]{1,100}$" }),
  created: Type.Integer({ minimum: 0, maximum: 99_999_999_999 }),
  data: Type.Object({ object: Type.Unknown() }),
  livemode: Type.Optional(Type.Unknown()),
});

/** Of a thin event (API v2), and of whatever else Stripe signs: it is acknowledged, since Stripe disables endpoints that do not. */
const NAMED = Type.Object({ id: Type.String({ pattern: "^[!-~]{1,150}$" }), type: Type.Optional(Type.Unknown()) });

/** Stripe signs by real time; a sandbox's clock may run ahead of it. */
/** @param live whether the record's key is a live one; undefined where it does not say */
export function receive(message: IncomingMessage, secrets: readonly string[], live?: boolean): Received {
  const forgery = forgeryOf(message, secrets, systemClock.now());
  if (forgery !== null) return { kind: "forged", why: forgery };
  const event = parsed(message.body);
  const notifications = notificationsBy(event, message.body);
  const isOther =
    live !== undefined && Check(EVENT, event) && typeof event.livemode === "boolean" && event.livemode !== live;
  return {
    kind: "genuine",
    notifications: isOther
      ? notifications.map((one) => ({ ...one, about: null, news: { kind: "other-mode" } as const }))
      : notifications,
    acknowledgement: "received",
  };
}

function notificationsBy(event: unknown, body: Buffer): readonly ProcessorNotification[] {
  if (Check(EVENT, event)) {
    const { id, type, created } = event;
    return notificationsOf({ id, type, at: new Date(created * 1000), object: event.data.object });
  }
  const named = Check(NAMED, event) ? event : undefined;
  const type = typeof named?.type === "string" ? named.type.slice(0, 100) : "no type";
  return [
    {
      id: named?.id ?? hash("sha256", body),
      occurredAt: systemClock.now(),
      about: null,
      news: { kind: "other" },
      said: `an event without a snapshot of its object: ${type}`,
    },
  ];
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
