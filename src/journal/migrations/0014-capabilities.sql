-- The terms inside kept answers call by this name what the code does.
update idempotency_answers
set moment = replace(moment, '"terms":{"abilities":', '"terms":{"capabilities":')
where moment is not null;
