// The Stripe processor with a host of its own, on loopback, in each condition of the suite.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { disputeBody } from "../../hosts/stripe/answer.ts";
import { disputed } from "../../hosts/stripe/disputes.ts";
import { type Host, startHost } from "../../hosts/stripe/host.ts";
import type { Rule } from "../../hosts/stripe/misbehaviour.ts";
import { KEPT_CUSTOMER, KEPT_METHODS } from "../../hosts/stripe/payment-methods.ts";
import type { Dispute } from "../../hosts/stripe/state.ts";
import { message, signed } from "../../hosts/stripe/webhooks.ts";
import { systemClock } from "../../src/clock.ts";
import type { Brought, IncomingMessage, Processor } from "../../src/processors/processor.ts";
import { ofStripeUnits } from "../../src/processors/stripe/currency.ts";
import { stripeKind } from "../../src/processors/stripe/stripe.ts";
import { startReceiver } from "../receiver.ts";
import { processorParts } from "./processor-parts.ts";
import { simulatorRecord } from "./simulator-record.ts";
import { type ByItself, type Condition, type Open, SLOW_MS } from "./subject.ts";

export const SECRET_KEY = "sk_test_1234567890abcdef";
export const WEBHOOK_SECRET = "whsec_abcdefghijklmnop";

const MOVES_MONEY = ["confirm", "capture", "cancel", "refund"] as const;

const RULES: Readonly<Record<Exclude<Condition, "CAD account" | "refuses connections">, Rule | null>> = {
  answers: null,
  slow: { what: "delay", ms: SLOW_MS },
  "never answers": { what: "drop-after" },
  "never answers charges": { what: "drop-after", on: ["confirm"] },
  accepts: { what: "accept", on: ["confirm", "refund"] },
  "answers inquiries only": { what: "drop-after", on: MOVES_MONEY },
};

/** A host in a folder that is gone with it. */
export async function testHost(): Promise<Host> {
  const folder = await mkdtemp(join(tmpdir(), "stripe-host-"));
  const crash = () => {
    throw new Error("a host in this process does not crash");
  };
  const host = await startHost({ folder, port: 0, secretKey: SECRET_KEY, endpoint: null, crash });
  return {
    ...host,
    stop: async () => {
      await host.stop();
      await rm(folder, { recursive: true });
    },
  };
}

export const stripeSettings = (port: number) => ({
  base_url: `http://127.0.0.1:${port}`,
  secret_key: SECRET_KEY,
  webhook_secret: WEBHOOK_SECRET,
  multiple_captures: true,
});

/** Of a record with these settings. */
export const openStripe = (
  settings: Readonly<Record<string, unknown>>,
  currency = "USD",
  clock = systemClock,
): Processor => stripeKind.open({ ...simulatorRecord(settings, currency), kind: "stripe" }, processorParts(clock));

export const stripeSubject: Open = async (condition) => {
  const currency = "USD";
  if (condition === "CAD account") return { cannot: "Stripe refunds at any time: settlement is not its to judge" };
  const host = await testHost();
  const refuses = condition === "refuses connections";
  if (refuses) await host.stop();
  const processor = openStripe(stripeSettings(host.port), currency);
  // What is tried is not the connecting: short deadlines begin once there are as many connections as questions at once.
  await Promise.all(Array.from({ length: 8 }, () => processor.health(AbortSignal.timeout(20_000))));
  const rule = refuses ? null : RULES[condition];
  if (rule) host.misbehave(rule);
  return {
    processor,
    clock: systemClock,
    currency,
    approvedCard: { number: "4242424242424242", cvv: "973" },
    declinedCard: { number: "4000000000000002", cvv: "973", code: "05" },
    ownTokens: {
      approvedCard: { token: KEPT_METHODS.approved, customer: KEPT_CUSTOMER, lastFour: "4242" },
      declinedCard: { token: KEPT_METHODS.declined, customer: KEPT_CUSTOMER, lastFour: "0002" },
    },
    balance: async (transactionId) => {
      const amount = ofStripeUnits(host.ledger.state.balance(transactionId), currency);
      if (amount === undefined) throw new Error("the books have money that no gateway said so");
      return amount;
    },
    disputes: async (transactionId) => disputesOf(host, transactionId),
    byItself: (transactionId, does) => madeBy(host, transactionId, does),
    settle: { cannot: "settlement is not its to judge" },
    challenging: { card: { number: "4000002760003184", cvv: "973" }, namesPayment: false, choose },
    repeats: {
      ways: ["400", "401", "402", "403", "404", "409", "422", "429", "500", "503"],
      lose: (_, first) =>
        host.misbehave({ what: first === "never came" ? "drop-before" : "drop-after", on: MOVES_MONEY, times: 1 }),
      breakOff: () => host.misbehave({ what: "disconnect-after", on: MOVES_MONEY, times: 1 }),
      turnAway: (status) => host.misbehave({ what: "refuse-repeats", status: Number(status) }),
      behave: () => host.behave(),
    },
    later: {
      accepted: ["sale", "refund"],
      end: host.end,
      notification: (reference, tells) => {
        const { type, object } = host.eventOf(reference, tells);
        return message(type, object, WEBHOOK_SECRET, `evt_${tells}_${reference}`);
      },
    },
    end: async () => {
      await processor.close();
      if (!refuses) await host.stop();
    },
  };
};

/** As a payer's browser at a host's page. */
export async function choose(page: string, choice: "pass" | "fail"): Promise<Brought> {
  const { headers } = await fetch(`${page}/${choice}`, { method: "POST", redirect: "manual" });
  return Object.fromEntries(new URL(headers.get("location") ?? "").searchParams);
}

/** In the dashboard, or by Stripe itself: all that its host tells of it. */
async function madeBy(host: Host, transactionId: string, does: ByItself): Promise<readonly IncomingMessage[]> {
  const receiver = await startReceiver();
  host.webhooks.endpoint = { url: receiver.url, secret: WEBHOOK_SECRET };
  host.byItself(transactionId, does, does === "refund" ? 300 : undefined);
  await host.webhooks.arrived();
  await receiver.close();
  return receiver.received.map(({ body }) => signed(Buffer.from(body), WEBHOOK_SECRET, new Date()));
}

/** A second apart, as a payer's bank is never faster. */
function disputesOf({ ledger }: Host, transactionId: string): readonly IncomingMessage[] {
  const payment = [...ledger.state.payments.values()].find(
    ({ metadata }) => metadata.faregate_transaction === transactionId,
  );
  if (payment === undefined) throw new Error(`the host knows no transaction ${transactionId}`);
  const messages: IncomingMessage[] = [];
  const now = Date.now();
  let dispute: Dispute | undefined;
  for (const [nth, step] of (["open", "respond", "win"] as const).entries()) {
    const at = new Date(now + (nth - 3) * 1_000);
    const next = disputed(payment, dispute, { step }, at);
    dispute = next.dispute;
    for (const { type, as } of next.events)
      messages.push(
        message(type, disputeBody(as, payment.charge?.id ?? ""), WEBHOOK_SECRET, `evt_${messages.length}`, at),
      );
  }
  return messages;
}
