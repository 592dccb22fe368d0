-- Outside of a transaction: the payments of a card on file are looked up by its id, and cards are listed by time: an id may be older than its card.
create index concurrently if not exists transactions_by_card on transactions (merchant_id, (number >> 16), (details -> 'onFile' ->> 'cardId'), number)
  where details -> 'onFile' ->> 'cardId' is not null;
create index concurrently if not exists cards_by_time on cards (merchant_id, created_at, id);
