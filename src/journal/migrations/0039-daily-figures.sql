-- What each day's figures came to, so that an overview of a year reads days. Of a day whose hours are all in it (UTC).
create table daily_figures (
  merchant_id uuid not null,
  day timestamptz not null,
  currency text not null,
  processor_id uuid not null,
  card_brand text not null,
  type text not null,
  kind text not null,
  code text,
  category text,
  message text,
  attempt boolean not null,
  events bigint not null,
  amount bigint not null
);
create index daily_figures_by_day on daily_figures (merchant_id, day, currency);

-- Null: written after its day was added up, by whichever gateway. Overviews then read the day's hours until it is added up again.
alter table figures add column in_days boolean;
create index figures_not_in_days on figures (merchant_id, hour) where in_days is null;
