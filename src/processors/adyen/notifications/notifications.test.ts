import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { describe, test } from "node:test";
import { inspect } from "node:util";
import hmacValidator from "@adyen/api-library/lib/src/utils/hmacValidator.js";
import type { Item as Signed } from "../../../../hosts/adyen/entry.ts";
import { messageOf } from "../../../../hosts/adyen/webhooks.ts";
import { assertProcessorResponse } from "../../../../test/conformance/processor-response.ts";
import { renderAmount } from "../../../payment/money.ts";
import { renderReference } from "../reference.ts";
import { withDefaults } from "../settings.ts";
import { type Item, standardWebhook } from "./item.ts";
import { newsOf } from "./news-of.ts";
import { readNotification, signatureOf } from "./read-notification.ts";

const KEY = "44782def547aaa06c910c43932b1eb0c71fc68d9d0c057550c48ec2acf6ba056";
const TRANSACTION = "019e2f3a-0000-7000-8000-000000000001";
const EVENT = "019e2f3a-0000-7000-8000-000000000002";
const SETTINGS = withDefaults({ merchant_account: "TestMerchant", api_key: "key", hmac_key: KEY });

const SIGNED: Signed = {
  eventCode: "CAPTURE",
  success: "true",
  pspReference: "QFQTPCQ8HXSKGK82",
  originalReference: "9913140798220028",
  merchantReference: renderReference({ transactionId: TRANSACTION, reference: EVENT, type: "capture" }),
  merchantAccountCode: "TestMerchant",
  amount: { value: 1000, currency: "EUR" },
  eventDate: "2021-01-01T01:00:00+01:00",
  reason: "",
  additionalData: {},
};
const item = (over: Partial<Item> = {}): Item => ({ ...SIGNED, ...over });

/** As it comes, signed. */
const told = (over: Partial<Signed>, key = KEY, basic: string | null = null) =>
  messageOf({ ...SIGNED, ...over }, key, basic);

describe("what an event code means for the event that our reference names", () => {
  for (const [eventCode, success, type, expected] of [
    ["AUTHORISATION", "true", "sale", "succeeded"],
    ["AUTHORISATION", "false", "auth", "failed"],
    ["AUTHORISATION", "true", "capture", "other"],
    ["CAPTURE", "true", "capture", "succeeded"],
    // Neither word: neither a success nor a failure.
    ["CAPTURE", "TRUE", "capture", "other"],
    ["CAPTURE", "", "capture", "other"],
    ["REFUND", "", "refund", "other"],
    ["AUTHORISATION", "null", "sale", "other"],
    ["CANCELLATION", "", "void", "other"],
    ["REFUND", "", "sale", "other"],
    ["CAPTURE", "false", "capture", "failed"],
    // By hand in the Customer Area: it names the payment.
    ["CAPTURE", "true", "auth", "made"],
    ["CAPTURE", "false", "sale", "known"],
    ["CAPTURE_FAILED", "true", "capture", "failed"],
    ["CAPTURE_FAILED", "true", "sale", "failed"],
    ["CAPTURE_FAILED", "true", "auth", "made"],
    ["CANCELLATION", "true", "void", "succeeded"],
    ["CANCELLATION", "false", "void", "failed"],
    ["CANCELLATION", "false", "sale", "known"],
    ["CANCELLATION", "true", "auth", "made"],
    ["EXPIRE", "true", "auth", "made"],
    ["CANCEL_OR_REFUND", "true", "sale", "made"],
    ["REFUND_FAILED", "true", "sale", "made"],
    ["POSTPONED_REFUND", "true", "refund", "known"],
    ["CANCEL_OR_REFUND", "true", "void", "succeeded"],
    ["CANCEL_OR_REFUND", "true", "refund", "other"],
    ["REFUND", "true", "refund", "succeeded"],
    ["REFUND", "false", "refund", "failed"],
    ["REFUND", "true", "sale", "made"],
    ["REFUND_FAILED", "true", "refund", "failed"],
    ["REFUND_FAILED", "true", "void", "failed"],
    ["REFUNDED_REVERSED", "true", "refund", "failed"],
    ["REFUNDED_REVERSED", "true", "void", "failed"],
    ["TECHNICAL_CANCEL", "true", "sale", "reversed"],
    ["TECHNICAL_CANCEL", "true", "auth", "reversed"],
    ["TECHNICAL_CANCEL", "false", "sale", "other"],
    ["TECHNICAL_CANCEL", "true", "capture", "other"],
    ["OFFER_CLOSED", "true", "sale", "reversed"],
    ["OFFER_CLOSED", "true", "auth", "reversed"],
    ["OFFER_CLOSED", "false", "sale", "other"],
    ["OFFER_CLOSED", "true", "refund", "other"],
    ["CHARGEBACK", "true", "sale", "dispute"],
    ["NOTIFICATION_OF_CHARGEBACK", "true", null, "dispute"],
    ["CHARGEBACK", "false", "sale", "chargeback"],
    ["ISSUER_COMMENTS", "true", "sale", "chargeback"],
    ["REPORT_AVAILABLE", "true", null, "other"],
    ["constructor", "true", "sale", "other"],
  ] as const)
    test(`${eventCode} ${success} of ${type ?? "nothing of ours"}: ${expected}`, () => {
      const news = newsOf(item({ eventCode, success }), type);
      assert.equal(news.kind, expected);
      if ("processorResponse" in news) assertProcessorResponse(news.processorResponse);
    });
});

describe("of how much a success tells", () => {
  for (const [eventCode, type, amount, expected] of [
    ["AUTHORISATION", "auth", { value: 1000, currency: "EUR" }, "10.00 EUR"],
    ["CAPTURE", "capture", { value: 1000, currency: "JPY" }, "1000.00 JPY"],
    ["REFUND", "refund", { value: 12340, currency: "KWD" }, "12.34 KWD"],
    ["REFUND_WITH_DATA", "refund", { value: 0, currency: "EUR" }, "0.00 EUR"],
    // What two decimals cannot say was not asked for by us.
    ["REFUND", "refund", { value: 12345, currency: "KWD" }, "other"],
    // The payment's, not the void's.
    ["CANCELLATION", "void", { value: 1000, currency: "EUR" }, "nothing"],
    ["CANCEL_OR_REFUND", "void", { value: 1000, currency: "EUR" }, "nothing"],
  ] as const)
    test(`${eventCode} of ${amount.value} ${amount.currency}: ${expected}`, () => {
      const news = newsOf(item({ eventCode, amount }), type);
      const money = news.kind === "succeeded" ? news.money : undefined;
      const told = news.kind === "succeeded" ? "nothing" : news.kind;
      assert.equal(money ? `${renderAmount(money.amount)} ${money.currency}` : told, expected);
    });
  test("without an amount: nothing", () => {
    const { amount: _, ...without } = item();
    const news = newsOf(without, "capture");
    assert.equal(news.kind === "succeeded" && news.money, undefined);
  });
});

const incoming = (one: object) => {
  const notificationItems = [{ NotificationRequestItem: one }];
  const [first] = standardWebhook(Buffer.from(JSON.stringify({ live: "false", notificationItems })))?.items ?? [];
  assert.ok(first);
  return first;
};

test("the signature is the one that Adyen's own library makes", () => {
  type Oracle = new () => { calculateHmac(data: object, key: string): string };
  const { default: Validator } = hmacValidator as unknown as { readonly default: Oracle };
  for (const one of [item(), item({ merchantReference: "a:b\\c é" }), item({ amount: { value: 0, currency: "JPY" } })])
    assert.equal(signatureOf(incoming({ ...one }), KEY), new Validator().calculateHmac(one, KEY));
});

describe("what is missing or null counts as nothing in the signature", () => {
  /** By the rule in words: the eight fields with colons between, and nothing for what is missing or null. */
  const hmacOf = (one: Readonly<Record<string, unknown>>): string => {
    const { value, currency } = (one.amount ?? {}) as { readonly value?: number; readonly currency?: string };
    const names = ["pspReference", "originalReference", "merchantAccountCode", "merchantReference"];
    const fields = [...names.map((name) => one[name]), value, currency, one.eventCode, one.success];
    const text = fields.map((field) => field ?? "").join(":");
    return createHmac("sha256", Buffer.from(KEY, "hex")).update(text).digest("base64");
  };
  const whole: Record<string, unknown> = { ...item() };
  const without = (...names: readonly string[]) =>
    Object.fromEntries(Object.entries(whole).filter(([name]) => !names.includes(name)));
  const read = (items: readonly Readonly<Record<string, unknown>>[], live: unknown = "false", settings = SETTINGS) => {
    const notificationItems = items.map((one) => {
      const hmacSignature = hmacOf(one);
      return { NotificationRequestItem: { ...one, additionalData: { hmacSignature } } };
    });
    return readNotification({ headers: {}, body: Buffer.from(JSON.stringify({ live, notificationItems })) }, settings);
  };
  for (const [what, one] of [
    ["no merchantReference", without("merchantReference")],
    ["no eventDate", without("eventDate")],
    ["an eventDate that is no time", { ...whole, eventDate: "yesterday" }],
    ["no originalReference", without("originalReference")],
    ["an originalReference that is null", { ...whole, originalReference: null }],
    ["no amount", without("amount")],
    ["an amount that is null", { ...whole, amount: null }],
    ["a reason that is null", { ...whole, reason: null }],
    ["a pspReference alone", { pspReference: "P1", eventCode: "X", success: "true", merchantAccountCode: "A" }],
  ] as const)
    test(`${what}: genuine, alone and in a batch`, () => {
      assert.equal(read([one]).kind, "genuine");
      const batch = read([whole, one, whole]);
      assert.equal(batch.kind === "genuine" && batch.notifications.length, 3);
    });
  test("a live webhook at a test record, or the other way around, is acknowledged and changes nothing", () => {
    const kinds = (live: unknown, settings = SETTINGS) => {
      const received = read([whole], live, settings);
      return received.kind === "genuine" ? received.notifications.map(({ news }) => news.kind).join() : received.kind;
    };
    const atLive = { ...SETTINGS, live_url_prefix: "1797a841fbb37ca7-Company" };
    assert.deepEqual(
      [kinds("false"), kinds("true"), kinds(true), kinds(undefined), kinds("true", atLive), kinds("false", atLive)],
      ["succeeded", "other-mode", "other-mode", "succeeded", "succeeded", "other-mode"],
    );
  });
});

test("a webhook is read to what the gateway is told, and is the same when it comes again", () => {
  const received = readNotification(told({ success: "false", reason: "Insufficient balance" }), SETTINGS);
  assert.ok(received.kind === "genuine");
  assert.equal(received.acknowledgement, "[accepted]");
  const [one] = received.notifications;
  assert.deepEqual(
    { ...one, news: one?.news.kind },
    {
      id: "CAPTURE:QFQTPCQ8HXSKGK82:false",
      occurredAt: new Date("2021-01-01T00:00:00Z"),
      about: { transactionId: TRANSACTION, reference: EVENT },
      news: "failed",
      said: "CAPTURE failed QFQTPCQ8HXSKGK82 Insufficient balance",
    },
  );
  assert.deepEqual(readNotification(told({ success: "false", reason: "Insufficient balance" }), SETTINGS), received);
});

test("a webhook of which one item is not signed by our key is forged as a whole", () => {
  const itemIn = ({ body }: ReturnType<typeof told>) => JSON.parse(body.toString("utf8")).notificationItems[0];
  const [ours, forged] = [itemIn(told({})), itemIn(told({ pspReference: "QFQTPCQ8HXSKGK83" }, "b2".repeat(32)))];
  const kindOf = (...notificationItems: readonly object[]) =>
    readNotification({ headers: {}, body: Buffer.from(JSON.stringify({ live: "false", notificationItems })) }, SETTINGS)
      .kind;
  assert.equal(kindOf(ours, ours), "genuine");
  for (const items of [
    [ours, forged],
    [forged, ours],
  ])
    assert.equal(kindOf(...items), "forged");
});

test("whatever stands where texts belong, what is not signed by our key is forged", () => {
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  for (const odd of ['{"toString":1}', '{"toString":null,"valueOf":null}', deep, "[]", "{}", "true", "1e300"])
    for (const field of ["pspReference", "success", "eventDate", "reason", "amount", "additionalData"]) {
      const body = `{"live":${odd},"notificationItems":[{"NotificationRequestItem":{"${field}":${odd}}}]}`;
      assert.equal(readNotification({ headers: {}, body: Buffer.from(body) }, SETTINGS).kind, "forged", field);
      const inner = body.replace(`"${field}":`, `"amount":{"value":1,"currency":${odd}},"${field}":`);
      assert.equal(readNotification({ headers: {}, body: Buffer.from(inner) }, SETTINGS).kind, "forged", field);
    }
});

test("another merchant account's payment is about nothing of ours, and one made elsewhere is looked for by its name", () => {
  const of = (over: Partial<Signed>) => {
    const received = readNotification(told(over), SETTINGS);
    assert.ok(received.kind === "genuine");
    const [{ about, news } = { about: undefined, news: undefined }] = received.notifications;
    assert.equal(about, null);
    return news?.kind === "made" ? `${news.type} of ${news.payment}` : news?.kind;
  };
  assert.equal(of({ merchantAccountCode: "Another" }), "other");
  assert.equal(of({ merchantAccountCode: "Another", merchantReference: "order 7" }), "other");
  assert.equal(of({ merchantReference: "order 7" }), "capture of 9913140798220028");
  assert.equal(of({ merchantReference: "order 7", success: "false" }), "other");
  assert.equal(of({ merchantReference: "order 7", eventCode: "AUTHORISATION" }), "other");
  assert.equal(of({ merchantReference: "", originalReference: "" }), "other");
});

test("a capture that fails on another day is another message, and the same one however often it comes", () => {
  const id = (over: Partial<Signed>) => {
    const received = readNotification(told({ eventCode: "CAPTURE_FAILED", ...over }), SETTINGS);
    return received.kind === "genuine" ? received.notifications[0]?.id : undefined;
  };
  assert.equal(id({}), id({ reason: "in other words" }));
  assert.notEqual(id({}), id({ eventDate: "2021-01-09T01:00:00+01:00" }));
  const refund = { eventCode: "REFUND_FAILED" };
  assert.equal(id(refund), id({ ...refund, eventDate: "2021-01-09T01:00:00+01:00" }));
});

test("the key before holds as long as it is set, and basic authentication where it is", () => {
  const other = "b2".repeat(32);
  assert.equal(readNotification(told({}, other), SETTINGS).kind, "forged");
  assert.equal(readNotification(told({}, other), { ...SETTINGS, previous_hmac_key: other }).kind, "genuine");
  const secured = { ...SETTINGS, webhook_user: "adyen", webhook_password: "secret" };
  assert.equal(readNotification(told({}, KEY, "adyen:secret"), secured).kind, "genuine");
  for (const wrong of [null, "adyen:Secret", "adyen:", ":secret"])
    assert.equal(readNotification(told({}, KEY, wrong), secured).kind, "forged", `${wrong}`);
});

test("nothing of a card is shown: neither what stands beside the auth code, nor a number in a reason", () => {
  const approved = told({
    eventCode: "AUTHORISATION",
    reason: "031921:1111:12/2030",
    merchantReference: renderReference({ transactionId: TRANSACTION, reference: EVENT, type: "sale" }),
  });
  const received = readNotification(approved, SETTINGS);
  assert.ok(received.kind === "genuine");
  const [one] = received.notifications;
  assert.ok(one?.news.kind === "succeeded");
  assert.equal(one.news.processorResponse.authCode, "031921");
  const stray = readNotification(told({ success: "false", reason: "card 4111111111111111 is wrong" }), SETTINGS);
  for (const seen of [inspect(received, { depth: 9 }), inspect(stray, { depth: 9 })])
    assert.doesNotMatch(seen, /:1111:|4111111111111111/);
});

test("a message larger than any of Adyen's is not parsed", () => {
  const body = Buffer.from(JSON.stringify({ live: "false", notificationItems: [], padding: "[".repeat(262_144) }));
  assert.deepEqual(readNotification({ headers: {}, body }, SETTINGS), {
    kind: "forged",
    why: "it is larger than any webhook of Adyen's",
  });
});
