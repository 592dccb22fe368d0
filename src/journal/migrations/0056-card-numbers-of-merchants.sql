-- Whether a merchant's requests may carry card numbers.
alter table merchants add column card_numbers text not null default 'allowed' check (card_numbers in ('allowed', 'forbidden'));
