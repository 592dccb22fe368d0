-- The scheme's identifier of the card's first approved charge, which later charges name. Null: not known yet.
alter table cards add column network_transaction_id text collate "C";
