-- Disputes. What was reported of each is inserted only; what it adds up to stands in the dispute's own row, so that lists can be
-- narrowed by it.
create table disputes (
  merchant_id uuid not null,
  id uuid not null,
  transaction_id uuid not null,
  merchant_transaction_id text not null,
  -- The charge that is disputed.
  event_id uuid not null,
  processor_id uuid not null,
  -- The processor's name for it; null of one that an operator entered without.
  reference text collate "C",
  stage text not null,
  state text not null,
  -- In hundredths of the currency, as everywhere.
  amount bigint not null,
  currency text not null,
  withdrawn bigint not null,
  reason text,
  reason_code text,
  respond_by timestamptz,
  opened_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id)
);
create unique index disputes_by_id on disputes (id);
create unique index disputes_by_reference on disputes (merchant_id, processor_id, reference) where reference is not null;
create index disputes_of_transaction on disputes (merchant_id, transaction_id);

create table dispute_reports (
  merchant_id uuid not null,
  dispute_id uuid not null,
  -- From 1 without gaps, in the order in which they came.
  number integer not null,
  -- The id of the processor's notification; null: an operator said so.
  source text collate "C",
  -- What payment/dispute.ts goes by.
  report jsonb not null,
  created_at timestamptz not null,
  primary key (merchant_id, dispute_id, number)
);
create unique index dispute_reports_once on dispute_reports (merchant_id, dispute_id, source) where source is not null;

-- What is told is a dispute, as it was after the report of the number `sequence`. Null: it is an event.
alter table webhook_deliveries add column dispute_id uuid;

-- As for the journal's tables: 0001.
alter table disputes alter column merchant_id set statistics 0;
alter table dispute_reports alter column merchant_id set statistics 0;
