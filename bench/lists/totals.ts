// Whether lists' totals are exact: compared with what PostgreSQL counts, when no sale is in flight.

import { setTimeout as sleep } from "node:timers/promises";
import { CASES, type Case } from "./cases.ts";
import type { Shop } from "./shop.ts";

const SETTLE_MS = 2_000;
/** Of what was written by `fill`, each outcome came with its event. */
const LAST_CHANGE =
  "(select max(e.created_at) from events e where e.merchant_id = t.merchant_id and e.transaction_id = t.id)";

const HAS = (table: string, condition: string) =>
  `exists (select from ${table} x where x.merchant_id = t.merchant_id and x.transaction_id = t.id and ${condition})`;

/** How a column is compared; times are seen to the second, both included. */
const CONDITIONS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["merchant_transaction_id", "email", "first_name", "last_name", "mobile_phone", "city", "shipping_city"].map(
      (column) => [column, `starts_with(${column}, $)`],
    ),
  ),
  ...Object.fromEntries(
    ["state", "zip", "shipping_state", "shipping_zip", "currency"].map((column) => [column, `${column} = $`]),
  ),
  user_id: "user_id = $::uuid",
  last_four: "right(card_mask, 4) = $",
  amount: "amount = $::numeric * 100",
  card_number: "card_first_six = left($, 6)",
  event_type: HAS("events", "x.type = $"),
  // Nothing settled in between, and no processor declined.
  status: HAS("outcomes", "x.kind = case $ when 'pending_settlement' then 'approved' else 'declined' end"),
  created_at_gte: "created_at >= $::timestamp at time zone 'UTC'",
  created_at_lte: "created_at < ($::timestamp + interval '1 second') at time zone 'UTC'",
  updated_at_gte: `${LAST_CHANGE} >= $::timestamp at time zone 'UTC'`,
  updated_at_lte: `${LAST_CHANGE} < ($::timestamp + interval '1 second') at time zone 'UTC'`,
};

/** @param list asks the gateway for a total */
export async function wrongTotals(
  { sql, gateway }: Shop,
  list: (search: Case["search"], page: number) => Promise<number>,
): Promise<readonly string[]> {
  await sleep(SETTLE_MS);
  const wrong: string[] = [];
  for (const { what, search } of CASES) {
    const parts = Object.entries(search).map(([name, value]) => [CONDITIONS[name], value] as const);
    const values = parts.flatMap(([condition, value]) => (condition === undefined ? [] : [value]));
    if (values.length < parts.length) continue; // of codes and passengers there are none
    const conditions = parts.map(([condition = ""], index) => `and ${condition.replace("$", `$${index + 2}`)}`);
    const [row] = await sql.begin(async (one) => {
      await one`set local statement_timeout = 0`;
      const text = `select count(*)::float8 as total from transactions t where merchant_id = $1 ${conditions.join(" ")}`;
      return one.unsafe(text, [gateway.sandbox.merchant_id, ...values]);
    });
    const total = await list(search, 1);
    if (row?.total !== total) wrong.push(`${what}: ${total} instead of ${row?.total}`);
  }
  return wrong;
}
