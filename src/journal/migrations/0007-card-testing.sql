-- What the operator set for a merchant instead of the defaults of payment/card-testing.ts. Amounts in hundredths.
create table card_testing_settings (
  merchant_id uuid primary key,
  enabled boolean not null,
  cards_per_range integer not null,
  window_minutes integer not null,
  small_amount bigint not null,
  without_declines boolean not null
);

-- What looked like card testing, as each node counted it: nodes read each other's newest rows, so that a burst is refused
-- wherever it goes, and the operator sees what was refused. Written in the background; rows go after 30 days.
create table card_testing (
  merchant_id uuid not null,
  -- What the cards have in common: range, address, token.
  signal text not null,
  -- Keyed hash of it.
  key text collate "C" not null,
  node_id integer not null,
  -- For people: the first six digits, the address, the token's id.
  shown text not null,
  -- Within the window, when it was reported.
  cards integer not null,
  answered integer not null,
  declined integer not null,
  merchant_cards integer not null,
  -- Charges, since the row began.
  slowed bigint not null,
  refused bigint not null,
  first_at timestamptz not null,
  newest_at timestamptz not null,
  -- By the database's time.
  reported_at timestamptz not null,
  primary key (merchant_id, signal, key, node_id)
);
create index card_testing_by_report on card_testing (reported_at);
