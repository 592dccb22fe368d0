// What a change of one's own account asks for: the password again and, where it concerns a second factor that is on, a code of it. So a
// session that was left open is not enough. After the change there is one session, under a new secret.

import Type from "typebox";
import { bytes, orNull, rowReader, text } from "../journal/rows.ts";
import type { TransactionSql } from "../journal/sql/sql.ts";
import { audited } from "../merchants/audit.ts";
import { type Author, type Done, done, type Invalid, invalid } from "../merchants/backoffice.ts";
import { MAY_HOLD } from "../validation/stray-card-numbers.ts";
import { endSessions, type PeopleOffice } from "./people.ts";
import { accountOf } from "./person.ts";
import { problemOfCode, type SentCode } from "./second-factor.ts";
import { beginSession, type Session } from "./sessions.ts";
import { triesIn, type Wait } from "./tries.ts";

export const Typed = Type.String({ minLength: 1, maxLength: 1_000, [MAY_HOLD]: "anything" });
/** With a code, or a recovery code, where a second factor is on. */
export const WithProof = Type.Object({
  password: Typed,
  code: Type.Optional(Typed),
  recovery_code: Type.Optional(Typed),
});
export type Proof = Type.Static<typeof WithProof>;

/** The session goes on under this secret. */
export interface Renewed {
  readonly secret: string;
}

/** The session ended before the change was made. */
export type Ended = { readonly kind: "ended" };
export const ENDED: Ended = { kind: "ended" };

const WRONG = invalid({ password: ["is wrong"] });
const PROBLEMS_OF_CODES = {
  needed: "is needed: the six digits of your authenticator app",
  wrong: "is wrong, or was used before",
};

const keptRow = rowReader("people", { password_hash: text, second_factor: orNull(bytes) });

const readKept = async (sql: TransactionSql, personId: string) => {
  const [row] = await sql`select password_hash, second_factor from people where id = ${personId}`;
  return keptRow(row ?? {});
};

/**
 * @param codes undefined: the password is enough
 * @returns undefined if it is the person who asks
 */
export async function problemOfProof(
  office: PeopleOffice,
  { personId, email }: Session,
  password: string,
  codes?: SentCode,
): Promise<Invalid | Wait | undefined> {
  const { sql, personKeys } = office;
  const tries = triesIn(sql);
  const name = personKeys.nameOfTries(`own account ${personId}`);
  const seconds = await tries.take(name, personKeys.nameOfTries(accountOf(email)));
  if (seconds > 0) return { kind: "wait", seconds };
  const { password_hash, second_factor: secondFactor } = await readKept(sql, personId);
  if (!(await office.passwords.matches(password, password_hash, { holder: personId, known: true }))) return WRONG;
  if (codes !== undefined && secondFactor !== null) {
    const problem = await problemOfCode(office, { id: personId, secondFactor }, codes);
    // The password was right: to ask for the code is no failure.
    if (problem?.kind === "needed") await tries.giveBack(name);
    if (problem !== undefined) return invalid({ [problem.field]: [PROBLEMS_OF_CODES[problem.kind]] });
  }
  await tries.forget(name);
  return undefined;
}

/** A change after which there is one session, under a new secret: who had the old one, or another session, is out. */
export async function renewing<T extends object>(
  office: PeopleOffice,
  author: Author,
  session: Session,
  after: object,
  change: (sql: TransactionSql) => Promise<T>,
): Promise<Done<T & Renewed> | Ended> {
  const { personId } = session;
  return audited<Done<T & Renewed> | Ended>(office, author, async (sql) => {
    if (!(await lives(sql, session))) return { result: ENDED };
    const made = await change(sql);
    await endSessions(sql, personId);
    const secret = await beginSession(sql, personId);
    return {
      result: done({ ...made, secret }),
      entry: { action: "person.change", subject: ["person", personId], after },
    };
  });
}

/** Whether nobody has ended the session. Nobody can from here on: who ends sessions of a person changes its row first. */
export async function lives(sql: TransactionSql, { id, personId }: Session): Promise<boolean> {
  await sql`select 1 from people where id = ${personId} for update`;
  const rows = await sql`select 1 from sessions where id = ${id} for update`;
  return rows.length > 0;
}
