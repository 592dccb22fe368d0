-- The numbers under which questions went to an acquirer's host, written down before the question is sent: a repeat or a
-- reversal names them again, whichever node sends it. Inserted only.
create table trace_numbers (
  merchant_id uuid not null,
  -- The event's id; of the reversal of an unanswered charge, that with a suffix.
  key text collate "C" not null,
  processor_id uuid not null,
  -- Message type of the first sending.
  mti text not null,
  -- Systems trace audit number: 1 to 999999, over and over.
  stan integer not null,
  -- Of the first sending.
  sent_at timestamptz not null,
  primary key (merchant_id, key)
);

-- How many each processor record has assigned, by all nodes. The row is updated once for each group of questions.
create table trace_counters (
  merchant_id uuid not null,
  processor_id uuid not null,
  assigned bigint not null,
  primary key (merchant_id, processor_id)
) with (fillfactor = 10);

alter table trace_numbers alter column merchant_id set statistics 0;
