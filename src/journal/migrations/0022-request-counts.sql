-- How many requests each token sent within the minute that began at `since`, by all nodes that take requests. Not in the
-- database's log, since what is lost in a crash is counted anew.
create unlogged table request_counts (
  token_id uuid primary key,
  since timestamptz not null,
  requests integer not null
) with (fillfactor = 50);

-- A process for heavy requests is a node too, and counts none: what it is given was counted.
alter table nodes add column takes_requests boolean not null default false;
