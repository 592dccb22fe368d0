-- Plain SQL for PostgreSQL 15 and later. The journal's tables (transactions, events, outcomes, idempotency_*) are only ever
-- inserted into; their keys begin with merchant_id, and each statement on the hot path names it, so that they can be
-- distributed by merchant. There are no foreign keys: each would lock a shared row at every insert, and one writer alone
-- (journal/postgres-journal.ts) puts rows here.

create table merchants (
  id uuid primary key,
  name text not null,
  created_at timestamptz not null
);

create table users (
  merchant_id uuid not null,
  id uuid not null,
  name text not null,
  email text not null,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);

create table tokens (
  id uuid primary key,
  merchant_id uuid not null,
  user_id uuid not null,
  secret_hash bytea not null unique,
  scopes text[] not null,
  rate_limit_per_minute integer,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz
);
create index tokens_of_merchant on tokens (merchant_id, created_at);

create table operator_tokens (
  id uuid primary key,
  name text not null,
  secret_hash bytea not null unique,
  created_at timestamptz not null,
  revoked_at timestamptz
);

create table processors (
  merchant_id uuid not null,
  id uuid not null,
  name text not null,
  kind text not null,
  currency text not null,
  enabled boolean not null,
  in_rotation boolean not null,
  requires jsonb not null,
  settlement jsonb not null,
  settings jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id)
);
create unique index processors_by_id on processors (id);

create table audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  actor text not null,
  source text not null,
  action text not null,
  subject text not null,
  before jsonb,
  after jsonb
);

-- Facts about this installation: the ids of the sandbox, the check of the secret, the clock's offset.
create table installation (
  name text primary key,
  value jsonb not null
);

-- The gateways that write here. A node that dies leaves intents without an outcome; all of them were created after
-- `clear_before`, which the node moves forward with every sign of life.
create table nodes (
  id integer generated always as identity primary key,
  started_at timestamptz not null,
  seen_at timestamptz not null,
  clear_before timestamptz not null,
  -- Since its last sign of life.
  taken_over_at timestamptz
);

-- Numbers a merchant's transactions without gaps. The row is updated once for each group of new transactions.
create table merchant_counters (
  merchant_id uuid primary key,
  transactions bigint not null,
  newest_at timestamptz not null
) with (fillfactor = 10);

-- `number` counts a merchant's transactions from 1 without gaps, and `created_at` never goes back along it: so a page is a
-- range of numbers, a total is a number, and a span of time is found by halving.
create table transactions (
  merchant_id uuid not null,
  id uuid not null,
  number bigint not null,
  user_id uuid not null,
  created_at timestamptz not null,
  currency text not null,
  card_mask text not null,
  card_first_six text collate "C" not null,
  card_brand text not null,
  card_expiry_month text not null,
  card_expiry_year text not null,
  merchant_transaction_id text collate "C" not null,
  first_name text collate "C",
  last_name text collate "C",
  email text collate "C",
  mobile_phone text collate "C",
  city text collate "C",
  state text collate "C",
  zip text collate "C",
  shipping_city text collate "C",
  shipping_state text collate "C",
  shipping_zip text collate "C",
  -- What comes back and is never searched for.
  details json,
  passengers json,
  primary key (merchant_id, id)
);

-- A row more costs each index a page somewhere, but this one only the last page of its merchant: so it carries what lists
-- are seldom searched by, or what matches so much that a block of numbers is as well read from end to end. At most two of
-- its columns may be long, because an entry must fit into a third of a page (2,704 bytes).
create unique index transactions_by_number on transactions (merchant_id, number)
  include (user_id, card_first_six, first_name, city, state, shipping_state);

-- What lists look up by how it begins. Blocks of 65,536 numbers are searched one by one, so that matches that are all old
-- never make a list walk millions of rows, and inserts stay in each merchant's open block. Partial: a field that was not
-- sent costs nothing. journal/search/conditions.ts knows which columns are here.
create index transactions_by_order on transactions (merchant_id, (number >> 16), merchant_transaction_id, number);
create index transactions_by_email on transactions (merchant_id, (number >> 16), email, number) where email is not null;
create index transactions_by_last_name on transactions (merchant_id, (number >> 16), last_name, number) where last_name is not null;
create index transactions_by_phone on transactions (merchant_id, (number >> 16), mobile_phone, number) where mobile_phone is not null;
create index transactions_by_zip on transactions (merchant_id, (number >> 16), zip, number) where zip is not null;
create index transactions_by_shipping_city on transactions (merchant_id, (number >> 16), shipping_city, number) where shipping_city is not null;
create index transactions_by_shipping_zip on transactions (merchant_id, (number >> 16), shipping_zip, number) where shipping_zip is not null;

-- Intents. The primary key is the optimistic sequence: of two writers that saw the same events one wins.
create table events (
  merchant_id uuid not null,
  transaction_id uuid not null,
  sequence integer not null,
  id uuid not null,
  type text not null,
  amount bigint not null,
  shares json,
  processor_id uuid not null,
  ip_address text,
  -- A void that is the first step of a reversal: if it fails, the refund follows.
  reversal boolean not null,
  node_id integer not null,
  created_at timestamptz not null,
  primary key (merchant_id, transaction_id, sequence)
);
-- What followed since: its last columns make a place in it exact, and spare reading the table.
create index events_by_time on events (merchant_id, created_at, transaction_id, sequence);
-- Nearly free to keep on rows that come in the order of time; finds what a dead node left without an outcome.
create index events_since on events using brin (created_at) with (pages_per_range = 16);

-- Outcomes. A row beside the event instead of a change of it: the primary key lets no event end twice.
create table outcomes (
  merchant_id uuid not null,
  transaction_id uuid not null,
  sequence integer not null,
  kind text not null,
  processor_code text not null,
  processor_message text not null,
  processor_transaction_id text,
  auth_code text,
  avs_response text,
  processor_avs_response text,
  cvv_response text,
  processor_cvv_response text,
  threeds_response text,
  processor_threeds_response text,
  processor_code_detail text,
  cutoff_at timestamptz,
  settled_at timestamptz,
  visible_at timestamptz,
  created_at timestamptz not null,
  primary key (merchant_id, transaction_id, sequence)
);

create table idempotency_keys (
  merchant_id uuid not null,
  key text collate "C" not null,
  request_hash bytea not null,
  transaction_id uuid not null,
  sequence integer not null,
  created_at timestamptz not null,
  primary key (merchant_id, key)
);
create index idempotency_keys_since on idempotency_keys using brin (created_at);

create table idempotency_answers (
  merchant_id uuid not null,
  key text collate "C" not null,
  status smallint not null,
  body text not null,
  created_at timestamptz not null,
  primary key (merchant_id, key)
);
create index idempotency_answers_since on idempotency_answers using brin (created_at);

-- Events whose end the gateway still owes: small, not distributed, taken by one node at a time.
create table unresolved (
  merchant_id uuid not null,
  transaction_id uuid not null,
  sequence integer not null,
  remedy text not null,
  attempts integer not null,
  due_at timestamptz not null,
  created_at timestamptz not null,
  primary key (merchant_id, transaction_id, sequence)
);
create index unresolved_due on unresolved (due_at);

-- Authorizations that are captured by themselves at their processor's time of day, unless something else happens to them
-- first. A row goes when its transaction was looked at.
create table open_authorizations (
  merchant_id uuid not null,
  processor_id uuid not null,
  transaction_id uuid not null,
  authorized_at timestamptz not null,
  -- By real time: taken by a node that is at work on it.
  taken_until timestamptz,
  -- The last time of capture at which it was tried and failed.
  tried_for timestamptz,
  primary key (merchant_id, processor_id, transaction_id)
);

-- When each processor record's authorizations are captured next; no row where they are not.
create table auto_captures (
  merchant_id uuid not null,
  processor_id uuid not null,
  due_at timestamptz not null,
  primary key (merchant_id, processor_id)
);

-- Settlement batches, one a processor record and cut-off, from the first money on that is in it. What is in it says each
-- outcome's cut-off; totals are added up when they are asked for.
create table batches (
  merchant_id uuid not null,
  processor_id uuid not null,
  cutoff_at timestamptz not null,
  id uuid not null,
  primary key (merchant_id, processor_id, cutoff_at)
);
create index batches_by_time on batches (cutoff_at, id);
create unique index batches_by_id on batches (id);
create index outcomes_by_cutoff on outcomes (merchant_id, cutoff_at) where cutoff_at is not null;

-- Without statistics of its merchants the planner takes a table's merchants to be two hundred alike. With them it takes a
-- merchant that is new since they were gathered for one with no rows, finds every index equally good, and reads all of the
-- merchant's rows for a single one of them.
alter table transactions alter column merchant_id set statistics 0;
alter table events alter column merchant_id set statistics 0;
alter table outcomes alter column merchant_id set statistics 0;
