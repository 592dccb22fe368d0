// What people do for themselves: choose a new password, sign out. For second factors see own-second-factor.ts.

import Type from "typebox";
import { audited } from "../merchants/audit.ts";
import { type Author, type Done, type Invalid, invalid } from "../merchants/backoffice.ts";
import { type Ended, problemOfProof, type Renewed, renewing, Typed } from "./own-proof.ts";
import { keepPast, pastPasswords } from "./past-passwords.ts";
import { endSessions, type PeopleOffice } from "./people.ts";
import { accountOf, ChosenPassword } from "./person.ts";
import type { Session } from "./sessions.ts";
import type { Wait } from "./tries.ts";

export const NewPassword = Type.Object({ password: Typed, new_password: ChosenPassword });

/** All other sessions end. */
export async function changePassword(
  office: PeopleOffice,
  author: Author,
  session: Session,
  { password, new_password }: Type.Static<typeof NewPassword>,
): Promise<Done<Renewed> | Invalid | Wait | Ended> {
  const wrong = await problemOfProof(office, session, password);
  if (wrong !== undefined) return wrong;
  const problem = problemOfNew(session, password, new_password);
  if (problem !== undefined) return invalid({ new_password: [problem] });
  if (await wasUsed(office, session, new_password))
    return invalid({ new_password: ["must not be one of your last four passwords"] });
  const hash = await office.passwords.hash(new_password, session.personId);
  return renewing(office, author, session, { password: "changed" }, async (sql) => {
    await keepPast(sql, session.personId);
    await sql`update people set password_hash = ${hash}, must_change_password = false where id = ${session.personId}`;
    return {};
  });
}

/** Whether it is among the last four that the person chose, of which one may be in force. */
async function wasUsed({ sql, passwords }: PeopleOffice, { personId }: Session, password: string): Promise<boolean> {
  for (const hash of await pastPasswords(sql, personId))
    if (await passwords.matches(password, hash, { holder: personId, known: true })) return true;
  return false;
}

/** PCI DSS 8.3.6: letters and digits. NIST SP 800-63B, 3.1.1.2: what follows from the person is guessed first. */
function problemOfNew({ name, email }: Session, before: string, password: string): string | undefined {
  const given = accountOf(password);
  if (password === before) return "must differ from the present one";
  const [local = ""] = accountOf(email).split("@");
  if ([accountOf(email), accountOf(name), local].includes(given) || given.includes(accountOf(email)))
    return "must not repeat your name or e-mail";
  if (!/\p{L}/u.test(password) || !/\p{N}/u.test(password)) return "must have letters and digits";
  return new Set(given).size < 5 ? "must have at least five different characters" : undefined;
}

/** Signed out, here or everywhere. */
export async function signOut(
  office: PeopleOffice,
  author: Author,
  { id, personId }: Session,
  everywhere: boolean,
): Promise<void> {
  await audited(office, author, async (sql) => {
    if (everywhere) {
      // A change in flight begins a session: it is waited for, so that this session ends too.
      await sql`select 1 from people where id = ${personId} for update`;
      await endSessions(sql, personId);
    } else await sql`delete from sessions where id = ${id}`;
    const after = { everywhere };
    return { result: undefined, entry: { action: "session.revoke", subject: ["person", personId], after } };
  });
}
