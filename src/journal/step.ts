// Conclusions that need a database transaction of their own: of an operation with a next step, of one that was not sent, of the first charge
// of a card on file, and of one that a payer's consent no longer counts. They are rare, so they are not written in groups.

import type { Event } from "../payment/transaction.ts";
import { appending } from "./appending.ts";
import { mayBeTried } from "./charged-cards.ts";
import { concludeIn } from "./concluding.ts";
import { bodyOf, momentOf } from "./conclusion-rows.ts";
import { uncounting } from "./consent-charges.ts";
import type { Sql } from "./database.ts";
import type { Concluded, Conclusion, EventPlace, KeyedResponse } from "./journal.ts";
import { holdOffTakeover } from "./nodes.ts";
import { appendIn } from "./one-merchant/append.ts";
import { concludeOfOne } from "./one-merchant/conclude.ts";
import { learnNetworkTransactionId } from "./stored-cards.ts";

/** Such a node counts as dead by then (nodes.ts), and other writes wait for twice as long. */
const STOPPED_AFTER_MS = 5_000;

export async function concludeStep(
  pool: Sql,
  node: number,
  { next, limits, learned, uncounted, ...conclusion }: Conclusion,
  distributed = false,
): Promise<Concluded> {
  return pool.begin(async (transaction): Promise<Concluded> => {
    const sql = transaction as unknown as Sql;
    // A node that stops between two statements would hold the first row of a batch, for which every other outcome in it waits.
    await sql.unsafe(`set local idle_in_transaction_session_timeout = ${STOPPED_AFTER_MS}`, []);
    if (conclusion.outcome.kind === "not-sent" && !(await isOurs(sql, node, conclusion)))
      return (await hasOutcome(sql, conclusion)) ? "already-concluded" : "taken-over";
    const { keyedResponse, ...rest } = conclusion;
    const step = { ...rest, keyedResponse: next === undefined ? keyedResponse : null };
    const [concluded] = await (distributed ? concludeOfOne(sql, [step]) : concludeIn(sql, [step]));
    if (concluded === "concluded" && learned) await learnNetworkTransactionId(sql, conclusion.merchantId, learned);
    if (concluded === "concluded" && uncounted && next === undefined)
      await uncounting(sql, conclusion.merchantId, conclusion.transactionId);
    if (concluded !== "concluded" || next === undefined) return concluded ?? "already-concluded";
    const { merchantId, transactionId, outcome } = conclusion;
    const within = limits === undefined || (await mayBeTried(sql, merchantId, transactionId, limits, outcome.at));
    const following = [{ merchantId, transactionId, event: next, claim: null }];
    const append = () => (distributed ? appendIn(sql, node, following) : appending(node).statement(sql, following));
    const [appended] = within ? await append() : [];
    if (appended === "appended") return "concluded";
    if (uncounted) await uncounting(sql, merchantId, transactionId);
    if (keyedResponse !== null) await storeResponse(sql, conclusion, keyedResponse);
    return within ? "conflict" : "limit-reached";
  }) as Promise<Concluded>;
}

/** An event that has its outcome as it is added: both or neither. */
export function appendEnded(
  pool: Sql,
  node: number,
  event: Event,
  conclusion: Conclusion,
  distributed = false,
): Promise<"appended" | "conflict"> {
  const { merchantId, transactionId } = conclusion;
  return pool.begin(async (transaction): Promise<"appended" | "conflict"> => {
    const sql = transaction as unknown as Sql;
    await sql.unsafe(`set local idle_in_transaction_session_timeout = ${STOPPED_AFTER_MS}`, []);
    const rows = [{ merchantId, transactionId, event, claim: null }];
    const [appended] = await (distributed ? appendIn(sql, node, rows) : appending(node).statement(sql, rows));
    if (appended !== "appended") return "conflict";
    await (distributed ? concludeOfOne(sql, [conclusion]) : concludeIn(sql, [conclusion]));
    return "appended";
  });
}

/** There is no next step that would give another. */
async function storeResponse(sql: Sql, { merchantId, outcome }: Conclusion, response: KeyedResponse): Promise<void> {
  await sql`
    insert into idempotency_answers (merchant_id, key, status, body, moment, created_at)
    values (${merchantId}, ${response.key}, ${response.status}, ${bodyOf(response)}, ${momentOf(response)}, ${outcome.at})
    on conflict do nothing`;
}

/** Whether nobody took this event over. A node that was dead for long has no row until its next heartbeat. */
async function isOurs(sql: Sql, node: number, { merchantId, transactionId, sequence }: EventPlace): Promise<boolean> {
  await holdOffTakeover(sql, node);
  const alive = await sql`select id from nodes where id = ${node}`;
  if (alive.length === 0) return false;
  const taken = await sql`
    select 1 from unresolved
    where merchant_id = ${merchantId} and transaction_id = ${transactionId} and sequence = ${sequence}`;
  return taken.length === 0;
}

async function hasOutcome(sql: Sql, { merchantId, transactionId, sequence }: EventPlace): Promise<boolean> {
  const found = await sql`
    select 1 from outcomes
    where merchant_id = ${merchantId} and transaction_id = ${transactionId} and sequence = ${sequence}`;
  return found.length > 0;
}
