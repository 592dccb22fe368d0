// What follows from an answer while nobody knows what became of the first sending of a question: its connection broke, its answer was
// lost or garbage, or the gateway died. Only evidence about that sending ends it. Pure.

import { type EventType, isChargeType } from "./transaction.ts";

/**
 * - `first`: the question was never sent before
 * - `repeat`: it was sent before, perhaps; also the first question of a node that found the intent of a dead one
 * - `inquiry`: what became of it
 */
export type Asked = "first" | "repeat" | "inquiry";

/** What came back, as far as it matters here. */
export type Said =
  | { readonly kind: "approved" | "pending" | "action-required" | "undecided" | "unanswered" | "not-sent" | "unknown" }
  | { readonly kind: "declined"; readonly isFirstAnswer?: true };

/**
 * - `ends`: this is how it ended. For a charge that the payer would have to authenticate: it is given up, and taken back
 * - `waits`: the processor has accepted it, and its end comes later
 * - `in-doubt`: nothing is known of the first sending that was not known before
 */
export type Follows = "ends" | "waits" | "in-doubt";

/**
 * A processor does a question once, so a repeat that is approved tells that the first sending was approved, or never came. A decline tells
 * nothing of the kind: the repeat may have been turned away by something between, or because the first sending was carried out.
 */
export function followsFrom(asked: Asked, type: EventType, said: Said): Follows {
  switch (said.kind) {
    case "approved":
      return "ends";
    case "pending":
      return "waits";
    case "declined":
      return asked === "repeat" && said.isFirstAnswer !== true ? "in-doubt" : "ends";
    case "action-required":
      return asked === "repeat" && !isChargeType(type) ? "in-doubt" : "ends";
    case "not-sent":
      return asked === "first" ? "ends" : "in-doubt";
    case "undecided":
    case "unanswered":
    case "unknown":
      return "in-doubt";
  }
}
