-- The audit log becomes a chain: numbered without gaps, each entry with a keyed hash over itself and the hash before it
-- (merchants/audit-chain.ts). Whoever adds an entry takes its number from the anchor in `installation`, one at a time.
-- Entries that are there already are numbered anew, since identity columns leave gaps; their hashes need the secret, so
-- they get them with the first entry after this.
alter table audit_log alter column id drop identity;
-- By way of negative numbers: no number is taken twice on the way.
update audit_log set id = -numbered.number
  from (select id, row_number() over (order by id) as number from audit_log) as numbered
  where audit_log.id = numbered.id;
update audit_log set id = -id;

-- `done`, or `refused`: an attempt that changed nothing.
alter table audit_log add column outcome text not null default 'done';
alter table audit_log alter column outcome drop default;
alter table audit_log add column hash bytea;
