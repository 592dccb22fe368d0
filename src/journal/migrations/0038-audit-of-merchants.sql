-- To which merchant's records an entry belongs: its administrators see it. Null: for operators only. Not in the hash, so that a gateway
-- of before this, which runs beside this one for a while, finds the chain whole.
alter table audit_log add column merchant_id uuid;

update audit_log l set merchant_id = o.merchant_id from (
  select 'merchant ' || id as subject, id as merchant_id from merchants
  union all select 'user ' || id, merchant_id from users
  union all select 'token ' || id, merchant_id from tokens
  union all select 'processor ' || id, merchant_id from processors
  union all select 'webhook ' || id, merchant_id from webhook_endpoints
  union all select 'dispute ' || id, merchant_id from disputes
  union all select 'person ' || id, merchant_id from people where merchant_id is not null
) o where o.subject = l.subject;

-- What a merchant's people did to payments, and what they were refused.
update audit_log l set merchant_id = p.merchant_id from people p
where l.merchant_id is null and p.merchant_id is not null and split_part(l.subject, ' ', 1) in ('transaction', 'path')
  and split_part(l.actor, ' ', 1) in ('merchant_admin', 'clerk', 'viewer') and p.email = substr(l.actor, strpos(l.actor, ' ') + 1);

create index audit_log_of_merchant on audit_log (merchant_id, id) where merchant_id is not null;
