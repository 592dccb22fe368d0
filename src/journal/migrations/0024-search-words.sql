-- More to search lists by. The last digits of the card, the charge's amount and its currency are beside the number in its index
-- (see 0001-journal.sql): no sale writes an entry more for them.
alter table transactions add column card_last_four text collate "C", add column amount bigint;
update transactions t set card_last_four = right(card_mask, 4), amount = e.amount from events e
where e.merchant_id = t.merchant_id and e.transaction_id = t.id and e.sequence = 1;
create unique index transactions_by_number_and_words on transactions (merchant_id, number)
  include (user_id, card_first_six, first_name, city, state, shipping_state, card_last_four, amount, currency);
drop index transactions_by_number;
alter index transactions_by_number_and_words rename to transactions_by_number;

-- Who travels, and on which ticket, for charges with airline data only.
create table passengers (
  merchant_id uuid not null,
  number bigint not null,
  ticket_number text collate "C" not null,
  passenger_name text collate "C" not null
);
alter table passengers alter column merchant_id set statistics 0;
insert into passengers (merchant_id, number, ticket_number, passenger_name)
select t.merchant_id, t.number, one ->> 'ticket_number', one ->> 'passenger_name'
from transactions t cross join lateral json_array_elements(t.passengers) one
where t.passengers is not null;
create index passengers_by_ticket on passengers (merchant_id, (number >> 16), ticket_number, number);
create index passengers_by_name on passengers (merchant_id, (number >> 16), passenger_name, number);

-- A processor's authorization codes, day by day, so that new ones come at one place.
create index outcomes_by_auth_code on outcomes (merchant_id, ((created_at at time zone 'UTC')::date), auth_code, transaction_id)
where auth_code is not null;
