-- What each hour's events came to, for overviews: added up again whenever something about an hour becomes known. Everything here
-- follows from the journal.
create table figures (
  merchant_id uuid not null,
  hour timestamptz not null,
  currency text not null,
  processor_id uuid not null,
  card_brand text not null,
  type text not null,
  -- Of the outcome; 'pending' while there is none.
  kind text not null,
  -- Of declines: the processor's code, and what it means.
  code text,
  category text,
  message text,
  events bigint not null,
  amount bigint not null
);
create index figures_by_hour on figures (merchant_id, hour);

-- Whatever became known before is in the figures.
create table figures_known (
  merchant_id uuid primary key,
  before timestamptz not null
);
