-- The newest figures are added up first: what is before `since` is not in them yet. Null: nothing is missing.
alter table figures_known add column since timestamptz;
