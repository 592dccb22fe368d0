// What people do for their second factor themselves: set one up, replace it, remove it, get new recovery codes.

import { randomBytes } from "node:crypto";
import Type from "typebox";
import { bytes, orNull } from "../journal/rows.ts";
import type { TransactionSql } from "../journal/sql/sql.ts";
import { audited } from "../merchants/audit.ts";
import { type Author, type Done, done, type Invalid, invalid } from "../merchants/backoffice.ts";
import { base32, otpauthUri, stepOf } from "./one-time-codes.ts";
import { ENDED, type Ended, lives, type Proof, problemOfProof, type Renewed, renewing, Typed } from "./own-proof.ts";
import type { PeopleOffice } from "./people.ts";
import { accountOf } from "./person.ts";
import { isOperator } from "./roles.ts";
import type { Session } from "./sessions.ts";
import { hashOfRecoveryCode, newRecoveryCodes } from "./spoken-codes.ts";
import { triesIn, type Wait } from "./tries.ts";

export const WithCode = Type.Object({ code: Typed });

export interface PendingSecondFactor {
  /** Base 32, for who types it. */
  readonly secret: string;
  readonly uri: string;
}

/** Shown, and not in force before a code of it is sent. */
export async function prepareSecondFactor(
  office: PeopleOffice,
  session: Session,
  { password, ...codes }: Proof,
): Promise<Done<PendingSecondFactor> | Invalid | Wait> {
  const wrong = await problemOfProof(office, session, password, codes);
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
): Promise<Done<Renewed & { readonly codes: readonly string[] }> | Invalid | Wait | Ended> {
  const tries = triesIn(office.sql);
  const name = office.personKeys.nameOfTries(`second factor ${session.personId}`);
  const seconds = await tries.take(name, office.personKeys.nameOfTries(accountOf(session.email)));
  if (seconds > 0) return { kind: "wait", seconds };
  const [row] = await office.sql`select pending_second_factor from people where id = ${session.personId}`;
  const sealed = orNull(bytes)(row?.pending_second_factor ?? null);
  if (sealed === null) return invalid({ code: ["belongs to no second factor: prepare one first"] });
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
  { password, ...codes }: Proof,
): Promise<Done<readonly string[]> | Invalid | Wait | Ended> {
  const wrong = await problemOfProof(office, session, password, codes);
  if (wrong !== undefined) return wrong;
  if (!session.secondFactor) return invalid({ base: ["There is no second factor to recover."] });
  return audited<Done<readonly string[]> | Ended>(office, author, async (sql) => {
    if (!(await lives(sql, session))) return { result: ENDED };
    return {
      result: done(await replaceRecoveryCodes(sql, session.personId)),
      entry: { action: "person.change", subject: ["person", session.personId], after: { recovery_codes: "renewed" } },
    };
  });
}

/** Operators in live mode keep theirs. */
export async function dropSecondFactor(
  office: PeopleOffice,
  author: Author,
  session: Session,
  { password, ...codes }: Proof,
): Promise<Done<Renewed> | Invalid | Wait | Ended> {
  if (office.mode === "live" && isOperator(session.role))
    return invalid({ base: ["Operators have a second factor in live mode. Set up another one instead."] });
  const wrong = await problemOfProof(office, session, password, codes);
  if (wrong !== undefined) return wrong;
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
