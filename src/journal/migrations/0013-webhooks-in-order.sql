-- What is due is taken in the order of this index: a replay, or a settlement, makes very much due at one instant, and all of
-- that would be sorted for each portion.

create index webhook_deliveries_in_order on webhook_deliveries (merchant_id, endpoint_id, due_at, sequence, id)
  where due_at is not null;
drop index webhook_deliveries_due;
