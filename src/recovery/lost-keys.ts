// Idempotency keys of operations that the database had lost. Nobody can tell such a key, but the operation's id ends with its keyed hash
// (gateway/keyed-ids.ts), and processors have the id. Adoption stores that end in the key's place, and a request that is repeated with the
// key finds the adopted operation by it.

import { endIn, hashIn } from "../gateway/keyed-ids.ts";
import type { Journal } from "../journal/journal.ts";
import type { TransactionSql } from "../journal/sql/sql.ts";
import { timeOfId } from "../uuid.ts";
import type { LineageWatch } from "./lineage-watch.ts";

/** No key that is sent has this character. */
const storedAs = (end: string): string => `§${end}`;

interface AdoptedOperation {
  readonly merchantId: string;
  readonly transactionId: string;
  readonly sequence: number;
  /** The one that its request would have made: of a charge the transaction's, of a follow-up the event's. */
  readonly id: string;
}

/** With the operation. It expires when the key itself would have. An id that no request has made is left out: the books lack the right one. */
export async function keepLostKey(
  sql: TransactionSql,
  { merchantId, transactionId, sequence, id }: AdoptedOperation,
): Promise<void> {
  const hash = hashIn(id);
  if (hash === undefined) return;
  await sql`
    insert into idempotency_keys (merchant_id, key, request_hash, transaction_id, sequence, created_at)
    values (${merchantId}, ${storedAs(endIn(id))}, ${hash}, ${transactionId}, ${sequence}, ${new Date(timeOfId(id))})
    on conflict do nothing`;
}

/**
 * The journal that also finds these keys. While none can have been lost, nothing more is asked of the database.
 * @param endOf the end of each id of a request with this key
 */
export function lostKeysIn<J extends Journal>(
  journal: J,
  watch: Pick<LineageWatch, "keysWereLost">,
  endOf: (merchantId: string, key: string) => string,
): J {
  const findLost = (merchantId: string, key: string) =>
    watch.keysWereLost ? journal.findKey(merchantId, storedAs(endOf(merchantId, key))) : undefined;
  return {
    ...journal,
    findKey: async (merchantId, key) => (await journal.findKey(merchantId, key)) ?? (await findLost(merchantId, key)),
    // Follow-ups look for their key before they are decided.
    open: async (intent, claim, card) => {
      if (claim !== null && (await findLost(intent.merchantId, claim.key)) !== undefined) return "key-taken";
      return journal.open(intent, claim, card);
    },
  };
}
