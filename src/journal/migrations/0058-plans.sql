-- Plans: an order that is charged to a card on file in several payments, each when it falls due. Whoever writes to a plan or its payments
-- locks the plan's row first. A lease alone needs no lock.
create table plans (
  merchant_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  card_id uuid not null,
  merchant_transaction_id text not null,
  -- Null: for each charge one is drawn.
  processor_id uuid,
  currency text not null,
  -- In hundredths of the currency, as everywhere.
  total bigint not null,
  -- Under their names in the API.
  fields json not null,
  passengers json,
  -- What its payments add up to: payment/plan.ts.
  status text not null,
  canceled_at timestamptz,
  primary key (merchant_id, id)
);
create index plans_of_card on plans (merchant_id, card_id);

create table plan_payments (
  merchant_id uuid not null,
  plan_id uuid not null,
  -- From 1.
  number integer not null,
  due_at timestamptz not null,
  amount bigint not null,
  is_rest boolean not null,
  status text not null,
  attempts integer not null,
  declines integer not null,
  declines_before integer not null,
  tried_at timestamptz,
  -- When it is charged next. Null: it is being charged, or is not to be charged.
  charge_at timestamptz,
  -- Of its last charge, which may not have been written.
  transaction_id uuid,
  reason text,
  taken_until timestamptz,
  primary key (merchant_id, plan_id, number)
);
create index plan_payments_due on plan_payments (charge_at) where charge_at is not null;
create index plan_payments_pending on plan_payments (merchant_id, plan_id) where status = 'pending';

-- Each charge of a payment, from before it was begun: of what was never written there is no transaction.
create table plan_charges (
  merchant_id uuid not null,
  plan_id uuid not null,
  number integer not null,
  attempt integer not null,
  transaction_id uuid not null,
  created_at timestamptz not null,
  primary key (merchant_id, plan_id, number, attempt)
);

-- What webhooks tell of a plan, as the API showed it then.
create table plan_news (
  merchant_id uuid not null,
  plan_id uuid not null,
  -- From 1 without gaps.
  sequence integer not null,
  type text not null,
  -- Null: it is about the whole plan.
  payment integer,
  plan json not null,
  created_at timestamptz not null,
  primary key (merchant_id, plan_id, sequence)
);

-- What is told is a plan, as it was with the news of the number `sequence`. Null: it is something else.
alter table webhook_deliveries add column plan_id uuid;

-- As for the journal's tables: 0001.
alter table plans alter column merchant_id set statistics 0;
alter table plan_payments alter column merchant_id set statistics 0;
alter table plan_charges alter column merchant_id set statistics 0;
alter table plan_news alter column merchant_id set statistics 0;
