// Random courses of transactions at the hosts of both kinds: follow-ups whose answers are lost and whose repeats are refused, what hosts do of
// their own accord, and operators' entries. Which amounts are left is the hosts' to say.

import type { Item } from "../../hosts/adyen/entry.ts";
import type { AdyenHost } from "../../hosts/adyen/host.ts";
import type { Host as StripeHost } from "../../hosts/stripe/host.ts";
import { exponentOf } from "../../src/payment/currency.ts";
import type { Chance } from "../simulation/chance.ts";
import type { Kind } from "./stories.ts";

export interface Hosts {
  readonly adyen: AdyenHost;
  readonly stripe: StripeHost;
}

/** In the hosts' units. */
export interface Left {
  /** Held, and not captured. */
  readonly held: number;
  /** Captured, and not given back. */
  readonly taken: number;
}

/** @param lapsed transactions of which Adyen holds nothing any more beside what is captured */
export function leftAt(kind: Kind, id: string, { adyen, stripe }: Hosts, lapsed: ReadonlySet<string>): Left {
  if (kind === "adyen") {
    const payment = adyen.payment(id);
    if (payment === undefined) return { held: 0, taken: 0 };
    const { value, captured, refunded, cancelled } = payment;
    return { held: cancelled || lapsed.has(id) ? 0 : value - captured, taken: captured - refunded };
  }
  const { state } = stripe.ledger;
  const payments = [...state.payments.values()].filter(({ metadata }) => metadata.faregate_transaction === id);
  return {
    held: payments.reduce((sum, { capturable }) => sum + capturable, 0),
    taken: payments.reduce((sum, payment) => sum + payment.received - state.refunded(payment.id), 0),
  };
}

/** Something that the host does to it, if there is anything to do it to. @returns in words */
export function actOfHost(kind: Kind, id: string, hosts: Hosts, chance: Chance, lapsed: Set<string>): string {
  const { held, taken } = leftAt(kind, id, hosts, lapsed);
  const some = (most: number) => 1 + chance.below(most);
  if (kind === "stripe") {
    const does = chance.pick(["refund", "capture", "cancel", "expire"] as const);
    if (does === "refund" ? taken === 0 : held === 0) return "";
    const amount = does === "refund" ? some(taken) : does === "capture" ? some(held) : undefined;
    try {
      hosts.stripe.byItself(id, does, amount);
      return `host ${does} ${amount ?? ""}`;
    } catch {
      return "";
    }
  }
  return ofAdyen(id, hosts.adyen, { held, taken }, chance, lapsed);
}

let names = 0;

function ofAdyen(id: string, adyen: AdyenHost, { held, taken }: Left, chance: Chance, lapsed: Set<string>): string {
  const payment = adyen.payment(id);
  const told = adyen.items().filter(({ merchantReference }) => merchantReference.startsWith(id));
  const authorized = told.find(({ eventCode }) => eventCode === "AUTHORISATION");
  if (payment === undefined || authorized === undefined || payment.cancelled) return "";
  const { psp, currency } = payment;
  const made = (eventCode: string, value: number): Item => ({
    ...authorized,
    ...{ eventCode, originalReference: psp, pspReference: `AREA${++names}`, amount: { value, currency }, reason: "" },
    merchantReference: chance.happens(0.3) ? "ticket 4711" : payment.reference,
  });
  const some = (most: number) => 1 + chance.below(most);
  const standing = (code: string, failed: string) =>
    adyen
      .items()
      .find(
        (one) =>
          one.eventCode === code &&
          one.success === "true" &&
          (one.originalReference === psp || one.merchantReference.startsWith(id)) &&
          !adyen.items().some((other) => other.eventCode === failed && other.pspReference === one.pspReference),
      );
  const does = chance.pick(["capture", "refund", "expire", "capture fails", "refund fails", "recapture"] as const);
  switch (does) {
    case "capture": {
      if (held === 0) return "";
      const value = some(held);
      void adyen.tell(made("CAPTURE", value), { kind: "capture", payment: psp, value });
      return `host capture ${value}`;
    }
    case "refund": {
      if (taken <= 0) return "";
      const value = some(taken);
      void adyen.tell(made("REFUND", value), { kind: "refund", payment: psp, value });
      return `host refund ${value}`;
    }
    case "expire":
      if (held === 0) return "";
      lapsed.add(id);
      void adyen.tell(made("EXPIRE", payment.value), payment.captured === 0 ? { kind: "cancel", payment: psp } : null);
      return "host expire";
    case "capture fails": {
      const item = standing("CAPTURE", "CAPTURE_FAILED");
      if (item === undefined || item.amount.value > taken) return "";
      const value = -item.amount.value;
      void adyen.tell(
        { ...item, eventCode: "CAPTURE_FAILED", reason: "Capture Failed" },
        { kind: "capture", payment: psp, value },
      );
      return `host capture fails ${value}`;
    }
    case "refund fails": {
      const item = standing("REFUND", "REFUND_FAILED");
      if (item === undefined) return "";
      const value = -item.amount.value;
      void adyen.tell(
        { ...item, eventCode: "REFUND_FAILED", reason: "Refund Failed" },
        { kind: "refund", payment: psp, value },
      );
      return `host refund fails ${value}`;
    }
    case "recapture": {
      const failed = adyen
        .items()
        .find(
          (one) =>
            one.eventCode === "CAPTURE_FAILED" &&
            (one.originalReference === psp || one.merchantReference.startsWith(id)) &&
            !adyen
              .items()
              .some(
                ({ reason, additionalData }) => /recaptured/i.test(reason) && additionalData.of === one.pspReference,
              ),
        );
      if (failed === undefined || failed.amount.value > held) return "";
      const { value } = failed.amount;
      const item = { ...failed, eventCode: "CAPTURE", reason: "Transaction Auto-recaptured" };
      const own =
        failed.merchantReference.startsWith(id) && chance.happens(0.5) ? `AGAIN${++names}` : failed.pspReference;
      void adyen.tell(
        { ...item, pspReference: own, additionalData: { of: failed.pspReference } },
        { kind: "capture", payment: psp, value },
      );
      return `host recapture ${value}${own === failed.pspReference ? "" : " under another name"}`;
    }
  }
}

/** Amounts as hosts count them, and as the API writes them. */
export function amountScaleOf(currency: string) {
  const exponent = exponentOf(currency);
  return {
    render: (units: number): string => (units / 10 ** exponent).toFixed(exponent),
    parse: (amount: string): number => Math.round(Number(amount) * 10 ** exponent),
  };
}
