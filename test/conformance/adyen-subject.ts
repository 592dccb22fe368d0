// The kind for Adyen with a host of its own, on loopback, in each condition of the suite. What Adyen only receives has its end by the
// webhook that the host would send.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KEPT_CARDS, KEPT_SHOPPER } from "../../hosts/adyen/decide.ts";
import type { Item } from "../../hosts/adyen/entry.ts";
import { type AdyenHost, type HostOptions, startAdyenHost } from "../../hosts/adyen/host.ts";
import type { Rule } from "../../hosts/adyen/misbehaviour.ts";
import { messageOf } from "../../hosts/adyen/webhooks.ts";
import { type Clock, systemClock } from "../../src/clock.ts";
import { ofMinorUnits } from "../../src/payment/currency.ts";
import { adyenKind } from "../../src/processors/adyen/adyen.ts";
import { parseReference, renderReference } from "../../src/processors/adyen/reference.ts";
import type { IncomingMessage } from "../../src/processors/processor.ts";
import { againstOpenApi } from "./adyen-openapi.ts";
import { processorParts } from "./processor-parts.ts";
import { simulatorRecord } from "./simulator-record.ts";
import { choose } from "./stripe-subject.ts";
import { type ByItself, type Cannot, type Condition, type Open, SLOW_MS } from "./subject.ts";

export const HMAC_KEY = "a1".repeat(32);
export const ACCOUNT = { merchant_account: "TestMerchant", api_key: "test-key", hmac_key: HMAC_KEY };

const RULES: Readonly<Partial<Record<Condition, Rule>>> = {
  slow: { what: "delay", ms: SLOW_MS },
  "never answers": { what: "silent-before" },
  "never answers charges": { what: "silent-after", on: ["payments"] },
};

const CANNOT: Readonly<Partial<Record<Condition, string>>> = {
  accepts: "it cannot be inquired of",
  "answers inquiries only": "it cannot be inquired of",
  "CAD account": "a void of settled money is a refund there",
};

/** A host in a folder that is gone with it. Each request to it is held against Adyen's own document. */
export async function testAdyenHost(
  options: Partial<HostOptions> = {},
): Promise<AdyenHost & { readonly folder: string }> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), "adyen-")));
  const { merchant_account: merchantAccount, api_key: apiKey, hmac_key: hmacKey } = ACCOUNT;
  const crash = () => {
    throw new Error("a host in this process does not crash");
  };
  const host = await startAdyenHost({
    folder,
    port: 0,
    merchantAccount,
    apiKey,
    hmacKey,
    crash,
    seen: againstOpenApi,
    ...options,
  });
  const stop = host.stop.bind(host);
  return Object.assign(host, {
    folder,
    stop: async () => {
      await stop();
      if (options.folder === undefined) await rm(folder, { recursive: true });
    },
  });
}

export const openAdyen = (settings: Readonly<Record<string, unknown>>, currency = "USD", clock: Clock = systemClock) =>
  adyenKind.open({ ...simulatorRecord(settings, currency), kind: "adyen" }, processorParts(clock));

export const adyenSubject =
  (settings: Readonly<Record<string, unknown>>): Open =>
  async (condition) => {
    const why = CANNOT[condition];
    if (why !== undefined) return { cannot: why };
    const host = await testAdyenHost();
    const refuses = condition === "refuses connections";
    if (refuses) await host.stop();
    const processor = openAdyen({ ...ACCOUNT, base_url: host.baseUrl, ...settings });
    // What is tried is not the connecting: short deadlines begin once there are as many connections as questions at once.
    await Promise.all(Array.from({ length: 8 }, () => processor.health(AbortSignal.timeout(20_000))));
    const rule = RULES[condition];
    if (rule) host.misbehave(rule);
    const reversalOfNothing: Cannot = {
      cannot: "Adyen reports such a cancellation as failed, and an operator has to look",
    };
    return {
      processor,
      clock: systemClock,
      currency: "USD",
      approvedCard: { number: "4111111111111111", cvv: "973" },
      declinedCard: { number: "4000000000000002", cvv: "973", code: "02" },
      ownTokens: {
        approvedCard: { token: KEPT_CARDS.approved, customer: KEPT_SHOPPER, lastFour: "1111" },
        declinedCard: { token: KEPT_CARDS.declined, customer: KEPT_SHOPPER, lastFour: "0002" },
      },
      balance: async (transactionId) => {
        const amount = ofMinorUnits(BigInt(host.balance(transactionId)), "USD");
        if (amount === undefined) throw new Error("the books have no such amount");
        return amount;
      },
      settle: { cannot: "a void of settled money is a refund there" },
      challenging: { card: { number: "4000000000003220", cvv: "973" }, namesPayment: true, choose },
      repeats: {
        ways: ["400", "401", "403", "404", "409", "422", "500"],
        lose: (_, first) =>
          host.misbehave({ what: first === "never came" ? "silent-before" : "silent-after", times: 1 }),
        breakOff: () => host.misbehave({ what: "disconnect-after", times: 1 }),
        turnAway: (status) => host.misbehave({ what: "refuse-repeats", status: Number(status) }),
        behave: () => host.behave(),
      },
      later: {
        accepted: ["capture", "void", "refund"],
        end: () => undefined,
        notification: (reference, tells) => messageOf(itemAbout(host, reference, tells), HMAC_KEY),
        forgeries,
      },
      disputes: async (transactionId) => {
        const messages: IncomingMessage[] = [];
        for (const step of ["open", "respond", "win"] as const)
          for (const item of await host.dispute(transactionId, { step })) messages.push(messageOf(item, HMAC_KEY));
        return messages;
      },
      byItself: async (transactionId, does) => [messageOf(madeItem(host, transactionId, does), HMAC_KEY)],
      sent: async (reference, of) => messageOf(sentItem(host, reference, of), HMAC_KEY),
      reversalOfNothing,
      end: async () => {
        await processor.close();
        if (!refuses) await host.stop();
      },
    };
  };

const EVENT_CODES: Readonly<Record<ByItself, string>> = {
  expire: "EXPIRE",
  cancel: "CANCEL_OR_REFUND",
  capture: "CAPTURE",
  refund: "REFUND",
};
let made = 0;

/** In the Customer Area or by Adyen itself: under the payment's reference and a name of its own. */
function madeItem(host: AdyenHost, transactionId: string, does: ByItself): Item {
  const payment = host.items().find((one) => one.merchantReference.startsWith(transactionId));
  if (payment === undefined) throw new Error(`the host has nothing to tell of ${transactionId}`);
  const [eventCode, pspReference] = [EVENT_CODES[does], `AREA${++made}`];
  const amount = does === "refund" ? { value: 300, currency: "USD" } : payment.amount;
  return { ...payment, eventCode, pspReference, originalReference: payment.pspReference, amount, reason: "" };
}

function sentItem(host: AdyenHost, reference: string, of: "question" | "reversal"): Item {
  const found = host
    .items()
    .find(
      ({ merchantReference, eventCode }) =>
        parseReference(merchantReference)?.reference === reference &&
        (eventCode === "TECHNICAL_CANCEL") === (of === "reversal"),
    );
  if (found === undefined) throw new Error(`the host has nothing to tell of ${reference}`);
  return found;
}

/** Of something that was asked, or else of a sale that was not. */
function itemAbout(host: AdyenHost, reference: string, tells: "approved" | "declined"): Item {
  const asked = host
    .items()
    .find(({ merchantReference }) => parseReference(merchantReference)?.reference === reference);
  const success = tells === "approved" ? "true" : "false";
  if (asked) return { ...asked, success, reason: tells === "approved" ? asked.reason : "Refused" };
  return {
    eventCode: "AUTHORISATION",
    success,
    pspReference: "H000000000000000",
    merchantReference: renderReference({ transactionId: reference, reference, type: "sale" }),
    merchantAccountCode: ACCOUNT.merchant_account,
    amount: { value: 1000, currency: "USD" },
    eventDate: "2030-05-15T12:00:00+02:00",
    reason: "",
    additionalData: {},
  };
}

/** Each of the eight signed fields with another value, the signature with one, and none of it. */
function forgeries({ headers, body }: IncomingMessage): readonly IncomingMessage[] {
  const text = body.toString();
  const other = (change: (item: Readonly<Record<string, unknown>>) => object): IncomingMessage => {
    const json = JSON.parse(text);
    const [wrapper] = json.notificationItems;
    wrapper.NotificationRequestItem = {
      ...wrapper.NotificationRequestItem,
      ...change(wrapper.NotificationRequestItem),
    };
    return { headers, body: Buffer.from(JSON.stringify(json)) };
  };
  const fields = ["pspReference", "originalReference", "merchantAccountCode", "merchantReference", "eventCode"];
  return [
    ...fields.map((field) => other((item) => ({ [field]: `${item[field] ?? ""}x` }))),
    other(({ success }) => ({ success: success === "true" ? "false" : "true" })),
    other(() => ({ amount: { value: 1001, currency: "USD" } })),
    other(() => ({ amount: { value: 1000, currency: "EUR" } })),
    other(() => ({ additionalData: { hmacSignature: "x" } })),
    other(() => ({ additionalData: {} })),
    { headers, body: body.subarray(0, -1) },
    { headers, body: Buffer.from('{"live":"false","notificationItems":[]}') },
  ];
}
