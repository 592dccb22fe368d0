-- By their names, the master keys that a node can open data keys with; null while it has not said.
alter table nodes add column master_keys text[];
