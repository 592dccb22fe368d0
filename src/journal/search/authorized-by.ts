// Which of a merchant's transactions have an event with an authorization code. Codes come with outcomes, later than their
// transaction: so what was found is not remembered, and is looked up day by day, as the index has it.

import { type Asker, ask, inTurn } from "./ask.ts";
import { NumberSet, type Numbers } from "./number-set.ts";

/** A look into the index for each: some milliseconds. */
const DAYS_AT_ONCE = 400;

export async function authorizedBy(asker: Asker, merchantId: string, code: string): Promise<Numbers> {
  const found = new NumberSet();
  const [span] = await inTurn(asker, () => ask<Span>(asker.pool, SPAN, [merchantId]));
  const { days = 0, last = null } = span ?? {};
  for (let back = 0; back < days; back += DAYS_AT_ONCE) {
    const rows = await inTurn(asker, () =>
      ask<{ numbers: Buffer | null }>(asker.pool, FOUND, [merchantId, last, back, DAYS_AT_ONCE, code]),
    );
    found.add(rows[0]?.numbers ?? null);
  }
  return found;
}

interface Span {
  /** From the first day with a code to the last. */
  readonly days: number;
  readonly last: string | null;
}

const DAY = "(created_at at time zone 'UTC')::date";
const END = `select ${DAY} from outcomes where merchant_id = $1 and auth_code is not null order by ${DAY}`;
// Each end is a look into the index.
const SPAN = `select coalesce(1 + last - first, 0) as days, last::text as last
from (select (${END} limit 1) as first, (${END} desc limit 1) as last) ends`;

const FOUND = `
select string_agg(int8send(t.number), '') as numbers
from generate_series($3::int4, $3::int4 + $4::int4 - 1) back
cross join lateral (
  select transaction_id from outcomes
  where merchant_id = $1 and ${DAY} = $2::text::date - back and auth_code = $5
) o
cross join lateral (select number from transactions where merchant_id = $1 and id = o.transaction_id limit 1) t`;
