-- In place of a long answer's body: what it was made of, beside the transaction that is here anyway.
alter table idempotency_answers
  alter column body drop not null,
  add column moment text;
