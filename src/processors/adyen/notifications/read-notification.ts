// A standard webhook of Adyen's, from its bytes to what the gateway is told. Asks nobody. Each of its items is signed with the account's
// HMAC key, and the whole may be under basic authentication. Only eight fields are signed, so nothing else decides about money.

import { createHmac, timingSafeEqual } from "node:crypto";
import { systemClock } from "../../../clock.ts";
import type { IncomingMessage, ProcessorNotification, Received } from "../../processor.ts";
import { isVerification, parseReference } from "../reference.ts";
import type { WholeSettings } from "../settings.ts";
import { type IncomingItem, type Item, standardWebhook } from "./item.ts";
import { isMadeAgain, newsOf, reasonOf } from "./news-of.ts";

/** docs.adyen.com/development-resources/webhooks: what says that a webhook was taken. */
const ACKNOWLEDGEMENT = "[accepted]";
/** At most six items come in one message. What is signed is inside of it, so a stranger's message is parsed before it is refused. */
const MOST_BYTES = 262_144;

export function readNotification({ headers, body }: IncomingMessage, settings: WholeSettings): Received {
  const { webhook_user: user, webhook_password: password, hmac_key, previous_hmac_key } = settings;
  if (user !== undefined && !isAuthorized(headers.authorization, user, password ?? ""))
    return { kind: "forged", why: "user or password is wrong" };
  if (body.length > MOST_BYTES) return { kind: "forged", why: "it is larger than any webhook of Adyen's" };
  const webhook = standardWebhook(body);
  if (webhook === undefined) return { kind: "forged", why: "it is no standard webhook in JSON" };
  const keys = previous_hmac_key === undefined ? [hmac_key] : [hmac_key, previous_hmac_key];
  if (!webhook.items.every((one) => isSigned(one, keys)))
    return { kind: "forged", why: "an HMAC signature is not of our key" };
  const live = settings.live_url_prefix !== undefined;
  const isOther = webhook.live !== undefined && webhook.live !== live;
  return {
    kind: "genuine",
    // What a verification said of its card was its answer, and there is nothing else to tell of it.
    notifications: webhook.items
      .filter(({ item }) => !isVerification(item.merchantReference))
      .map(({ item }) => {
        const notification = notificationOf(item, settings.merchant_account);
        return isOther ? { ...notification, about: null, news: { kind: "other-mode" } } : notification;
      }),
    acknowledgement: ACKNOWLEDGEMENT,
  };
}

/**
 * The same event code and pspReference, with the same result, are the same message once more. But a capture that Adyen makes again under one
 * pspReference may fail again: only the date tells the failures apart. It is not signed, so the operator alone is told of another one.
 */
function idOf(item: Item): string {
  const { eventCode, pspReference, success, eventDate } = item;
  const more = isMadeAgain(item) ? "recaptured" : eventCode === "CAPTURE_FAILED" ? eventDate : "";
  return `${eventCode}:${pspReference}:${success}${more && ":"}${more}`.slice(0, 255);
}

/** Of the notification that Adyen sends of each payment that was authorized: it has our reference. */
export const idOfPayment = (pspReference: string): string =>
  idOf({ ...NO_ITEM, eventCode: "AUTHORISATION", pspReference, success: "true" });

const NO_ITEM: Item = {
  ...{ eventCode: "", success: "", pspReference: "", merchantReference: "", merchantAccountCode: "", eventDate: "" },
};

function notificationOf(item: Item, merchantAccount: string): ProcessorNotification {
  const { eventCode, pspReference, success, eventDate, merchantReference, merchantAccountCode } = item;
  // The key may be the company's, for all its merchant accounts.
  const isOurs = merchantAccountCode === merchantAccount;
  const referred = isOurs ? parseReference(merchantReference) : null;
  const news = newsOf(item, referred?.type ?? null);
  const at = Date.parse(eventDate);
  return {
    id: idOf(item),
    // It is not signed, decides nothing, and may be missing.
    occurredAt: Number.isNaN(at) ? systemClock.now() : new Date(at),
    about: referred && { transactionId: referred.transactionId, reference: referred.reference },
    news: isOurs || news.kind !== "made" ? news : { kind: "other" },
    said: `${eventCode} ${success === "true" ? "succeeded" : "failed"} ${pspReference} ${reasonOf(item)}`.trim(),
  };
}

/** HMAC-SHA256 in Base64. @param key 64 hexadecimal digits */
export const signatureOf = ({ signedText }: Pick<IncomingItem, "signedText">, key: string): string =>
  createHmac("sha256", Buffer.from(key, "hex")).update(signedText, "utf8").digest("base64");

const isSigned = (one: IncomingItem, keys: readonly string[]): boolean =>
  keys.some((key) => same(one.item.additionalData?.hmacSignature ?? "", signatureOf(one, key)));

/** RFC 7617 */
const isAuthorized = (header: unknown, user: string, password: string): boolean =>
  typeof header === "string" && same(header, `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`);

function same(given: string, right: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}
