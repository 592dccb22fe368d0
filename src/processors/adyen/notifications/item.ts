// The items of a standard webhook: `NotificationRequestItem` of Adyen's webhooks, version 1. Whether an item is genuine is judged by the
// signed fields as they came; what is missing, null or no text in it is nothing, and does not make it a wrong one.

import { Type } from "typebox";
import { Check } from "typebox/value";

export interface Item {
  readonly eventCode: string;
  readonly success: string;
  readonly pspReference: string;
  readonly merchantReference: string;
  readonly merchantAccountCode: string;
  /** Empty where there is none. */
  readonly eventDate: string;
  readonly originalReference?: string;
  readonly reason?: string | null;
  readonly amount?: { readonly value: number; readonly currency: string };
  readonly additionalData?: {
    readonly hmacSignature?: string;
    // Of disputes. None is signed.
    readonly chargebackReasonCode?: unknown;
    readonly rfiReasonCode?: unknown;
    readonly disputeStatus?: unknown;
    readonly defensePeriodEndsAt?: unknown;
  };
}

export interface IncomingItem {
  readonly item: Item;
  /** The eight signed fields with colons between, what is missing as nothing. */
  readonly signedText: string;
}

export interface StandardWebhook {
  /** Undefined where it does not say. */
  readonly live: boolean | undefined;
  readonly items: readonly IncomingItem[];
}

const Fields = Type.Record(Type.String(), Type.Unknown());
type Fields = Readonly<Record<string, unknown>>;

const MESSAGE = Type.Object({
  notificationItems: Type.Array(Type.Object({ NotificationRequestItem: Fields }), { minItems: 1, maxItems: 100 }),
});

/** Undefined for what is no standard webhook in JSON. */
export function standardWebhook(body: Buffer): StandardWebhook | undefined {
  let json: unknown;
  try {
    json = JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
  if (!Check(MESSAGE, json)) return undefined;
  const items = json.notificationItems.map(({ NotificationRequestItem }) => incoming(NotificationRequestItem));
  const live = raw((json as Fields).live);
  return { live: live === "true" || live === "false" ? live === "true" : undefined, items };
}

/** docs.adyen.com/development-resources/webhooks/secure-webhooks/verify-hmac-signatures */
const SIGNED = ["pspReference", "originalReference", "merchantAccountCode", "merchantReference"] as const;

function incoming(given: Fields): IncomingItem {
  const amount = fieldsOf(given.amount);
  const text = (name: string): string => cleaned(raw(given[name]));
  const parts = [
    ...SIGNED.map((name) => given[name]),
    ...[amount.value, amount.currency, given.eventCode, given.success],
  ];
  const { value } = amount;
  const currency = cleaned(raw(amount.currency));
  const data = fieldsOf(given.additionalData);
  const original = text("originalReference");
  return {
    signedText: parts.map(raw).join(":"),
    item: {
      eventCode: text("eventCode"),
      success: text("success"),
      pspReference: text("pspReference"),
      merchantReference: text("merchantReference"),
      merchantAccountCode: text("merchantAccountCode"),
      eventDate: text("eventDate"),
      ...(original !== "" && { originalReference: original }),
      reason: typeof given.reason === "string" ? given.reason.slice(0, LONGEST) : null,
      ...(typeof value === "number" && Number.isSafeInteger(value) && { amount: { value, currency } }),
      additionalData: {
        ...data,
        ...(typeof data.hmacSignature === "string" ? { hmacSignature: data.hmacSignature } : { hmacSignature: "" }),
      },
    },
  };
}

/** Anybody may send lists and objects where texts belong, also such as no text can be made of. */
const raw = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";

const fieldsOf = (given: unknown): Fields => (Check(Fields, given) ? given : {});

const LONGEST = 1_024;

/** No table takes a NUL. */
const cleaned = (text: string): string => text.replaceAll("\u0000", " ").slice(0, LONGEST);
