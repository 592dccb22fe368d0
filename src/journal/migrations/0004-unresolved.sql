-- What is owed waits for one processor record each: of one that is silent no other has to wait. A lease is told apart from
-- a pause, so that what waits for a processor that is back can be made due without being asked twice at a time.
alter table unresolved add column processor_id uuid;
update unresolved u set processor_id = e.processor_id from events e
  where (e.merchant_id, e.transaction_id, e.sequence) = (u.merchant_id, u.transaction_id, u.sequence);
alter table unresolved alter column processor_id set not null;
-- By real time of the gateway's clock: taken by a node that is at work on it.
alter table unresolved add column taken_until timestamptz;
-- What the attempts so far came to, oldest first, each `{"at": …, "said": …}`: the first and the last twenty.
alter table unresolved add column history jsonb not null default '[]';
drop index unresolved_due;
create index unresolved_due on unresolved (processor_id, due_at);
create index unresolved_since on unresolved (created_at, transaction_id, sequence);

-- Charges that were never answered and whose processor confirmed that nothing of them is held or taken. Inserted only.
create table confirmed_reversals (
  merchant_id uuid not null,
  transaction_id uuid not null,
  sequence integer not null,
  created_at timestamptz not null,
  primary key (merchant_id, transaction_id, sequence)
);
