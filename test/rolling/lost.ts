// Whether everything that was acknowledged is there after an update, asked of every gateway and counted in the database.

import type { Sql } from "../../src/journal/database.ts";
import type { Node } from "./nodes.ts";
import type { Acknowledged } from "./traffic.ts";

interface Shown {
  readonly transaction: { readonly events: readonly { readonly event_type: string; readonly success: boolean }[] };
}

/** One line for each thing that is not as it was acknowledged. */
export async function lostOf(
  { sales, refunds }: Acknowledged,
  nodes: readonly Node[],
  sql: Sql,
): Promise<readonly string[]> {
  const lost: string[] = [];
  const refunded = new Set(refunds);
  for (const [index, id] of sales.entries()) {
    const node = nodes[index % nodes.length];
    const wanted = refunded.has(id) ? ["refund", "sale"] : ["sale"];
    const shown = node && (await eventsOf(node, id));
    if (shown?.join() !== wanted.join()) lost.push(`${id} has ${shown?.join() ?? "gone"} instead of ${wanted.join()}`);
  }
  const [row] = await sql<[{ transactions: number; open: number }]>`
    select (select count(*) from transactions)::int4 as transactions, count(*)::int4 as open
    from events e left join outcomes o using (merchant_id, transaction_id, sequence) where o.kind is null`;
  if (row.transactions !== sales.length) lost.push(`${row.transactions} transactions instead of ${sales.length}`);
  if (row.open > 0) lost.push(`${row.open} operations have no outcome`);
  return lost;
}

/** The approved ones, newest first; undefined where there is no such transaction. */
async function eventsOf({ url, sandbox }: Node, id: string): Promise<readonly string[] | undefined> {
  const response = await fetch(`${url}/api/transactions/${id}`, {
    headers: { authorization: `Bearer ${sandbox.api_token}` },
  });
  if (response.status !== 200) return undefined;
  const { transaction } = (await response.json()) as Shown;
  return transaction.events.filter(({ success }) => success).map(({ event_type }) => event_type);
}
