-- What the operator set for where a merchant's charges go: a row for each version, of which the newest counts. A merchant without
-- a row has no rules.
create table routings (
  merchant_id uuid not null,
  version integer not null,
  -- As the API shows them.
  rules jsonb not null,
  created_at timestamptz not null,
  primary key (merchant_id, version)
);
