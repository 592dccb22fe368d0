-- What types of events each number of a block has, and in which status they are or when their money settles, so that lists find them
-- without going through rows. Written in the background; what is not here, or has changed since, is read from its rows.
create table block_standings (
  merchant_id uuid not null,
  block bigint not null,
  -- All that changed before this instant is in it.
  as_of timestamptz not null,
  -- One a line.
  standings text not null,
  -- Two bytes a number, the low one first: its line, from 1; 0: not known.
  places bytea not null,
  primary key (merchant_id, block)
);

-- As for the journal's tables: 0001.
alter table block_standings alter column merchant_id set statistics 0;
