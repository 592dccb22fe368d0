-- Hardly any two entries of these indexes are alike, as nearly all end in their row's own number or place. When a page of them is full,
-- PostgreSQL looks in vain for entries that it could put together before it divides the page: a twentieth of its work for a sale.
alter index transactions_by_order set (deduplicate_items = off);
alter index transactions_by_email set (deduplicate_items = off);
alter index transactions_by_last_name set (deduplicate_items = off);
alter index transactions_by_phone set (deduplicate_items = off);
alter index transactions_by_zip set (deduplicate_items = off);
alter index transactions_by_shipping_city set (deduplicate_items = off);
alter index transactions_by_shipping_zip set (deduplicate_items = off);
alter index passengers_by_ticket set (deduplicate_items = off);
alter index passengers_by_name set (deduplicate_items = off);
alter index events_by_time set (deduplicate_items = off);
alter index outcomes_of_batch set (deduplicate_items = off);
alter index outcomes_by_change set (deduplicate_items = off);
alter index outcomes_by_auth_code set (deduplicate_items = off);
