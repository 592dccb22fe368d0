// What is stored of a response for its idempotency key: its bytes or, for a follow-up's long response, the moment that it shows. The
// transaction is in the journal, and the same moment renders the same bytes.

import type { KeptResponse, KeyedResponse, StoredResponse } from "../journal/journal.ts";
import type { Terms } from "../payment/actions.ts";
import { type Event, isCharge, newestOf, type Transaction } from "../payment/transaction.ts";
import type { Parts } from "./parts.ts";
import { type End, endKindOf, type Render } from "./result.ts";

/**
 * Bytes. A follow-up with a key is sent in 400 or more, so what is kept of its answer is some twenty times that at most. A
 * charge's answer says little more than its request did, so it is kept whole.
 */
const LONGEST_WHOLE = 8_192;

/** All that the rendering of a transaction depends on beside its rows. As JSON in the database. */
interface Moment {
  readonly at: string;
  readonly events: number;
  /** Sequences of those that had no outcome then. */
  readonly open: readonly number[];
  /** Of those that had failed after all by then; absent on answers from before there were any. */
  readonly failedAfterAll?: readonly number[];
  readonly terms: Terms;
}

export interface Rendered {
  readonly response: StoredResponse;
  readonly kept: KeptResponse;
}

/** The answer to be sent now, and what is to be kept of it. */
export function rendered({ clock }: Parts, end: End, render: Render): Rendered {
  const at = clock.now();
  const response = render(end, at);
  const long = Buffer.byteLength(response.body) > LONGEST_WHOLE;
  if (!long || isCharge(newestOf(end.transaction))) return { response, kept: response };
  return { response, kept: { status: response.status, moment: JSON.stringify(momentOf(end, at)) } };
}

const momentOf = ({ transaction: { events }, terms }: End, at: Date): Moment => ({
  at: at.toISOString(),
  events: events.length,
  open: events.filter(({ outcome }) => outcome === null).map(({ sequence }) => sequence),
  failedAfterAll: events.filter(({ outcome }) => outcome?.kind === "failed-after-all").map(({ sequence }) => sequence),
  terms,
});

export const keyed = (claim: { readonly key: string } | null, { kept }: Rendered): KeyedResponse | null =>
  claim && { key: claim.key, ...kept };

/** The answer as it was sent. */
export async function restored(
  parts: Parts,
  { merchantId, transactionId }: { readonly merchantId: string; readonly transactionId: string },
  kept: KeptResponse,
  render: Render,
): Promise<StoredResponse> {
  if ("body" in kept) return kept;
  const transaction = await parts.journal.find(merchantId, transactionId);
  if (transaction === undefined) throw new Error("broken journal: an answer without its transaction");
  const moment: Moment = JSON.parse(kept.moment);
  const then = asItWas(transaction, moment);
  return render({ transaction: then, kind: endKindOf(then), terms: moment.terms }, new Date(moment.at));
}

function asItWas(transaction: Transaction, { events, open, failedAfterAll = [] }: Moment): Transaction {
  const then = (event: Event): Event => {
    const { sequence, outcome } = event;
    if (open.includes(sequence)) return { ...event, outcome: null };
    const later = outcome?.kind === "failed-after-all" && !failedAfterAll.includes(sequence);
    return later ? { ...event, outcome: outcome.approval } : event;
  };
  const [first, ...rest] = transaction.events;
  return { ...transaction, events: [then(first), ...rest.slice(0, events - 1).map(then)] };
}
