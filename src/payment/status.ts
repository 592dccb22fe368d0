// The status of an event (decision A10) and its batch (A12): functions of what is on record and of the clock, so that no
// job has to rewrite rows at night.

import { createHash } from "node:crypto";
import { balances, type Phase, phaseAt } from "./balances.ts";
import { type Outcome, type SettlementTimes, settlementOf } from "./outcome.ts";
import type { Event, EventType, Transaction } from "./transaction.ts";

export const STATUSES = [
  "authorized",
  "pending_settlement",
  "unsettled",
  "settled",
  "voided",
  "declined",
  "pending",
  "error",
] as const;
export type Status = (typeof STATUSES)[number];

const STATUS_OF_PHASE: Record<Phase, Status> = { open: "pending_settlement", window: "unsettled", settled: "settled" };

/** What an event's status follows from, until something is added: the status itself, or the instants at which its money settles. */
export type Standing = Status | SettlingTimes;
export type SettlingTimes = Pick<SettlementTimes, "cutoffAt" | "visibleAt">;

/** What an event's standing is at an instant. */
export const statusAt = (standing: Standing, now: Date): Status =>
  typeof standing === "string" ? standing : STATUS_OF_PHASE[phaseAt(standing, now)];

/** The statuses of a transaction's events, in their order. */
export const statuses = (transaction: Transaction, now: Date): Status[] =>
  standings(transaction, now).map((standing) => statusAt(standing, now));

/**
 * The standings of a transaction's events, in their order.
 * @param now changes nothing: it is the instant whose balances are looked at
 */
export function standings(transaction: Transaction, now: Date): Standing[] {
  const alone = transaction.events.map(({ type, outcome }) =>
    standingAlone(type, outcome?.kind ?? null, settlementOf(outcome)),
  );
  if (!transaction.events.some(({ type, outcome }) => type === "void" && outcome?.kind === "approved")) return alone;
  const { authorized, voided, captures } = balances(transaction, now, "failed");
  const whollyVoided = new Set(captures.filter((one) => one.voided === one.amount).map(({ sequence }) => sequence));
  return transaction.events.map((event, index) => {
    const gone = event.type === "auth" ? voided === authorized : whollyVoided.has(event.sequence);
    return event.outcome?.kind === "approved" && gone ? "voided" : (alone[index] ?? "pending");
  });
}

/** An event's standing without regard to voids. @param kind of its outcome; null: it has none yet */
export function standingAlone(
  type: EventType,
  kind: Outcome["kind"] | null,
  settlement: SettlingTimes | null,
): Standing {
  switch (kind) {
    case null:
      return "pending";
    case "declined":
    case "already-settled":
    case "action-required":
    case "failed-after-all":
      return "declined";
    case "unanswered":
    case "not-sent":
      return "error";
    case "approved":
      if (type === "auth") return "authorized";
      if (type === "void") return "voided";
      return settlement ?? STATUS_OF_PHASE.open;
  }
}

/**
 * The batch that a processor record's money of one cut-off is in: the same for all of it, on every node, without a look
 * anywhere. A UUID of version 7 whose time is the cut-off and whose rest follows from the record.
 */
export function batchId(processorId: string, { cutoffAt }: SettlementTimes): string {
  const time = cutoffAt.getTime().toString(16).padStart(12, "0");
  const rest = createHash("sha256").update(`${processorId} ${cutoffAt.toISOString()}`).digest("hex");
  const variant = ((Number.parseInt(rest.slice(3, 4), 16) & 0x3) | 0x8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(0, 3)}-${variant}${rest.slice(4, 7)}-${rest.slice(7, 19)}`;
}

/** Null until the event's cut-off has passed. */
export function batchOf({ outcome, processorId }: Event, now: Date): string | null {
  const settlement = settlementOf(outcome);
  return settlement === null || now < settlement.cutoffAt ? null : batchId(processorId, settlement);
}
