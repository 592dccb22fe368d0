// What befalls transactions at the hosts of both kinds: charges, what follows them, and what happens later of the host's own accord.
// Nothing of it is told to the gateway yet.

import type { Item } from "../../hosts/adyen/entry.ts";
import type { AdyenHost } from "../../hosts/adyen/host.ts";
import type { Host as StripeHost } from "../../hosts/stripe/host.ts";
import { until } from "../receiver.ts";

export type Kind = "adyen" | "stripe";

export interface Shop {
  readonly adyen: AdyenHost;
  readonly stripe: StripeHost;
  /** @returns the transaction's id */
  charge(kind: Kind, path: "sale" | "auth", card: string): Promise<string>;
  follow(id: string, path: "capture" | "void" | "refund", amount?: string): Promise<void>;
}

export interface Story {
  readonly kind: Kind;
  readonly name: string;
  /** In how many events it is told depends on the order, its money does not. */
  readonly byMoney?: true;
  /** @returns the transaction's id */
  readonly live: (shop: Shop) => Promise<string>;
}

type Step = readonly ["capture" | "void" | "refund", amount?: string];

const CARDS = { adyen: "4111111111111111", stripe: "4242424242424242" } as const;
/** Its refunds succeed at Stripe, and fail later. */
const REFUNDS_FAIL = "4000000000005126";
/** Its refunds are pending at Stripe, and succeed later. */
const REFUNDS_WAIT = "4000000000007726";
const DECLINED = "4000000000000002";

interface Plot {
  readonly path?: "sale" | "auth";
  readonly card?: string;
  readonly steps?: readonly Step[];
  /** At the host, after them. */
  readonly later?: (shop: Shop, id: string) => Promise<unknown>;
  readonly byMoney?: true;
}

const story = (
  kind: Kind,
  name: string,
  { path = "sale", card = CARDS[kind], steps = [], later, byMoney }: Plot,
): Story => ({
  kind,
  name,
  ...(byMoney && { byMoney }),
  live: async (shop) => {
    const id = await shop.charge(kind, path, card);
    for (const [what, amount] of steps) await shop.follow(id, what, amount);
    await later?.(shop, id);
    return id;
  },
});

type AdyenStep = NonNullable<Parameters<AdyenHost["dispute"]>[1]["step"]>;
type StripeStep = NonNullable<Parameters<StripeHost["dispute"]>[1]["step"]>;

const disputedAtAdyen =
  (amount: number, ...steps: readonly AdyenStep[]) =>
  async ({ adyen }: Shop, id: string): Promise<void> => {
    for (const step of steps) await adyen.dispute(id, { step, amount });
  };

const disputedAtStripe =
  (amount: number, ...steps: readonly StripeStep[]) =>
  async ({ stripe }: Shop, id: string): Promise<void> => {
    for (const step of steps) stripe.dispute(id, { step, amount });
  };

/** The first that succeeded. */
function itemOf(adyen: AdyenHost, eventCode: string, id: string): Item {
  const item = adyen
    .items()
    .find((one) => one.eventCode === eventCode && one.merchantReference.startsWith(id) && one.success === "true");
  if (item === undefined) throw new Error(`the host tells of no ${eventCode} of ${id}`);
  return item;
}

/** Adyen tells that the first of these failed after all. */
const failsAtAdyen =
  (eventCode: string, failed: string) =>
  async ({ adyen }: Shop, id: string): Promise<void> => {
    const item = itemOf(adyen, eventCode, id);
    await adyen.tell({ ...item, eventCode: failed, eventDate: new Date().toISOString(), reason: "Failed after all" });
  };

/** Done in the Customer Area or by Adyen itself: under the payment's reference and a name of its own. */
const madeAtAdyen =
  (eventCode: string, value = 1000) =>
  async ({ adyen }: Shop, id: string): Promise<void> => {
    const payment = itemOf(adyen, "AUTHORISATION", id);
    const pspReference = `${eventCode.slice(0, 4)}${id.slice(-12)}`.toUpperCase();
    const amount = { value, currency: "USD" };
    await adyen.tell({
      ...payment,
      eventCode,
      pspReference,
      originalReference: payment.pspReference,
      amount,
      reason: "",
    });
  };

/** Its first capture fails, and Adyen makes it again. */
const madeAgainAtAdyen = async (shop: Shop, id: string): Promise<void> => {
  await failsAtAdyen("CAPTURE", "CAPTURE_FAILED")(shop, id);
  const item = itemOf(shop.adyen, "CAPTURE", id);
  const pspReference = `AGAIN${id.slice(-11)}`.toUpperCase();
  await shop.adyen.tell({ ...item, pspReference, reason: "Transaction Auto-recaptured" });
};

/** The host's timers have ended them. */
const refundsEndAtStripe = async ({ stripe }: Shop, id: string): Promise<void> => {
  const refunds = () =>
    [...stripe.ledger.state.refunds.values()].filter(({ metadata }) => metadata.faregate_transaction === id);
  const open = (status: string, payment: string) =>
    status === "pending" ||
    (status === "succeeded" && stripe.ledger.state.payments.get(payment)?.charge?.refund === "fails-later");
  await until(`the refunds of ${id} have their end`, () =>
    refunds().every(({ status, payment }) => !open(status, payment)),
  );
};

export const STORIES: readonly Story[] = [
  story("adyen", "a sale", {}),
  story("adyen", "a declined sale", { card: DECLINED }),
  story("adyen", "an auth with captures", {
    path: "auth",
    steps: [
      ["capture", "4.00"],
      ["capture", "3.00"],
    ],
  }),
  story("adyen", "an auth of which a capture fails after all", {
    path: "auth",
    steps: [
      ["capture", "4.00"],
      ["capture", "3.00"],
    ],
    later: failsAtAdyen("CAPTURE", "CAPTURE_FAILED"),
  }),
  story("adyen", "a voided auth", { path: "auth", steps: [["void"]] }),
  story("adyen", "a sale that is refunded in parts", {
    steps: [
      ["refund", "2.00"],
      ["refund", "3.00"],
    ],
  }),
  story("adyen", "a sale of which a refund fails after all", {
    steps: [
      ["refund", "2.00"],
      ["refund", "3.00"],
    ],
    later: failsAtAdyen("REFUND", "REFUND_FAILED"),
  }),
  story("adyen", "a voided sale", { steps: [["void"]] }),
  story("adyen", "a sale whose void fails after all", {
    steps: [["void"]],
    later: failsAtAdyen("CANCEL_OR_REFUND", "REFUND_FAILED"),
  }),
  story("adyen", "a dispute that is won", { later: disputedAtAdyen(1000, "inquire", "open", "respond", "win") }),
  story("adyen", "a refund and a dispute that is lost", {
    steps: [["refund", "2.00"]],
    later: disputedAtAdyen(800, "open", "respond", "win", "lose"),
  }),
  story("adyen", "an auth that expires", { path: "auth", later: madeAtAdyen("EXPIRE") }),
  story("adyen", "an auth of which the rest expires", {
    path: "auth",
    steps: [["capture", "4.00"]],
    later: madeAtAdyen("EXPIRE"),
  }),
  story("adyen", "a sale that is refunded here and in the Customer Area", {
    steps: [["refund", "2.00"]],
    later: madeAtAdyen("REFUND", 300),
  }),
  story("adyen", "a capture that fails and is made again", {
    path: "auth",
    steps: [["capture", "4.00"]],
    later: madeAgainAtAdyen,
    byMoney: true,
  }),
  story("stripe", "a sale", {}),
  story("stripe", "a declined sale", { card: DECLINED }),
  story("stripe", "an auth with captures", {
    path: "auth",
    steps: [
      ["capture", "4.00"],
      ["capture", "6.00"],
    ],
  }),
  story("stripe", "an auth with captures and a refund", {
    path: "auth",
    steps: [
      ["capture", "4.00"],
      ["capture", "3.00"],
      ["refund", "2.50"],
    ],
  }),
  story("stripe", "a voided auth", { path: "auth", steps: [["void"]] }),
  story("stripe", "a voided sale", { steps: [["void"]] }),
  story("stripe", "a sale whose void fails after all", {
    card: REFUNDS_FAIL,
    steps: [["void"]],
    later: refundsEndAtStripe,
  }),
  story("stripe", "a sale whose refunds fail after all", {
    card: REFUNDS_FAIL,
    steps: [
      ["refund", "2.00"],
      ["refund", "3.00"],
    ],
    later: refundsEndAtStripe,
  }),
  story("stripe", "a sale whose refunds end later", {
    card: REFUNDS_WAIT,
    steps: [
      ["refund", "2.00"],
      ["refund", "3.00"],
    ],
    later: refundsEndAtStripe,
  }),
  story("stripe", "a dispute that is won", { later: disputedAtStripe(1000, "inquire", "open", "respond", "win") }),
  story("stripe", "a refund and a dispute that is lost", {
    steps: [["refund", "2.00"]],
    later: disputedAtStripe(800, "open", "respond", "lose"),
  }),
  ...(["expire", "cancel", "capture"] as const).map((does) =>
    story("stripe", `an auth, and ${does} at Stripe`, {
      path: "auth",
      later: async ({ stripe }, id) => stripe.byItself(id, does),
    }),
  ),
  story("stripe", "a sale that is refunded here and in the dashboard", {
    steps: [["refund", "2.00"]],
    later: async ({ stripe }, id) => stripe.byItself(id, "refund", 300),
  }),
];
