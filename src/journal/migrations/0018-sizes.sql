-- Bytes of `details` and `passengers` as text. Compressed, they would have to be opened to tell. Null of what is older.
alter table transactions add column bytes integer;
