-- Which request at the API added an event; null where the gateway did by itself, or before this was kept.
alter table events add column request_id text;
