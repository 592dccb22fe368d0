-- When an outcome changed its transaction, if that was in another second than its event did: lists see times to the second.
-- Nearly all outcomes come within the second of their event, and cost the index nothing.
alter table outcomes add column changed_at timestamptz;
update outcomes o set changed_at = o.created_at from events e
where e.merchant_id = o.merchant_id and e.transaction_id = o.transaction_id and e.sequence = o.sequence
  and date_trunc('second', o.created_at) > date_trunc('second', e.created_at);
create index outcomes_by_change on outcomes (merchant_id, changed_at, transaction_id, sequence) where changed_at is not null;
create index late_failures_by_time on late_failures (merchant_id, created_at, transaction_id, sequence);
