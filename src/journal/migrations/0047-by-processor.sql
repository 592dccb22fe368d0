-- What a processor did without being asked, or contrary to what was on record: its name for it. Null: it was asked of the processor.
alter table events add column by_processor text;
