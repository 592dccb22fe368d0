// The sample webhooks that Adyen publishes, each signed by Adyen's own library: all are received, with every item in them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { inspect } from "node:util";
import hmacValidator from "@adyen/api-library/lib/src/utils/hmacValidator.js";
import { readNotification } from "../../../src/processors/adyen/notifications/read-notification.ts";
import { renderReference } from "../../../src/processors/adyen/reference.ts";
import { withDefaults } from "../../../src/processors/adyen/settings.ts";
import { ADYEN_WEBHOOKS } from "./documents.ts";

const KEY = "44782def547aaa06c910c43932b1eb0c71fc68d9d0c057550c48ec2acf6ba056";
const TRANSACTION = "019e2f3a-0000-7000-8000-000000000001";
const EVENT = "019e2f3a-0000-7000-8000-000000000002";
const SETTINGS = withDefaults({ merchant_account: "YOUR_MERCHANT_ACCOUNT", api_key: "key", hmac_key: KEY });

interface Item {
  readonly eventCode: string;
  readonly additionalData?: object;
}
interface Sample {
  readonly live: string;
  readonly notificationItems: readonly { readonly NotificationRequestItem: Item }[];
}

let samples: ReadonlyMap<string, Sample>;
before(() => {
  const document = JSON.parse(readFileSync(ADYEN_WEBHOOKS, "utf8")) as {
    readonly components: { readonly examples: Readonly<Record<string, { readonly value: Sample }>> };
  };
  const all = Object.entries(document.components.examples).map(([name, { value }]) => [name, value] as const);
  // Three are notices of changed bank accounts, which come as another kind of webhook, signed in a header.
  samples = new Map(all.filter(([, value]) => "notificationItems" in value));
  assert.ok(samples.size >= 39);
});

type Validator = new () => { calculateHmac(item: object, key: string): string };
const validator = new (hmacValidator as unknown as { readonly default: Validator }).default();

const signed = (item: Item): Item => ({
  ...item,
  additionalData: { ...item.additionalData, hmacSignature: validator.calculateHmac(item, KEY) },
});

const received = ({ notificationItems, ...sample }: Sample) =>
  readNotification(
    {
      headers: { "content-type": "application/json" },
      body: Buffer.from(
        JSON.stringify({
          ...sample,
          notificationItems: notificationItems.map(({ NotificationRequestItem: item }) => ({
            NotificationRequestItem: signed(item),
          })),
        }),
      ),
    },
    SETTINGS,
  );

test("there are samples of all that ends an operation and of disputes", () => {
  const codes = new Set(
    [...samples.values()].flatMap(({ notificationItems }) =>
      notificationItems.map(({ NotificationRequestItem }) => NotificationRequestItem.eventCode),
    ),
  );
  for (const code of ["AUTHORISATION", "CAPTURE", "CANCELLATION", "REFUND", "CHARGEBACK", "TECHNICAL_CANCEL"])
    assert.ok(codes.has(code), code);
});

test("every sample is genuine, and every item in it is understood", () => {
  for (const [name, sample] of samples) {
    const message = received(sample);
    assert.equal(message.kind, "genuine", `${name}: ${inspect(message)} ${JSON.stringify(sample)}`);
    assert.equal(message.kind === "genuine" && message.notifications.length, sample.notificationItems.length, name);
  }
});

test("a sample that names an operation of ours says what became of it", () => {
  for (const [code, type, expected] of [
    ["AUTHORISATION", "sale", "succeeded"],
    ["CAPTURE", "capture", "succeeded"],
    ["CAPTURE_FAILED", "capture", "failed"],
    ["CANCELLATION", "void", "succeeded"],
    ["CANCEL_OR_REFUND", "void", "succeeded"],
    ["REFUND", "refund", "succeeded"],
    ["REFUND_WITH_DATA", "refund", "succeeded"],
    ["REFUND_FAILED", "refund", "failed"],
    ["REFUNDED_REVERSED", "refund", "failed"],
    ["TECHNICAL_CANCEL", "auth", "reversed"],
    ["CHARGEBACK", "sale", "dispute"],
    ["NOTIFICATION_OF_CHARGEBACK", "sale", "dispute"],
    ["PREARBITRATION_LOST", "sale", "dispute"],
  ] as const) {
    const [, sample] = [...samples].find(([name]) => name.startsWith(`post-${code}-`)) ?? [];
    const [item] = sample?.notificationItems ?? [];
    assert.ok(sample && item, code);
    const merchantReference = renderReference({ transactionId: TRANSACTION, reference: EVENT, type });
    // The samples of some are of failures.
    const ours = { NotificationRequestItem: { ...item.NotificationRequestItem, merchantReference, success: "true" } };
    // Most are of the test system, one is not.
    const message = received({ ...sample, live: "false", notificationItems: [ours] });
    const kinds = message.kind === "genuine" && message.notifications.map(({ about, news }) => [about, news.kind]);
    assert.deepEqual(kinds, [[{ transactionId: TRANSACTION, reference: EVENT }, expected]], code);
  }
});

test("a sample that was changed after it was signed is forged", () => {
  for (const [name, sample] of samples) {
    const items = sample.notificationItems.map(({ NotificationRequestItem: item }) => ({
      NotificationRequestItem: { ...signed(item), success: "other" },
    }));
    const body = Buffer.from(JSON.stringify({ ...sample, notificationItems: items }));
    assert.equal(readNotification({ headers: {}, body }, SETTINGS).kind, "forged", name);
  }
});
