// A standard webhook of Adyen's, from its bytes to what the gateway is told. Asks nobody.

import type { IncomingMessage, ProcessorNotification, Received } from "../../processor.ts";
import { parseReference } from "../reference.ts";
import type { WholeSettings } from "../settings.ts";
import { type Item, itemsOf } from "./item.ts";
import { newsOf, reasonOf } from "./news-of.ts";
import { isAuthorized, isSigned } from "./signature.ts";

/** docs.adyen.com/development-resources/webhooks: what says that a webhook was taken. */
const ACKNOWLEDGEMENT = "[accepted]";

export function readNotification({ headers, body }: IncomingMessage, settings: WholeSettings): Received {
  const { webhook_user: user, webhook_password: password, hmac_key, previous_hmac_key } = settings;
  if (user !== undefined && !isAuthorized(headers.authorization, user, password ?? ""))
    return { kind: "forged", why: "user or password is wrong" };
  const items = itemsOf(body);
  if (items === undefined) return { kind: "forged", why: "it is no standard webhook in JSON" };
  const keys = previous_hmac_key === undefined ? [hmac_key] : [hmac_key, previous_hmac_key];
  if (!items.every((item) => isSigned(item, keys)))
    return { kind: "forged", why: "an HMAC signature is not of our key" };
  if (items.some(({ eventDate }) => Number.isNaN(Date.parse(eventDate))))
    return { kind: "unreadable", why: "its eventDate is no time" };
  return {
    kind: "genuine",
    notifications: items.map((item) => notificationOf(item, settings.merchant_account)),
    acknowledgement: ACKNOWLEDGEMENT,
  };
}

function notificationOf(item: Item, merchantAccount: string): ProcessorNotification {
  const { eventCode, pspReference, success, eventDate, merchantReference } = item;
  // The key may be the company's, for all its merchant accounts.
  const referred = item.merchantAccountCode === merchantAccount ? parseReference(merchantReference) : null;
  return {
    // The same event code and pspReference, with the same result, are the same message once more.
    id: `${eventCode}:${pspReference}:${success}`.slice(0, 255),
    occurredAt: new Date(eventDate),
    about: referred && { transactionId: referred.transactionId, reference: referred.reference },
    news: newsOf(item, referred?.type ?? null),
    said: `${eventCode} ${success === "true" ? "succeeded" : "failed"} ${pspReference} ${reasonOf(item)}`.trim(),
  };
}
