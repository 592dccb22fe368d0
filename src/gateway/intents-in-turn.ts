// Merchants take fair turns to write intents and to look transactions up, and so do steps of charges that go on: a merchant that floods
// the gateway waits, while others' intents are in the next group. Nothing has been sent for an intent that waits.

import type { Concluded, Conclusion, Journal } from "../journal/journal.ts";
import { fairTurns, type Release, ShareUsedUp, type TurnBounds, type Turns, takeWithin } from "../shares/turns.ts";
import { withoutNext } from "./outcome.ts";

/** A merchant with 64 on their way to disk is as fast as the disk. At some 1,500 a second 1,000 wait for less than a second. */
const INTENTS: TurnBounds = { atOnce: 192, mostOfOne: 64, mostWaiting: 8_000, mostWaitingOfOne: 2_000 };
const LONGEST_WAIT_MS = 10_000;

/**
 * A step has one of payments' eight connections to itself, and may wait there for others with the same card; so does a charge by a payer's consent. As many wait as rows may
 * wait for the disk: for as long as it takes, or until it would be too late to go on, and then the outcome is written alone.
 */
const STEPS: TurnBounds = { atOnce: 6, mostOfOne: 2, mostWaiting: 20_000, mostWaitingOfOne: 20_000 };

/** @throws ShareUsedUp besides, where surely nothing was written */
export function intentsInTurn(journal: Journal, bounds: TurnBounds = INTENTS): Journal {
  const turns = fairTurns(bounds);
  const steps = fairTurns(STEPS);
  const stepInTurn = async (conclusion: Conclusion): Promise<Concluded> => {
    const release = await stepTurn(steps, conclusion);
    if (release === "too-late") {
      const written = await journal.conclude(withoutNext(conclusion));
      return written === "concluded" ? "limit-reached" : written;
    }
    try {
      return await journal.conclude(conclusion);
    } finally {
      release();
    }
  };
  const inTurn = async <T>(merchantId: string, write: () => Promise<T>, among: Turns = turns): Promise<T> => {
    const release = await takeWithin(among, merchantId, LONGEST_WAIT_MS);
    try {
      return await write();
    } finally {
      release();
    }
  };
  return {
    ...journal,
    open: (intent, claim, card) =>
      inTurn(intent.merchantId, () => journal.open(intent, claim, card), intent.byConsent && steps),
    append: (merchantId, ...rest) => inTurn(merchantId, () => journal.append(merchantId, ...rest)),
    conclude: (conclusion) => {
      const { next, learned, uncounted } = conclusion;
      return next || learned || uncounted ? stepInTurn(conclusion) : journal.conclude(conclusion);
    },
    find: (merchantId, transactionId) => inTurn(merchantId, () => journal.find(merchantId, transactionId)),
  };
}

async function stepTurn(steps: Turns, { merchantId, nextWithinMs }: Conclusion): Promise<Release | "too-late"> {
  if (nextWithinMs === undefined) return steps.take(merchantId);
  try {
    return await takeWithin(steps, merchantId, nextWithinMs);
  } catch (fault) {
    if (fault instanceof ShareUsedUp) return "too-late";
    throw fault;
  }
}
