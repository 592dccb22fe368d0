-- The data keys under which card numbers are sealed, each wrapped by a master key that is not in the database.
create table data_keys (
  id integer generated always as identity primary key,
  -- Which master key unwraps it.
  master_key_id text collate "C" not null,
  wrapped bytea not null,
  -- How many messages nodes have taken the right to seal, in blocks and before they sealed them: never fewer than there are.
  leased bigint not null,
  created_at timestamptz not null,
  -- From then on nothing new is sealed under it.
  retired_at timestamptz,
  -- When a rotation had looked at every row that was sealed under it.
  passed_at timestamptz
);

-- Full card numbers, sealed, of transactions whose processor wants them in follow-ups. Written with the opening intent; a
-- rotation of keys seals a row anew; a row goes when no follow-up can need it any more.
create table sealed_cards (
  merchant_id uuid not null,
  transaction_id uuid not null,
  key_id integer not null,
  -- Version, initialization vector, tag, ciphertext: vault/sealed-bytes.ts.
  sealed bytea not null,
  -- When it is next looked at whether it is still needed.
  look_at timestamptz not null,
  primary key (merchant_id, transaction_id)
) with (fillfactor = 80);
create index sealed_cards_to_look_at on sealed_cards (look_at);

alter table sealed_cards alter column merchant_id set statistics 0;
