// The status of a whole transaction in one word, and how its money divides, both from its events; pure.

import type { Event, Transaction } from "../../../packages/client/src/openapi.ts";
import { hundredthsOf } from "./money.ts";

/** In hundredths. Together `refunded`, `voided`, `kept` and `open` are what was authorized. */
export interface Division {
  readonly authorized: number;
  readonly captured: number;
  readonly refunded: number;
  readonly voided: number;
  /** Captured, and neither voided nor refunded. */
  readonly kept: number;
  /** Authorized, and neither captured nor voided. */
  readonly open: number;
}

export function divisionOf(events: readonly Event[]): Division {
  const of = (...types: readonly Event["event_type"][]) =>
    events
      .filter(({ event_type, success }) => success && types.includes(event_type))
      .reduce((sum, { amount }) => sum + hundredthsOf(amount), 0);
  return divided(of("sale", "auth"), of("sale", "capture"), of("void"), of("refund"));
}

/** A void takes what is not captured first. */
export function divided(authorized: number, captured: number, voided: number, refunded: number): Division {
  const uncaptured = Math.max(0, authorized - captured);
  const voidedOpen = Math.min(voided, uncaptured);
  return {
    authorized,
    captured,
    refunded,
    voided,
    kept: Math.max(0, captured - refunded - (voided - voidedOpen)),
    open: uncaptured - voidedOpen,
  };
}

export type Tone = "good" | "wait" | "info" | "bad" | "plain";

export interface StatusLabel {
  readonly word: string;
  readonly tone: Tone;
}

const CAPTURED: Readonly<Partial<Record<Event["status"], StatusLabel>>> = {
  pending_settlement: { word: "Captured", tone: "info" },
  unsettled: { word: "Settling", tone: "wait" },
  settled: { word: "Settled", tone: "good" },
};

export function statusOfTransaction({ events }: Pick<Transaction, "events">): StatusLabel {
  if (events.some(({ status }) => status === "pending")) return { word: "In doubt", tone: "wait" };
  const charge = chargeOf(events);
  if (charge?.success !== true) return { word: charge?.status === "error" ? "No answer" : "Declined", tone: "bad" };
  const { captured, refunded, kept, open, voided } = divisionOf(events);
  if (kept === 0 && open === 0 && refunded === 0) return { word: "Voided", tone: "plain" };
  if (refunded > 0) return { word: kept === 0 && open === 0 ? "Refunded" : "Partly refunded", tone: "plain" };
  if (captured === 0) return { word: voided > 0 ? "Partly voided" : "Authorized", tone: "info" };
  const last = events.find(({ event_type, success }) => success && ["sale", "capture"].includes(event_type));
  return CAPTURED[last?.status ?? "pending_settlement"] ?? { word: "Captured", tone: "info" };
}

/** The oldest event: events come newest first. */
export const chargeOf = (events: readonly Event[]): Event | undefined =>
  events.findLast(({ event_type }) => event_type === "sale" || event_type === "auth");

/** Of events. */
export const STATUSES: Readonly<Record<Event["status"], StatusLabel>> = {
  authorized: { word: "Authorized", tone: "info" },
  pending_settlement: { word: "Before cut-off", tone: "info" },
  unsettled: { word: "Settling", tone: "wait" },
  settled: { word: "Settled", tone: "good" },
  voided: { word: "Voided", tone: "plain" },
  declined: { word: "Declined", tone: "bad" },
  pending: { word: "In doubt", tone: "wait" },
  error: { word: "No answer", tone: "bad" },
};

/** Of one event. */
export const statusOfEvent = ({ status }: Event): StatusLabel => STATUSES[status];
