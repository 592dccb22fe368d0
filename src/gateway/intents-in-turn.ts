// Intents of merchants' requests reach the journal by fair turns of the merchants: whoever sends a flood waits for it, and the
// intents of others are in the next group that is written. Who waits has sent nothing anywhere.

import type { Journal } from "../journal/journal.ts";
import { takeWithin } from "../shares/take-within.ts";
import { fairTurns, type TurnBounds } from "../shares/turns.ts";

/** A merchant with 64 on their way to disk is as fast as the disk. At some 1,500 a second 1,000 wait for less than a second. */
const INTENTS: TurnBounds = { atOnce: 192, mostOfOne: 64, mostWaiting: 8_000, mostWaitingOfOne: 2_000 };
const LONGEST_WAIT_MS = 10_000;

/** @throws ShareUsedUp besides, where surely nothing was written */
export function intentsInTurn(journal: Journal, bounds: TurnBounds = INTENTS): Journal {
  const turns = fairTurns(bounds);
  const inTurn = async <T>(merchantId: string, write: () => Promise<T>): Promise<T> => {
    const release = await takeWithin(turns, merchantId, LONGEST_WAIT_MS);
    try {
      return await write();
    } finally {
      release();
    }
  };
  return {
    ...journal,
    open: (intent, claim, card) => inTurn(intent.merchantId, () => journal.open(intent, claim, card)),
    append: (merchantId, ...rest) => inTurn(merchantId, () => journal.append(merchantId, ...rest)),
    find: (merchantId, transactionId) => inTurn(merchantId, () => journal.find(merchantId, transactionId)),
  };
}
