-- Which of a transaction's notifications comes first, and what was told about a transaction: both without reading the others.
create index waiting_notifications_in_order on waiting_notifications (merchant_id, transaction_id, number);
create index notifications_of_transaction on notifications (transaction_id, created_at) where transaction_id is not null;
