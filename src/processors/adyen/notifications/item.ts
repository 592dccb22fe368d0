// The items of a standard webhook, as far as they are read: `NotificationRequestItem` of Adyen's webhooks, version 1.

import { type Static, Type } from "typebox";
import { Check } from "typebox/value";

/** No table takes a NUL. */
const Text = Type.String({ maxLength: 1_024, pattern: "^[^\\u0000]*$" });

const ITEM = Type.Object({
  eventCode: Text,
  success: Text,
  pspReference: Text,
  merchantReference: Text,
  merchantAccountCode: Text,
  eventDate: Text,
  originalReference: Type.Optional(Text),
  reason: Type.Optional(Type.Union([Type.String({ maxLength: 1_024 }), Type.Null()])),
  amount: Type.Optional(Type.Object({ value: Type.Integer(), currency: Text })),
  additionalData: Type.Optional(
    Type.Object({
      hmacSignature: Type.Optional(Type.String()),
      // Of disputes. None is signed, so whatever stands there does not make the item a wrong one.
      chargebackReasonCode: Type.Optional(Type.Unknown()),
      rfiReasonCode: Type.Optional(Type.Unknown()),
      disputeStatus: Type.Optional(Type.Unknown()),
      defensePeriodEndsAt: Type.Optional(Type.Unknown()),
    }),
  ),
});
export type Item = Static<typeof ITEM>;

const MESSAGE = Type.Object({
  live: Type.String(),
  notificationItems: Type.Array(Type.Object({ NotificationRequestItem: ITEM }), { minItems: 1, maxItems: 100 }),
});

/** Undefined for what is no standard webhook in JSON. */
export function itemsOf(body: Buffer): readonly Item[] | undefined {
  let json: unknown;
  try {
    json = JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
  if (!Check(MESSAGE, json)) return undefined;
  return json.notificationItems.map(({ NotificationRequestItem }) => NotificationRequestItem);
}
