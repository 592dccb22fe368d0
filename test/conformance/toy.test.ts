// The toy kind as a processor: it passes the suite of the contract, and is the one that ends things later.

import { systemClock } from "../../src/clock.ts";
import { amountOf, sum } from "../../src/payment/money.ts";
import type { EventType } from "../../src/payment/transaction.ts";
import { type Conduct, DECLINED_CARD, type Made, startToyHost, type ToyHost } from "../toy/host.ts";
import { toyKind } from "../toy/kind.ts";
import { processorConformance } from "./processor.ts";
import { processorParts } from "./processor-parts.ts";
import { simulatorRecord } from "./simulator-record.ts";
import { type ByItself, type Condition, NO_DISPUTES, SLOW_MS } from "./subject.ts";

const TYPES = ["sale", "auth", "capture", "void", "refund"] as const satisfies readonly EventType[];

const TELLS: Readonly<Record<ByItself, Made>> = {
  expire: "expired",
  cancel: "canceled",
  capture: "captured",
  refund: "refunded",
};
const TELLS_AMOUNT: readonly ByItself[] = ["capture", "refund"];

const CONDITIONS: Readonly<Record<Exclude<Condition, "CAD account">, (host: ToyHost) => unknown>> = {
  answers: () => undefined,
  slow: (host) => {
    host.latencyMs = SLOW_MS;
  },
  "never answers": (host) => {
    host.silent = true;
  },
  "never answers charges": (host) => ["sale", "auth"].map((type) => host.conduct(type, "is silent")),
  "refuses connections": (host) => host.close(),
  accepts: (host) => TYPES.map((type) => host.conduct(type, "accepts")),
  "answers inquiries only": (host) => TYPES.map((type) => host.conduct(type, "is silent")),
};

processorConformance("the toy", async (condition) => {
  if (condition === "CAD account") return { cannot: "it knows nothing of settlement" };
  const host = await startToyHost();
  await CONDITIONS[condition](host);
  const settings = { base_url: host.url, secret: host.secret };
  const processor = toyKind.open({ ...simulatorRecord(settings, "USD"), kind: "toy" }, processorParts());
  return {
    processor,
    clock: systemClock,
    currency: "USD",
    approvedCard: { number: "4111111111111111", cvv: "973" },
    declinedCard: { number: DECLINED_CARD, cvv: "973", code: "05" },
    balance: async (transaction) => balanceOf(host, transaction),
    settle: { cannot: "it knows nothing of settlement" },
    repeats: {
      ways: ["declines repeats", "challenges repeats"],
      lose: (type, first) => host.conduct(type, first === "never came" ? "loses it" : "is silent"),
      breakOff: () => {
        host.breaksOff = true;
      },
      turnAway: (way) => conductAll(host, way as Conduct),
      behave: () => conductAll(host, "approves"),
    },
    disputes: NO_DISPUTES,
    byItself: async (transaction, does) => {
      const { reference, amount } = host.ofTransaction(transaction, does === "refund" ? "sale" : "auth");
      const of = does === "refund" ? 300 : amount;
      return [host.message({ reference, tells: TELLS[does], ...(TELLS_AMOUNT.includes(does) && { amount: of }) })];
    },
    later: {
      accepted: TYPES,
      end: host.end,
      notification: (reference, tells) => host.message({ reference, tells, id: `${tells} ${reference}` }),
    },
    end: async () => {
      await processor.close();
      if (condition !== "refuses connections") await host.close();
    },
  };
});

function conductAll(host: ToyHost, conduct: Conduct): void {
  for (const type of TYPES) host.conduct(type, conduct);
}

function balanceOf(host: ToyHost, transaction: string) {
  const of = (...types: readonly EventType[]) =>
    sum(
      [...host.payments.values()]
        .filter((one) => one.transaction === transaction && one.status === "approved" && !one.reversed)
        .filter(({ type }) => types.some((one) => one === type))
        .map(({ amount }) => amountOf(BigInt(amount))),
    );
  return amountOf(of("sale", "auth") - of("void", "refund"));
}
