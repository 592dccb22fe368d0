-- What a merchant was told about one transaction, whichever endpoint it was told to.
create index webhook_deliveries_of_transaction on webhook_deliveries (merchant_id, transaction_id);
