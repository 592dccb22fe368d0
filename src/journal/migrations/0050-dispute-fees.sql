-- What processors charged for a dispute and did not give back, in hundredths of its currency, which is the account's. Null: no fee is
-- known, or they are in several currencies. Each fee is in its report.
alter table disputes add column fee bigint, add column fee_currency text;
