-- What the numbers of a full block have in each field that lists are searched by, so that a filter that nobody asked for before is found
-- without going through rows. Written in the background; a block without it is searched row by row.
create table block_words (
  merchant_id uuid not null,
  field text not null,
  block bigint not null,
  -- The block's numbers in the order of the field's value, in stretches: of one frequent value, or of some sixty to a hundred numbers.
  -- Where each stretch begins, and where those begin that have no value.
  starts integer[] not null,
  -- The lowest value of each stretch, and whether it has no other.
  lowest text[] collate "C" not null,
  alike boolean[] not null,
  -- Two bytes a number: its offset in the block, less 32768.
  offsets bytea not null,
  primary key (merchant_id, field, block)
);
-- Read in part, and many at once.
alter table block_words alter column lowest set storage external, alter column offsets set storage external;

-- The changes of each past day, once none can come any more: for each transaction its number in eight bytes,
-- and in four the types of its follow-ups and the last one's second of the day.
create table daily_changes (
  merchant_id uuid not null,
  day date not null,
  -- Null: there are too many to be read at once.
  changes bytea,
  primary key (merchant_id, day)
);
alter table daily_changes alter column changes set storage external;

-- As for the journal's tables: 0001.
alter table block_words alter column merchant_id set statistics 0;
alter table daily_changes alter column merchant_id set statistics 0;
