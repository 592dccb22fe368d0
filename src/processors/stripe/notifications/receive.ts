// A webhook of Stripe's, as the notifications that it is about. https://docs.stripe.com/api/events

import { Type } from "typebox";
import { Check } from "typebox/value";
import { systemClock } from "../../../clock.ts";
import type { IncomingMessage, Received } from "../../processor.ts";
import { notificationsOf } from "./news.ts";
import { forgeryOf } from "./signature.ts";

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
