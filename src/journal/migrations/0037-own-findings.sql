-- What a merchant may see of a reconciliation: counts and sums of the findings with an operation of its own. Null: it was run before
-- this was kept, and its merchant sees none of its findings.
alter table reconciliations add column own jsonb;
