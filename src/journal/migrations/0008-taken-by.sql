-- Which node is at work on what is owed: when it dies, others need not wait until its lease has passed.
alter table unresolved add column taken_by integer;
