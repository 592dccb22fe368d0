-- A charge may store its card: the row comes with the intent, and counts as stored once the charge is approved. Then both columns become
-- null; if the charge ends otherwise, the row goes.
alter table cards
  -- The transaction that stores it.
  add column stored_by uuid,
  -- When it is next looked at what became of that.
  add column look_at timestamptz;
create index cards_to_look_at on cards (look_at) where look_at is not null;
