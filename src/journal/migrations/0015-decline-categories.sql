-- Why a processor declined, by what the merchant can do about it: payment/decline.ts. Null: not declined, or before this.
alter table outcomes add column decline_category text;
