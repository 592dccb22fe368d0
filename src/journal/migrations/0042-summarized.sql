-- These indexes hold what each stretch of rows has, once the stretch is summarized: until then all its rows are read. By itself that is at
-- the next vacuum, which comes after a fifth of all rows; now it is soon after the stretch is full. What a dead node left is found by the first.
alter index events_since set (autosummarize = on);
alter index idempotency_keys_since set (autosummarize = on);
alter index idempotency_answers_since set (autosummarize = on);
