-- A charge whose payer has to authenticate at the processor: where the payer is sent, and until when. Written with the event's row in
-- `unresolved`, and never changed.
create table challenges (
  merchant_id uuid not null,
  transaction_id uuid not null,
  sequence integer not null,
  -- The gateway's own address for the payer.
  checkout_url text not null,
  -- The processor's: its url and, if it is posted as a form, the fields.
  page json not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  primary key (merchant_id, transaction_id, sequence)
);

alter table challenges alter column merchant_id set statistics 0;

-- return_hosts: where payers may be sent afterwards. return_secret: how often the secret of returns was made anew; 0: never.
alter table merchants
  add column return_hosts text[],
  add column return_secret integer;
