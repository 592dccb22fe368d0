-- Whether a merchant's cards are verified before they are put on file.
alter table merchants add column verify_cards boolean not null default false;
