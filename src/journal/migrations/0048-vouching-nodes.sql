-- Which lineage of the database a node vouches for: all that it knew to be committed is there.
alter table nodes add column vouches_for text;
