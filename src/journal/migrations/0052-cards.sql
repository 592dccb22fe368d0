-- Cards on file: what a merchant charges without sending the number. A row is changed by its merchant and by a rotation of keys, and goes
-- when the merchant deletes the card or the payer's data are erased. Transactions made with it do not need it.
create table cards (
  merchant_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  card_mask text not null,
  card_first_six text collate "C" not null,
  card_brand text not null,
  card_expiry_month text not null,
  card_expiry_year text not null,
  -- Keyed hash of the number, under a key of the merchant's.
  fingerprint text collate "C" not null,
  key_id integer not null,
  -- Version, initialization vector, tag, ciphertext: vault/sealed-bytes.ts.
  sealed bytea not null,
  -- Names and address, under their names in the API.
  cardholder json not null,
  primary key (merchant_id, id)
) with (fillfactor = 80);

alter table cards alter column merchant_id set statistics 0;
