-- Whose account the tries are of, so that a new password ends all its waits. Null: counted before this.
alter table sign_in_tries add column account bytea;
create index sign_in_tries_of_account on sign_in_tries (account) where account is not null;

-- Passwords that people chose before the one that they have.
create table past_passwords (
  id bigint generated always as identity primary key,
  person_id uuid not null,
  password_hash text not null
);
create index past_passwords_of_person on past_passwords (person_id, id);
