-- Secrets among a record's settings, sealed, by their names: {"secret_key": {"key": 1, "sealed": "base64"}}. The key is one of
-- data_keys. A secret that stands here does not stand in settings; the gateway moves those of older records at its start.
alter table processors add column sealed_settings jsonb not null default '{}';
