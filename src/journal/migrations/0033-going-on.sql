-- To how many processors a declined charge may be sent; 1: a decline ends it.
alter table routings add column attempts_at_most integer not null default 1;

-- Which charges are of the same card, where declined ones may go on to another processor: so that the schemes' limits on repeats can be
-- kept. A row goes when no limit looks back so far.
create table charged_cards (
  merchant_id uuid not null,
  transaction_id uuid not null,
  -- Keyed hash of the number, for this merchant alone.
  card bytea not null,
  charged_at timestamptz not null,
  primary key (merchant_id, transaction_id)
);
create index charged_cards_by_card on charged_cards (merchant_id, card, charged_at);
create index charged_cards_by_time on charged_cards (charged_at);
