// The hosts of processors one can sign up for, each with its books on disk and webhooks to one of the gateways, and what is done to
// them.

import { join } from "node:path";
import type { Rule as AdyenRule } from "../../hosts/adyen/misbehaviour.ts";
import type { Conduct } from "../../hosts/adyen/webhooks.ts";
import type { Rule as StripeRule } from "../../hosts/stripe/misbehaviour.ts";
import type { Booked } from "./accounts.ts";
import { ADYEN_BOOK, adyenBooked } from "./books/adyen.ts";
import { readEntries } from "./books/read-entries.ts";
import { STRIPE_BOOK, stripeBooked, stripeReleasedInVain } from "./books/stripe.ts";
import type { Book } from "./check/evidence.ts";
import { type Kept, keep } from "./children.ts";
import { answers, type Call, callsTo } from "./control.ts";

export const PROVIDERS = ["adyen", "stripe"] as const;
export type Provider = (typeof PROVIDERS)[number];

export interface ProviderHost extends Kept {
  readonly provider: Provider;
  /** Of a record that asks it without a link. */
  readonly settings: ProviderRecord["settings"];
  misbehave(rule: AdyenRule | StripeRule): Promise<void>;
  /** Its webhooks come doubled, late, out of order, or not at all. */
  disturbWebhooks(conduct: Required<Pick<Conduct, "times" | "upToMs" | "lost">>): Promise<void>;
  behave(): Promise<void>;
  /** What it accepted since has its end, and has been told. */
  tellAll(since: Date): Promise<void>;
  booked(): readonly Booked[];
  balance(transaction: string): Promise<bigint>;
  /** What the host gave back of an authorization by a void that failed after all: the journal has it still. */
  releasedInVain(transaction: string): bigint;
  /** Pays all out. @returns what a reconciliation needs: a report as CSV, or a payout's id */
  payOut(): Promise<string>;
}

/** How a record is told to the gateways. */
export interface ProviderRecord {
  readonly kind: Provider;
  readonly settings: Readonly<Record<string, unknown>>;
}

const ROOT = join(import.meta.dirname, "../../hosts");
const HMAC_KEY = "a1".repeat(32);
const STRIPE_KEY = "sk_test_torture0000";
const WEBHOOK_SECRET = "whsec_torture0000";

/** @param port of the link to it */
export const recordOf = (provider: Provider, port: number, timeoutMs: number): ProviderRecord => ({
  kind: provider,
  settings: {
    ...{ timeout_ms: timeoutMs, multiple_captures: true },
    ...(provider === "adyen"
      ? {
          ...{ base_url: `http://127.0.0.1:${port}/v72`, merchant_account: "TestMerchant" },
          ...{ api_key: "test-key", hmac_key: HMAC_KEY },
        }
      : { base_url: `http://127.0.0.1:${port}`, secret_key: STRIPE_KEY, webhook_secret: WEBHOOK_SECRET }),
  },
});

const own = (id: string): string => id;
export const BOOKS: Readonly<Record<Provider, Book>> = {
  adyen: { name: ADYEN_BOOK, referenceOf: own },
  stripe: { name: STRIPE_BOOK, referenceOf: own, voidsByRefund: true },
};

const SECRETS: Readonly<Record<Provider, readonly string[]>> = {
  adyen: ["--hmac-key", HMAC_KEY],
  stripe: ["--secret-key", STRIPE_KEY, "--webhook-secret", WEBHOOK_SECRET],
};

export interface Place {
  readonly folder: string;
  readonly port: number;
  readonly controlPort: number;
  /** Where its webhooks go. */
  readonly webhookUrl: string;
}

export function startProvider(provider: Provider, { folder, port, controlPort, webhookUrl }: Place): ProviderHost {
  const books = join(folder, `${provider}-books`);
  const ports = ["--port", `${port}`, "--control-port", `${controlPort}`];
  const kept = keep({
    args: [
      ...[join(ROOT, provider, "main.ts"), ...ports, "--folder", books, "--webhook-url", webhookUrl],
      ...SECRETS[provider],
    ],
    log: join(folder, `${provider}.log`),
    begin: (child) => answers(child, controlPort),
  });
  const call = callsTo(controlPort);
  const control = provider === "adyen" ? adyenControl(call, books) : stripeControl(call, books);
  return Object.assign(kept, { provider, settings: recordOf(provider, port, 20_000).settings, ...control });
}

type Control = Omit<ProviderHost, keyof Kept | "provider" | "settings">;

const shared = (call: Call) => ({
  misbehave: async (rule: object) => void (await call("POST", "/misbehave", rule)),
  balance: async (transaction: string) => BigInt((await call("GET", `/balance/${transaction}`)).trim()),
});

const adyenControl = (call: Call, books: string): Control => ({
  ...shared(call),
  disturbWebhooks: async (conduct) => void (await call("POST", "/webhooks", conduct)),
  behave: async () => {
    await call("DELETE", "/misbehave");
    await call("POST", "/webhooks", {});
  },
  tellAll: async (since) => void (await call("POST", "/redeliver", { since })),
  releasedInVain: () => 0n,
  booked: () => adyenBooked(readEntries(join(books, "books.log"))),
  payOut: async () => {
    await call("POST", "/settle");
    return call("POST", "/payout");
  },
});

const stripeControl = (call: Call, books: string): Control => ({
  ...shared(call),
  disturbWebhooks: async ({ times, upToMs, lost }) => {
    const rule = (given: object) => call("POST", "/misbehave", { on: ["webhook"], times: 20, ...given });
    await rule({ what: "late", ms: upToMs, chance: 0.5 });
    if (times > 1) await rule({ what: "double" });
    await rule({ what: "lose", chance: lost });
  },
  behave: async () => void (await call("DELETE", "/misbehave")),
  tellAll: async (since) => {
    await call("POST", "/end");
    // A capture or refund of less than half that was answered by a 500 stays pending until its key is forgotten.
    await call("POST", "/forget-errors");
    await call("POST", "/redeliver", { since });
  },
  releasedInVain: (transaction) => stripeReleasedInVain(readEntries(join(books, "stripe-books.log")), transaction),
  booked: () => stripeBooked(readEntries(join(books, "stripe-books.log"))),
  payOut: async () => (await call("POST", "/payout/usd")).trim(),
});
