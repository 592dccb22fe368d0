// The simulator as a processor: it passes the suite of the contract.

import type { Clock } from "../../src/clock.ts";
import { simulatorKind } from "../../src/processors/simulator/simulator.ts";
import { processorConformance } from "./processor.ts";
import { simulatorRecord } from "./simulator-record.ts";
import { AT_ONCE, type Condition, type LaterCondition, NO_DISPUTES, NOTHING_BY_ITSELF, SLOW_MS } from "./subject.ts";

const SETTINGS: Readonly<Record<Exclude<Condition, LaterCondition>, Readonly<Record<string, unknown>>>> = {
  answers: {},
  slow: { latency_ms: SLOW_MS },
  "never answers": { silent_operations: ["sale", "auth", "capture", "void", "refund", "reversal"] },
  "never answers charges": { silent_operations: ["sale", "auth"] },
  "refuses connections": { refuse_connections: true },
  "CAD account": {},
};

const DAY_MS = 86_400_000;

processorConformance("the simulator", async (condition) => {
  if (condition === "accepts" || condition === "answers inquiries only") return AT_ONCE;
  let now = Date.parse("2030-05-15T12:00:00Z");
  const clock: Clock = { now: () => new Date(now) };
  const currency = condition === "CAD account" ? "CAD" : "USD";
  const processor = simulatorKind.open(simulatorRecord(SETTINGS[condition], currency), { clock });
  return {
    processor,
    clock,
    currency,
    approvedCard: { number: "4111111111111111", cvv: "973" },
    declinedCard: { number: "4000000000000002", cvv: "973", code: "05" },
    balance: { cannot: "the simulator is without state and keeps no books" },
    settle: async () => {
      now += 2 * DAY_MS;
    },
    repeats: { cannot: "it runs in the gateway's own process: nothing lies on the way" },
    later: AT_ONCE,
    disputes: NO_DISPUTES,
    byItself: NOTHING_BY_ITSELF,
    challenging: {
      card: { number: "4000000000003220", cvv: "973" },
      namesPayment: false,
      choose: async (_, result) => ({ result }),
    },
    end: () => processor.close(),
  };
});
