-- What a payer agreed to when a card was stored: limits of the charges that the merchant initiates, as JSON. Null: none were given.
alter table cards add column consent json;

-- The charges that were made by a consent. A row goes when its charge charged nothing: it was declined, or taken back.
create table consent_charges (
  merchant_id uuid not null,
  transaction_id uuid not null,
  card_id uuid not null,
  amount bigint not null,
  charged_at timestamptz not null,
  primary key (merchant_id, transaction_id)
);
create index consent_charges_of_card on consent_charges (merchant_id, card_id, charged_at);
alter table consent_charges alter column merchant_id set statistics 0;
