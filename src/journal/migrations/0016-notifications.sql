-- What processors tell by themselves. Inserted only, but for the queue of what is still to be applied.
create table notifications (
  merchant_id uuid not null,
  processor_id uuid not null,
  -- The kind's: the same message again has the same.
  id text collate "C" not null,
  kind text not null,
  transaction_id uuid,
  -- Of the event that it is about.
  reference text,
  -- By the processor.
  occurred_at timestamptz not null,
  -- In the processor's words, for the operator.
  said text not null,
  -- What payment/news.ts goes by.
  news json not null,
  created_at timestamptz not null,
  primary key (merchant_id, processor_id, id)
);
create index notifications_by_time on notifications (created_at, id);

-- What became of each.
create table applied_notifications (
  merchant_id uuid not null,
  processor_id uuid not null,
  id text collate "C" not null,
  -- `applied`, `known` or `kept`.
  result text not null,
  why text,
  created_at timestamptz not null,
  primary key (merchant_id, processor_id, id)
);

-- Those that wait, in the order in which they came: small, not distributed, leased by one node at a time.
create table waiting_notifications (
  merchant_id uuid not null,
  processor_id uuid not null,
  id text collate "C" not null,
  transaction_id uuid,
  number bigint generated always as identity,
  attempts integer not null,
  due_at timestamptz not null,
  -- By the gateway's clock: a node is at work on it.
  taken_until timestamptz,
  primary key (merchant_id, processor_id, id)
);
create index waiting_notifications_due on waiting_notifications (due_at);

-- Approved events that failed after all, beside their outcomes. Inserted only.
create table late_failures (
  merchant_id uuid not null,
  transaction_id uuid not null,
  sequence integer not null,
  -- The processor's response and the decline's category.
  failure json not null,
  created_at timestamptz not null,
  primary key (merchant_id, transaction_id, sequence)
);

alter table notifications alter column merchant_id set statistics 0;
alter table late_failures alter column merchant_id set statistics 0;
