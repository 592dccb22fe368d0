// What people do for themselves: a new password, a second factor, recovery codes. Each asks for the password again, so that a session
// that was left open is not enough; and each change ends all other sessions.

import { randomBytes } from "node:crypto";
import Type from "typebox";
import { bytes, orNull, text } from "../journal/rows.ts";
import type { TransactionSql } from "../journal/sql/sql.ts";
import { audited } from "../merchants/audit.ts";
import { type Author, type Done, done, type Invalid, invalid } from "../merchants/backoffice.ts";
import { networkOf } from "../shares/network.ts";
import { MAY_HOLD } from "../validation/stray-card-numbers.ts";
import { base32, otpauthUri, stepOf } from "./one-time-codes.ts";
import { endSessions, type PeopleOffice } from "./people.ts";
import { accountOf, ChosenPassword } from "./person.ts";
import { isOperator } from "./roles.ts";
import { beginSession, type Session } from "./sessions.ts";
import { hashOfRecoveryCode, newRecoveryCodes } from "./spoken-codes.ts";
import { triesIn } from "./tries.ts";

const Typed = Type.String({ minLength: 1, maxLength: 1_000, [MAY_HOLD]: "anything" });
export const WithPassword = Type.Object({ password: Typed });
export const NewPassword = Type.Object({ password: Typed, new_password: ChosenPassword });
export const WithCode = Type.Object({ code: Typed });

/** The session goes on under this secret. */
interface Renewed {
  readonly secret: string;
}

/** The tries of a password are used up for some time. */
export type Wait = { readonly kind: "wait"; readonly seconds: number };

const WRONG = invalid({ password: ["is wrong"] });

/** @returns undefined if it is the person's password */
async function problemOfPassword(
  office: PeopleOffice,
  author: Author,
  { personId }: Session,
  password: string,
): Promise<Invalid | Wait | undefined> {
  const tries = triesIn(office.sql);
  const name = office.personKeys.nameOfTries(`own account ${personId}`);
  const seconds = await tries.take(name);
  if (seconds > 0) return { kind: "wait", seconds };
  const [row] = await office.sql`select password_hash from people where id = ${personId}`;
  if (!(await office.passwords.matches(password, text(row?.password_hash), networkOf(author.source)))) return WRONG;
  await tries.forget(name);
  return undefined;
}

/** All other sessions end. */
export async function changePassword(
  office: PeopleOffice,
  author: Author,
  session: Session,
  { password, new_password }: Type.Static<typeof NewPassword>,
): Promise<Done<Renewed> | Invalid | Wait> {
  const wrong = await problemOfPassword(office, author, session, password);
  if (wrong !== undefined) return wrong;
  const problem = problemOfNew(session, password, new_password);
  if (problem !== undefined) return invalid({ new_password: [problem] });
  const hash = await office.passwords.hash(new_password);
  return renewing(office, author, session, { password: "changed" }, async (sql) => {
    await sql`update people set password_hash = ${hash}, must_change_password = false where id = ${session.personId}`;
    return {};
  });
}

/** NIST SP 800-63B, 3.1.1.2: what follows from the person is guessed first. */
function problemOfNew({ name, email }: Session, before: string, password: string): string | undefined {
  const given = accountOf(password);
  if (password === before) return "must be another one than before";
  const [local = ""] = accountOf(email).split("@");
  if ([accountOf(email), accountOf(name), local].includes(given) || given.includes(accountOf(email)))
    return "must not be made of your name or e-mail";
  return new Set(given).size < 5 ? "must have at least five different characters" : undefined;
}

export interface PendingSecondFactor {
  /** Base 32, for who types it. */
  readonly secret: string;
  readonly uri: string;
}

/** Shown, and not in force before a code of it is sent. */
export async function prepareSecondFactor(
  office: PeopleOffice,
  author: Author,
  session: Session,
  password: string,
): Promise<Done<PendingSecondFactor> | Invalid | Wait> {
  const wrong = await problemOfPassword(office, author, session, password);
  if (wrong !== undefined) return wrong;
  // RFC 4226, section 4: as long as the hash.
  const secret = randomBytes(20);
  const sealed = office.personKeys.seal(secret, session.personId);
  await office.sql`update people set pending_second_factor = ${sealed} where id = ${session.personId}`;
  return done({ secret: base32(secret), uri: otpauthUri(session.email, secret) });
}

/** With new recovery codes, which show this once. */
export async function confirmSecondFactor(
  office: PeopleOffice,
  author: Author,
  session: Session,
  code: string,
): Promise<Done<Renewed & { readonly codes: readonly string[] }> | Invalid | Wait> {
  const tries = triesIn(office.sql);
  const name = office.personKeys.nameOfTries(`second factor ${session.personId}`);
  const seconds = await tries.take(name);
  if (seconds > 0) return { kind: "wait", seconds };
  const [row] = await office.sql`select pending_second_factor from people where id = ${session.personId}`;
  const sealed = orNull(bytes)(row?.pending_second_factor ?? null);
  if (sealed === null) return invalid({ code: ["is of no second factor: prepare one first"] });
  const step = stepOf(office.personKeys.open(sealed, session.personId), code.replaceAll(" ", ""), Date.now());
  if (step === undefined) return invalid({ code: ["is wrong"] });
  await tries.forget(name);
  return renewing(office, author, session, { second_factor: true }, async (sql) => {
    await sql`
      update people set second_factor = ${sealed}, pending_second_factor = null, last_step = ${step}
      where id = ${session.personId}`;
    return { codes: await replaceRecoveryCodes(sql, session.personId) };
  });
}

/** The old ones are void. */
export async function renewRecoveryCodes(
  office: PeopleOffice,
  author: Author,
  session: Session,
  password: string,
): Promise<Done<readonly string[]> | Invalid | Wait> {
  const wrong = await problemOfPassword(office, author, session, password);
  if (wrong !== undefined) return wrong;
  if (!session.secondFactor) return invalid({ base: ["There is no second factor to recover."] });
  return audited(office, author, async (sql) => ({
    result: done(await replaceRecoveryCodes(sql, session.personId)),
    entry: { action: "person.change", subject: ["person", session.personId], after: { recovery_codes: "renewed" } },
  }));
}

/** Operators in live mode keep theirs. */
export async function dropSecondFactor(
  office: PeopleOffice,
  author: Author,
  session: Session,
  password: string,
): Promise<Done<Renewed> | Invalid | Wait> {
  const wrong = await problemOfPassword(office, author, session, password);
  if (wrong !== undefined) return wrong;
  if (office.mode === "live" && isOperator(session.role))
    return invalid({ base: ["Operators have a second factor in live mode. Set up another one instead."] });
  return renewing(office, author, session, { second_factor: false }, async (sql) => {
    await sql`update people set second_factor = null, pending_second_factor = null where id = ${session.personId}`;
    await sql`delete from recovery_codes where person_id = ${session.personId}`;
    return {};
  });
}

async function replaceRecoveryCodes(sql: TransactionSql, personId: string): Promise<readonly string[]> {
  const codes = newRecoveryCodes();
  await sql`delete from recovery_codes where person_id = ${personId}`;
  for (const code of codes)
    await sql`insert into recovery_codes (person_id, code_hash) values (${personId}, ${hashOfRecoveryCode(code)})`;
  return codes;
}

/** Signed out, here or everywhere. */
export async function signOut(
  office: PeopleOffice,
  author: Author,
  { id, personId }: Session,
  everywhere: boolean,
): Promise<void> {
  await audited(office, author, async (sql) => {
    if (everywhere) await endSessions(sql, personId);
    else await sql`delete from sessions where id = ${id}`;
    const after = { everywhere };
    return { result: undefined, entry: { action: "session.revoke", subject: ["person", personId], after } };
  });
}

/** A change after which there is one session, under a new secret: who had the old one, or another session, is out. */
async function renewing<T extends object>(
  office: PeopleOffice,
  author: Author,
  { personId }: Session,
  after: object,
  change: (sql: TransactionSql) => Promise<T>,
): Promise<Done<T & Renewed>> {
  return audited(office, author, async (sql) => {
    const made = await change(sql);
    await endSessions(sql, personId);
    const secret = await beginSession(sql, personId);
    return {
      result: done({ ...made, secret }),
      entry: { action: "person.change", subject: ["person", personId], after },
    };
  });
}
