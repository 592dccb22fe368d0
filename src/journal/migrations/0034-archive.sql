-- What of each merchant's transactions is in an archive, always the oldest: all numbers up to `through`. Lists begin after it.
create table archives (
  merchant_id uuid primary key,
  through bigint not null default 0,
  -- The last that happened to any of what is archived; null: nothing is. Ledgers and batches are whole only after it.
  last_change timestamptz,
  -- Counts what lists could not know by the newest number: restored and erased transactions.
  version integer not null default 0
);

-- The files. `leaving`: written and read back, and its transactions not removed yet.
create table archive_portions (
  merchant_id uuid not null,
  first_number bigint not null,
  last_number bigint not null,
  state text not null,
  file text not null,
  -- Of the file.
  sha256 text not null,
  -- Of the transactions' records, one a line.
  records_sha256 text not null,
  -- What was approved, by currency and operation.
  sums jsonb not null,
  first_created_at timestamptz not null,
  last_created_at timestamptz not null,
  last_change timestamptz not null,
  archived_at timestamptz not null,
  primary key (merchant_id, first_number)
);

-- So that whoever asks for one is told. It is found nowhere else from the moment when it stands here.
create table archived_transactions (
  merchant_id uuid not null,
  id uuid not null,
  number bigint not null,
  primary key (merchant_id, id)
);
create index archived_transactions_by_number on archived_transactions (merchant_id, number);

-- As for the journal's tables: 0001.
alter table archived_transactions alter column merchant_id set statistics 0;

-- Of figures of archived events, their portion's first number. The others are added up anew from events, and these stay.
alter table figures add column portion bigint;
