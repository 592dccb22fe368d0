// Idempotency keys (decision R13): a key stands for one request of a merchant, and its first response is replayed. A
// request that is refused before its intent was written leaves no trace, so its key is not used up.

import type { KeptResponse, KeyClaim, StoredKey } from "../journal/journal.ts";
import { operationFrom, throughOperation } from "../payment/as-of.ts";
import { refuse } from "../payment/refusal.ts";
import { chargeOf } from "../payment/transaction.ts";
import { rendered, restored } from "./kept-response.ts";
import { isHashOf } from "./keyed-ids.ts";
import type { Parts } from "./parts.ts";
import { endOf, type Render, type Result } from "./result.ts";

export interface Keys {
  /** Runs the work, unless a request with this key is in flight in this process. */
  once(merchantId: string, claim: KeyClaim | null, work: () => Promise<Result>): Promise<Result>;
}

/** The keys that requests of this process hold while they are worked on. */
export function idempotencyKeys(): Keys {
  const running = new Set<string>();
  const alone = async (name: string, work: () => Promise<Result>): Promise<Result> => {
    if (running.has(name)) return refuse("key-in-use");
    running.add(name);
    try {
      return await work();
    } finally {
      running.delete(name);
    }
  };
  return {
    once: (merchantId, claim, work) => (claim === null ? work() : alone(`${merchantId} ${claim.key}`, work)),
  };
}

/** What an earlier request with this key was answered; undefined if there was none. */
export async function replay(
  parts: Parts,
  merchantId: string,
  claim: KeyClaim | null,
  render: Render,
): Promise<Result | undefined> {
  if (claim === null) return undefined;
  const stored = await parts.journal.findKey(merchantId, claim.key);
  if (stored === undefined) return undefined;
  if (!isHashOf(stored.requestHash, claim.requestHash)) return refuse("key-of-another-request");
  if (stored.response !== null) return replayed(parts, merchantId, stored, stored.response, render);
  return respondLate(parts, merchantId, stored, render);
}

/** The first request ended without an answer (its gateway died): the answer follows from what became of its event. */
async function respondLate(parts: Parts, merchantId: string, stored: StoredKey, render: Render): Promise<Result> {
  const transaction = await parts.journal.find(merchantId, stored.transactionId);
  if (transaction === undefined) throw new Error("broken journal: a key without its transaction");
  if (operationFrom(transaction, stored.sequence).some(({ outcome }) => outcome === null)) return refuse("key-in-use");
  const ended = throughOperation(transaction, stored.sequence);
  const atWork = await parts.processors.find(merchantId, chargeOf(ended).processorId);
  const { kept } = rendered(parts, endOf(ended, atWork), render);
  return replayed(
    parts,
    merchantId,
    stored,
    await parts.journal.storeResponse(merchantId, { key: stored.key, ...kept }),
    render,
  );
}

async function replayed(
  parts: Parts,
  merchantId: string,
  { transactionId }: StoredKey,
  kept: KeptResponse,
  render: Render,
): Promise<Result> {
  return {
    kind: "responded",
    response: await restored(parts, { merchantId, transactionId }, kept, render),
    replayed: true,
  };
}
