-- What was authorized while its record had no time of capture is captured too once it has one: it is gathered at the first
-- time that comes. set_at is by the database's own clock: a node may know of the change a moment later.
alter table auto_captures
  add column gathered boolean not null default false,
  add column set_at timestamptz not null default now();
