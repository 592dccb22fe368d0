// People as those who look after them see them: created, listed, changed, given a new password. What people do for themselves is
// in own-account.ts.

import { isDeepStrictEqual } from "node:util";
import type { Sql } from "../journal/database.ts";
import type { TransactionSql } from "../journal/sql/sql.ts";
import { audited } from "../merchants/audit.ts";
import type { Entry } from "../merchants/backoffice.ts";
import {
  type Author,
  type Backoffice,
  type Conflict,
  type Done,
  done,
  type Existed,
  type Invalid,
  invalid,
  limitOf,
  type Page,
  startOf,
  type Unknown,
  unknown,
} from "../merchants/backoffice.ts";
import { createdBefore, idFor, problemsOfGivenId, takenId } from "../merchants/given-id.ts";
import { findMerchant } from "../merchants/merchants.ts";
import { usersUsedUp } from "../merchants/own-shares.ts";
import { isUuid } from "../uuid.ts";
import { noProblems, problemsOf } from "../validation/problems.ts";
import type { PersonKeys } from "./keys.ts";
import type { Passwords } from "./passwords.ts";
import { keepPast } from "./past-passwords.ts";
import {
  accountOf,
  type CreatedPerson,
  NewOperator,
  NewPerson,
  PERSON_COLUMNS,
  type Person,
  PersonChange,
  type PersonRow,
  personRow,
  showPerson,
} from "./person.ts";
import { isOperator, type Role } from "./roles.ts";
import { newPassword } from "./spoken-codes.ts";
import { triesIn, type Wait } from "./tries.ts";

export interface PeopleOffice extends Backoffice {
  readonly passwords: Passwords;
  readonly personKeys: PersonKeys;
}

/** With an entry in the audit log. The password shows this once: a person that was created before is shown without one. */
export async function createOperator(
  office: PeopleOffice,
  author: Author,
  input: unknown,
): Promise<Done<CreatedPerson> | Existed<Person> | Conflict | Invalid> {
  const problems = problemsOfGivenId(problemsOf(NewOperator, input), input);
  return noProblems(problems) ? create(office, author, input as NewPerson, null) : invalid(problems);
}

/** Of a merchant: the person is a user of it, too. With an entry in the audit log. The password shows this once. */
export async function createPerson(
  office: PeopleOffice,
  author: Author,
  merchantId: string,
  input: unknown,
): Promise<Done<CreatedPerson> | Existed<Person> | Conflict | Invalid | Unknown> {
  const merchant = await findMerchant(office.sql, merchantId);
  if (merchant === undefined) return unknown("merchant", merchantId);
  const problems = problemsOfGivenId(problemsOf(NewPerson, input), input);
  return noProblems(problems) ? create(office, author, input as NewPerson, merchant.id) : invalid(problems);
}

/**
 * By an admin of the merchant. All of them together hear ten times in half an hour that an e-mail is wrong or taken: it may be of another
 * merchant's person, and an admin creates more admins.
 */
export async function createPersonAsAdmin(
  office: PeopleOffice,
  author: Author,
  merchantId: string,
  input: unknown,
): Promise<Done<CreatedPerson> | Existed<Person> | Conflict | Invalid | Unknown | Wait> {
  const name = office.personKeys.nameOfTries(`new people of ${merchantId.toLowerCase()}`);
  const tries = triesIn(office.sql);
  const seconds = await tries.take(name, name);
  if (seconds > 0) return { kind: "wait", seconds };
  const result = await createPerson(office, author, merchantId, input);
  if (result.kind !== "invalid" || !("email" in result.problems)) await tries.giveBack(name);
  return result;
}

/**
 * Without a password: nobody signs in before somebody gives the person one (`resetPassword`). With an entry in the audit log.
 * @param merchantId null: an operator
 */
export async function createPersonWithoutPassword(
  office: PeopleOffice,
  author: Author,
  merchantId: string | null,
  input: unknown,
): Promise<Done<Person> | Existed<Person> | Conflict | Invalid | Unknown> {
  if (merchantId !== null && (await findMerchant(office.sql, merchantId)) === undefined)
    return unknown("merchant", merchantId);
  const problems = problemsOfGivenId(problemsOf(merchantId === null ? NewOperator : NewPerson, input), input);
  return noProblems(problems)
    ? store(office, author, input as NewPerson, merchantId, office.passwords.none())
    : invalid(problems);
}

async function create(
  office: PeopleOffice,
  author: Author,
  input: NewPerson,
  merchantId: string | null,
): Promise<Done<CreatedPerson> | Existed<Person> | Conflict | Invalid> {
  const password = newPassword();
  const hash = await office.passwords.hash(password, author.merchantId ?? author.actor);
  const stored = await store(office, author, input, merchantId, hash);
  return stored.kind === "done" ? done({ ...stored.value, password }) : stored;
}

async function store(
  office: Backoffice,
  author: Author,
  { name, email, role, ...given }: NewPerson,
  merchantId: string | null,
  hash: string,
): Promise<Done<Person> | Existed<Person> | Conflict | Invalid> {
  const now = office.clock.now();
  const id = idFor("person", merchantId, given, now);
  const row = { id, merchant_id: merchantId, role, name, email, created_at: now };
  return audited<Done<Person> | Existed<Person> | Conflict | Invalid>(office, author, async (sql) => {
    const before = await there(sql, row);
    if (before !== undefined) return { result: before };
    // A transaction's user_id names either. If it is this person, somebody else has created it since the line before.
    if ((await sql`select 1 from users where id = ${id}`).length > 0)
      return { result: (await there(sql, row)) ?? invalid(takenId("user")) };
    const usedUp = author.merchantId !== undefined && merchantId !== null && (await usersUsedUp(sql, merchantId));
    if (usedUp) return { result: usedUp };
    const [created] = await sql`
      insert into people ${sql({ ...row, account: accountOf(email), password_hash: hash, must_change_password: true, locked: false })}
      on conflict do nothing returning ${sql.unsafe(PERSON_COLUMNS)}`;
    // Somebody else may have created it just now.
    if (created === undefined)
      return { result: (await there(sql, row)) ?? invalid({ email: ["is the e-mail of another person"] }) };
    const { role: _, ...user } = row;
    if (merchantId !== null) await sql`insert into users ${sql({ ...user, merchant_id: merchantId })}`;
    const person = showPerson(personRow(created));
    return {
      result: done(person),
      entry: { action: "person.create", subject: ["person", person.id], after: person },
    };
  });
}

async function there(
  sql: TransactionSql,
  { id, merchant_id, role, name, email }: Pick<PersonRow, "id" | "merchant_id" | "role" | "name" | "email">,
): Promise<Existed<Person> | Conflict | Invalid | undefined> {
  const [found] = await sql`select ${sql.unsafe(PERSON_COLUMNS)} from people where id = ${id}`;
  if (found === undefined) return undefined;
  const before = showPerson(personRow(found));
  if (before.merchant_id !== merchant_id) return invalid(takenId("person"));
  return createdBefore("person", before, { id, role, name, email, locked: false });
}

/** Oldest first; of a merchant, or operators and all merchants' people. Undefined where there is no such merchant. */
export async function listPeople(sql: Sql, page: Page, merchantId?: string): Promise<Person[] | undefined> {
  if (merchantId !== undefined && (await findMerchant(sql, merchantId)) === undefined) return undefined;
  const rows = await sql`
    select ${sql.unsafe(PERSON_COLUMNS)} from people
    where id > ${startOf(page)} and ${merchantId === undefined ? sql`true` : sql`merchant_id = ${merchantId}`}
    order by id limit ${limitOf(page)}`;
  return rows.map((row) => showPerson(personRow(row)));
}

/** As it is shown; undefined where there is none. */
export async function findPerson(sql: Sql, id: string): Promise<Person | undefined> {
  if (!isUuid(id)) return undefined;
  const [row] = await sql`select ${sql.unsafe(PERSON_COLUMNS)} from people where id = ${id}`;
  return row && showPerson(personRow(row));
}

/** @param asker who may neither lock itself nor change its own role: somebody must be left who can */
export async function changePerson(
  office: Backoffice,
  author: Author,
  id: string,
  input: unknown,
  asker?: string,
): Promise<Done<Person> | Invalid | Unknown> {
  const problems = problemsOf(PersonChange, input);
  if (!noProblems(problems)) return invalid(problems);
  const { name, role, locked } = input as PersonChange;
  return changed<Done<Person> | Invalid>(office, author, id, async (sql, row) => {
    const wanted = { name: name ?? row.name, role: role ?? row.role, locked: locked ?? row.locked };
    const wrong = problemsOfChange(row, wanted, asker);
    if (wrong !== undefined) return { result: invalid(wrong) };
    const [before, after] = [showPerson(row), showPerson({ ...row, ...wanted })];
    if (isDeepStrictEqual(before, after)) return { result: done(before) };
    await sql`update people set ${sql(wanted)} where id = ${row.id}`;
    if (after.locked) await endSessions(sql, row.id);
    return { result: done(after), entry: { action: "person.change", subject: ["person", row.id], before, after } };
  });
}

interface Wanted {
  readonly role: Role;
  readonly locked: boolean;
}

function problemsOfChange(row: PersonRow, wanted: Wanted, asker: string | undefined) {
  if (isOperator(row.role) !== isOperator(wanted.role))
    return { role: [`must be ${isOperator(row.role) ? "an operator's role" : "a role at a merchant"}`] };
  if (row.id !== asker) return undefined;
  if (wanted.role !== row.role) return { role: ["is your own: somebody else must change it"] };
  return wanted.locked ? { locked: ["must not be true: you cannot lock yourself out"] } : undefined;
}

/** What people change for themselves, they confirm with their password: a session that was left open is not enough. */
const OWN = invalid({ base: ["This is your own account: change it with your password, under /session."] });

/**
 * A new first password, shown this once. The person is signed out everywhere, and no longer waits for too many tries.
 * @param asker who may not be the person
 */
export async function resetPassword(
  office: PeopleOffice,
  author: Author,
  id: string,
  asker?: string,
): Promise<Done<CreatedPerson> | Invalid | Unknown> {
  if (id.toLowerCase() === asker) return OWN;
  const password = newPassword();
  const hash = await office.passwords.hash(password, author.merchantId ?? author.actor);
  return changed<Done<CreatedPerson>>(office, author, id, async (sql, row) => {
    await keepPast(sql, row.id);
    await sql`update people set password_hash = ${hash}, must_change_password = true where id = ${row.id}`;
    await endSessions(sql, row.id);
    await triesIn(sql).forgetAll(office.personKeys.nameOfTries(accountOf(row.email)));
    const [before, after] = [showPerson(row), showPerson({ ...row, must_change_password: true })];
    return {
      result: done({ ...after, password }),
      entry: { action: "person.change", subject: ["person", row.id], before, after: { ...after, reset: "password" } },
    };
  });
}

/** For who lost it. The person is signed out everywhere. @param asker who may not be the person */
export async function removeSecondFactor(
  office: Backoffice,
  author: Author,
  id: string,
  asker?: string,
): Promise<Done<Person> | Invalid | Unknown> {
  if (id.toLowerCase() === asker) return OWN;
  return changed<Done<Person>>(office, author, id, async (sql, row) => {
    await sql`update people set second_factor = null, pending_second_factor = null where id = ${row.id}`;
    await sql`delete from recovery_codes where person_id = ${row.id}`;
    await endSessions(sql, row.id);
    const [before, after] = [showPerson(row), showPerson({ ...row, has_second_factor: false })];
    return { result: done(after), entry: { action: "person.change", subject: ["person", row.id], before, after } };
  });
}

/** Everywhere. */
export async function signPersonOut(office: Backoffice, author: Author, id: string): Promise<Done<Person> | Unknown> {
  return changed<Done<Person>>(office, author, id, async (sql, row) => {
    await endSessions(sql, row.id);
    return {
      result: done(showPerson(row)),
      entry: { action: "session.revoke", subject: ["person", row.id], after: { everywhere: true } },
    };
  });
}

/** All sessions of a person. */
export async function endSessions(sql: TransactionSql, personId: string): Promise<void> {
  await sql`delete from sessions where person_id = ${personId}`;
}

/** A change of one person, whose row nobody else changes meanwhile. */
async function changed<T>(
  office: Backoffice,
  author: Author,
  id: string,
  change: (sql: TransactionSql, row: PersonRow) => Promise<{ readonly result: T; readonly entry?: Entry }>,
): Promise<T | Unknown> {
  if (!isUuid(id)) return unknown("person", id);
  return audited<T | Unknown>(office, author, async (sql) => {
    const [found] = await sql`select ${sql.unsafe(PERSON_COLUMNS)} from people where id = ${id} for update`;
    return found === undefined ? { result: unknown("person", id) } : change(sql, personRow(found));
  });
}
