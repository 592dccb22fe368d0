// The journal of a gateway that may be halted: while it is, no intent is written, so nothing new can go out. It also notes what is
// committed, for the day on which the database is another one.

import type { Log } from "../gateway/log.ts";
import { withoutNext } from "../gateway/outcome.ts";
import { type Concluded, type Conclusion, type Journal, JournalUnavailable } from "../journal/journal.ts";
import type { Halted, LineageWatch } from "./lineage-watch.ts";

/** Nothing was written or sent. */
export class GatewayHalted extends JournalUnavailable {
  readonly why: Halted;
  constructor(why: Halted) {
    super("the gateway is halted");
    this.why = why;
  }
}

/**
 * Notes what is committed, and refuses intents while the process is halted.
 * @throws GatewayHalted besides what the journal throws
 */
export function haltedJournal<J extends Journal>(
  journal: J,
  watch: Pick<LineageWatch, "halted" | "mayHaveLost" | "writes">,
  log: Log,
): J {
  const mustRun = (): void => {
    if (watch.halted !== undefined) throw new GatewayHalted(watch.halted);
  };
  /** The outcome of an intent that is gone would stand alone. What the processor did is for the operator then. */
  const isLost = async ({ merchantId, transactionId, sequence, outcome }: Conclusion): Promise<boolean> => {
    const transaction = await journal.find(merchantId, transactionId);
    if (transaction?.events[sequence - 1] !== undefined) return false;
    const reference = "processorResponse" in outcome ? outcome.processorResponse.transactionId : null;
    log.error(
      { merchant: merchantId, transaction: transactionId, outcome: outcome.kind, reference },
      "the database lost this operation: recover it from the processor's books",
    );
    return true;
  };
  const concluded = async (conclusion: Conclusion): Promise<Concluded> => {
    const { next } = conclusion;
    if (watch.mayHaveLost && (await isLost(conclusion))) return "already-concluded";
    if (next === undefined || watch.halted === undefined) {
      const written = await journal.conclude(conclusion);
      if (written !== "taken-over") watch.writes.note(conclusion, true);
      if (next !== undefined && written === "concluded")
        watch.writes.note({ ...conclusion, sequence: next.sequence }, false);
      return written;
    }
    const written = await journal.conclude(withoutNext(conclusion));
    return written === "concluded" ? "limit-reached" : written;
  };
  return {
    ...journal,
    open: async (intent, claim, card) => {
      mustRun();
      const opened = await journal.open(intent, claim, card);
      const [first] = intent.events;
      if (opened !== "key-taken" && first !== undefined)
        watch.writes.note({ merchantId: intent.merchantId, transactionId: intent.id, sequence: first.sequence }, false);
      return opened;
    },
    append: async (merchantId, transactionId, event, claim) => {
      mustRun();
      const appended = await journal.append(merchantId, transactionId, event, claim);
      if (appended === "appended") watch.writes.note({ merchantId, transactionId, sequence: event.sequence }, false);
      return appended;
    },
    conclude: concluded,
  };
}
