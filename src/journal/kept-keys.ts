// How long idempotency keys and their answers are kept (decision R13: 30 days), as SQL: for the tables' owner (old-keys.ts), and in the
// function of a role with fewer rights (rights.ts).

export const KEPT_DAYS = 30;
/** Keys that one statement removes. */
export const PORTION = 1_000;

/**
 * Whether an answer (a) is that of its key (k) as it is now. An older version removed keys before their answers, so an answer may be left
 * of what the key was used for a month before. The clocks of nodes differ by less than a day.
 */
export const IS_OWN_ANSWER = "a.created_at > k.created_at - interval '1 day'";

/**
 * Up to which age a key gets an answer that comes late, by its gateway's clock: none is written beside the removal of its key, and none that
 * is left could be taken for the key's next one.
 */
export const ANSWERED_DAYS = KEPT_DAYS - 2;

/** As SQL. */
export interface Old {
  readonly before: string;
  /** Where the tables are distributed, whose they are: Citus locks rows of one merchant only. */
  readonly merchant?: string;
}

/** Old keys, each with its answer: an answer that stayed would be given to whoever uses the key next. */
export function removeOldKeysOf(old: Old): string {
  return `
    with portion as materialized (
      select k.merchant_id, k.key from idempotency_keys k where ${isOld("k", old)} limit ${PORTION} for update skip locked
    ),
    answers as (
      delete from idempotency_answers a using portion p where ${isOf("a", old)} and a.merchant_id = p.merchant_id and a.key = p.key
    )
    delete from idempotency_keys k using portion p where ${isOf("k", old)} and k.merchant_id = p.merchant_id and k.key = p.key`;
}

/** Old answers that an older version left without their keys. */
export function removeLeftAnswersOf(old: Old): string {
  return `
    delete from idempotency_answers where ${isOf("idempotency_answers", old)} and ctid = any(array(
      select a.ctid from idempotency_answers a
      where ${isOld("a", old)} and not exists (
        select from idempotency_keys k
        where ${isOf("k", old)} and k.merchant_id = a.merchant_id and k.key = a.key and ${IS_OWN_ANSWER})
      limit ${PORTION} for update skip locked))`;
}

const isOld = (table: string, old: Old): string => `${isOf(table, old)} and ${table}.created_at < ${old.before}`;
const isOf = (table: string, { merchant }: Old): string =>
  merchant === undefined ? "true" : `${table}.merchant_id = ${merchant}`;
