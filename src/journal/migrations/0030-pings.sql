-- A ping tells of no transaction.
alter table webhook_deliveries alter column transaction_id drop not null;
