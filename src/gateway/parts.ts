// What the use cases work with; core.ts puts it together.

import type { Clock } from "../clock.ts";
import type { Journal } from "../journal/journal.ts";
import type { StoredCards } from "../journal/stored-cards.ts";
import type { Event } from "../payment/transaction.ts";
import type { Turns } from "../shares/turns.ts";
import type { Vault } from "../vault/vault.ts";
import type { CardKeyOf } from "./card-keys.ts";
import type { CheckoutTokens } from "./checkout-tokens.ts";
import type { FailingProcessors } from "./failing-processors.ts";
import type { FingerprintOf } from "./fingerprints.ts";
import type { InFlight } from "./in-flight.ts";
import type { KeyedIds } from "./keyed-ids.ts";
import type { Log } from "./log.ts";
import type { ProcessorsAtWork } from "./processors-at-work.ts";
import type { RetryQueue } from "./retry-queue.ts";

export interface Parts {
  readonly journal: Journal;
  readonly processors: ProcessorsAtWork;
  readonly failing: FailingProcessors;
  readonly clock: Clock;
  /** From 0 up to, not including, 1: what decides a transaction's draw among processors. */
  readonly chancesOf: (transactionId: string) => () => number;
  readonly newId: KeyedIds["newId"];
  readonly cardKeyOf: CardKeyOf;
  readonly storedCards: StoredCards;
  readonly checkoutTokens: CheckoutTokens;
  readonly fingerprintOf: FingerprintOf;
  readonly inFlight: InFlight;
  readonly retryQueue: RetryQueue;
  /** Follow-ups of one transaction begin one after the other, those of background work among them. */
  readonly transactionTurns: Turns;
  /** Whether nothing may be begun now: the database may be older than what merchants were told. */
  readonly halted: () => boolean;
  /** Undefined where there is no master key: then no processor that wants card numbers kept can be charged. */
  readonly vault?: Vault | undefined;
  readonly log: Log;
}

/** Of an event, in each line about it: also long after the request that added it. */
export const factsOf = ({ id, requestId }: Pick<Event, "id" | "requestId">) => ({
  event: id,
  ...(requestId !== undefined && { requestId }),
});
