-- Webhooks: where merchants want to be told, and what they are to be told. A row of webhook_deliveries is inserted by the same
-- statement as the event that it tells of (journal/tell.ts), and taken from there by any node (webhooks/deliver.ts).

create table webhook_endpoints (
  merchant_id uuid not null,
  id uuid not null,
  url text not null,
  -- Null: all.
  event_types text[],
  enabled boolean not null,
  -- Why the gateway itself disabled it.
  disabled_reason text,
  -- It is gone, and what it was still to be told goes in portions.
  deleted_at timestamptz,
  -- Sealed under the installation's secret.
  secret bytea not null,
  -- After a rotation both sign for a while.
  previous_secret bytea,
  previous_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id)
);
create unique index webhook_endpoints_by_id on webhook_endpoints (id);

create table webhook_deliveries (
  merchant_id uuid not null,
  endpoint_id uuid not null,
  -- The webhook-id: the same at each attempt.
  id uuid not null,
  type text not null,
  transaction_id uuid not null,
  sequence integer not null,
  -- What is told happened then; the transaction is shown as it was.
  occurred_at timestamptz not null,
  created_at timestamptz not null,
  -- Null: delivered or given up.
  due_at timestamptz,
  -- By the database's own time: a node is at work on it.
  taken_until timestamptz,
  attempts integer not null,
  attempted_at timestamptz,
  -- What came of the last attempt: a status, or why there is none.
  answer text,
  -- Delivered or given up.
  ended_at timestamptz,
  delivered boolean not null,
  primary key (merchant_id, endpoint_id, id)
) with (fillfactor = 80);
create index webhook_deliveries_due on webhook_deliveries (merchant_id, endpoint_id, due_at) where due_at is not null;
create index webhook_deliveries_ended on webhook_deliveries (ended_at) where ended_at is not null;

-- As for the journal's tables: 0001.
alter table webhook_deliveries alter column merchant_id set statistics 0;
alter table webhook_deliveries alter column endpoint_id set statistics 0;

-- A UUID of version 7 (RFC 9562, section 5.7), which PostgreSQL makes by itself only from version 18 on.
create function webhook_delivery_id(at timestamptz) returns uuid language sql volatile as $$
  select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
    placing substring(int8send((extract(epoch from at) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid
$$;
