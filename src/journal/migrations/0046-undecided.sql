-- How many attempts to resolve an event its processor answered with neither yes nor no.
alter table unresolved add column undecided integer not null default 0;
