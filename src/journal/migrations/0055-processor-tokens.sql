-- A card that its processor keeps: what is sealed is the processor's token, and whose it is there. No number of it was ever here, so it has no
-- fingerprint. Null: the gateway keeps the number.
alter table cards
  add column processor_id uuid,
  add column processor_customer text,
  alter column fingerprint drop not null;
