-- Reconciliations that were run to their end, and what each one found. What was only counted, because it was in flight within
-- five minutes of midnight, is not among the findings.
create table reconciliations (
  merchant_id uuid not null,
  id uuid not null,
  processor_id uuid not null,
  -- With the books of a day, or with a report of settled money.
  source text not null,
  -- The day of the books; of a report the day whose money must all be in it.
  day text,
  -- The one that the processor was asked for.
  payout text,
  -- The name without its folder; null: it came by stdin, or the processor was asked.
  file text,
  currency text not null,
  counts jsonb not null,
  -- What the findings come to, by kind and currency.
  sums jsonb not null,
  -- What a report's batches add up to.
  batches jsonb not null,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
create unique index reconciliations_by_id on reconciliations (id);

create table reconciliation_findings (
  merchant_id uuid not null,
  reconciliation_id uuid not null,
  -- From 1 without gaps, in the order in which they were found.
  number integer not null,
  kind text not null,
  difference boolean not null,
  -- The operation, or the processor's word for it.
  operation text not null,
  -- What the processor knows it by.
  reference text,
  transaction_id uuid,
  sequence integer,
  -- What the gateway has, and what the processor has; null where one has nothing.
  here jsonb,
  there jsonb,
  primary key (merchant_id, reconciliation_id, number)
);

-- As for the journal's tables: 0001.
alter table reconciliations alter column merchant_id set statistics 0;
alter table reconciliation_findings alter column merchant_id set statistics 0;
