// When a failed webhook is sent again, and when it is given up. Pure.

import type { Reply } from "./send.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Standard Webhooks 1.0, "Retry schedule": 76 hours in all, so that a weekend passes. */
export const PAUSES_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;

/** A pause is up to this part longer: those that failed together do not all come back together. */
const JITTER = 0.1;
/** However long a receiver asks for. */
const LONGEST_PAUSE_MS = 24 * HOUR;

export type Sequel =
  | { readonly kind: "delivered" }
  | { readonly kind: "again"; readonly pauseMs: number }
  /** The endpoint is disabled for this reason. */
  | { readonly kind: "over"; readonly reason: string };

/**
 * @param attempts how many there were, with the one that this is the reply to
 * @param chance from 0 up to, not including, 1
 */
export function sequelOf(reply: Reply, attempts: number, chance: number): Sequel {
  if (reply.kind === "answered") {
    if (reply.status >= 200 && reply.status < 300) return { kind: "delivered" };
    if (reply.status === 410) return { kind: "over", reason: "It answered 410 (gone)." };
  }
  const pause = PAUSES_MS[attempts - 1];
  if (pause === undefined)
    return {
      kind: "over",
      reason: `It failed ${attempts} times over three days, the last time with: ${toldOf(reply)}.`,
    };
  const asked = reply.kind === "answered" && (reply.status === 429 || reply.status === 503) ? reply.retryAfterMs : 0;
  return { kind: "again", pauseMs: Math.max(pause * (1 + JITTER * chance), Math.min(asked, LONGEST_PAUSE_MS)) };
}

/** What came of an attempt, for the operator: a status, or why there is none. */
export const toldOf = (reply: Reply): string => (reply.kind === "answered" ? String(reply.status) : reply.why);
