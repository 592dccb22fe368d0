-- A batch's events are read in portions, in the order in which they were concluded: what comes late comes last.
create index outcomes_of_batch on outcomes (merchant_id, cutoff_at, created_at, transaction_id, sequence) where cutoff_at is not null;
drop index outcomes_by_cutoff;
