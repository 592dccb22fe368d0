-- An automatic capture that could not be sent rests until then, by the gateway's clock, and is tried again for the same time.
alter table open_authorizations add column rests_until timestamptz;
