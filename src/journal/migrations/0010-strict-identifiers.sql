-- Whether a merchant's identifiers may hold no number that looks like a card's: decision R16.
alter table merchants add column refuse_card_like_identifiers boolean not null default false;
