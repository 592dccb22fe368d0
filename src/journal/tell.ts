// Inserts webhook deliveries in the same statement as the event, so that there is never one without the other: a row for each endpoint
// that wants it. Where nobody has an endpoint an outcome is written without this part (concluding.ts).

/**
 * An insert, to be a part of a `with`.
 * @param source a select of merchant_id, transaction_id, sequence, event_type, at, kind (null: no outcome yet) and
 *   visible_at; rows may come twice
 * @param merchant an SQL expression, where all rows are of this merchant: then no other's endpoints are looked at
 */
export const tell = (source: string, merchant?: string): string => `
  insert into webhook_deliveries
    (merchant_id, endpoint_id, id, type, transaction_id, sequence, occurred_at, created_at, due_at, attempts, delivered)
  select distinct on (s.merchant_id, e.id, s.transaction_id, s.sequence, t.type)
    s.merchant_id, e.id, webhook_delivery_id(s.at), t.type, s.transaction_id, s.sequence, t.at, s.at, t.at, 0, false
  from (${source}) s
  join webhook_endpoints e on e.merchant_id = s.merchant_id and e.enabled${isOf("e", merchant)}
  cross join lateral (values
    ('transaction.' || s.event_type || '.' || ${end(merchant)}, s.at),
    ('transaction.settled', case when e.enabled then s.visible_at end)
  ) as t(type, at)
  where t.at is not null and (e.event_types is null or t.type = any(e.event_types))
  order by s.merchant_id, e.id, s.transaction_id, s.sequence, t.type`;

const isOf = (table: string, merchant?: string): string => (merchant ? ` and ${table}.merchant_id = ${merchant}` : "");

/** Whoever was told, or could have been, that an outcome is not known is told that it is resolved. */
const end = (merchant?: string): string => `case
      when s.kind is null then 'pending'
      when exists (select from unresolved u where u.merchant_id = s.merchant_id${isOf("u", merchant)}
        and u.transaction_id = s.transaction_id and u.sequence = s.sequence) then 'resolved'
      when s.kind = 'approved' then 'succeeded'
      else 'failed' end`;

/**
 * Events that were left open.
 * @param relation with merchant_id, transaction_id and sequence
 * @param now an SQL expression
 * @param merchant as for {@link tell}
 */
export const tellOfOpen = (relation: string, now: string, merchant?: string): string =>
  tell(
    `
    select v.merchant_id, v.transaction_id, v.sequence, v.type as event_type, ${now}::timestamptz as at,
      null::text as kind, null::timestamptz as visible_at
    from ${relation} r join events v using (merchant_id, transaction_id, sequence)
    where not exists (select from outcomes o where o.merchant_id = v.merchant_id${isOf("o", merchant)}
      and o.transaction_id = v.transaction_id and o.sequence = v.sequence)${isOf("v", merchant)}`,
    merchant,
  );
