-- People who sign in with e-mail and password. Operators belong to no merchant; a merchant's person has the id of a user, who the
-- transactions name. What concerns signing in follows real time, whatever the sandbox's clock says.
create table people (
  id uuid primary key,
  merchant_id uuid,
  role text not null,
  name text not null,
  email text not null,
  -- As it is looked up: in small letters.
  account text collate "C" not null unique,
  password_hash text not null,
  must_change_password boolean not null,
  locked boolean not null,
  -- Sealed. Pending: shown, and not confirmed by a code yet.
  second_factor bytea,
  pending_second_factor bytea,
  -- The step of the last code that was taken: none is taken twice.
  last_step bigint not null default 0,
  created_at timestamptz not null,
  last_signed_in_at timestamptz
);
create index people_of_merchant on people (merchant_id, id);

create table recovery_codes (
  person_id uuid not null,
  code_hash bytea not null,
  primary key (person_id, code_hash)
);

create table sessions (
  id uuid primary key,
  person_id uuid not null,
  secret_hash bytea not null unique,
  created_at timestamptz not null default now(),
  used_at timestamptz not null default now()
);
create index sessions_of_person on sessions (person_id);

create table sign_in_tries (
  name bytea primary key,
  tries integer not null,
  since timestamptz not null
);
create index sign_in_tries_since on sign_in_tries (since);
