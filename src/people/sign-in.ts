// Signing in. Who guesses is slowed, and is told nothing: an unknown e-mail, a wrong password and a locked person look alike and
// take as long. Who signed in on a device before has tries of their own there, and a first password is taken whatever strangers
// tried, so that nobody can be locked out by guessing.

import Type from "typebox";
import { bytes, flag, orNull, rowReader, text } from "../journal/rows.ts";
import type { TransactionSql } from "../journal/sql/sql.ts";
import { audited } from "../merchants/audit.ts";
import { networkOf } from "../shares/network.ts";
import { MAY_HOLD } from "../validation/stray-card-numbers.ts";
import type { PeopleOffice } from "./people.ts";
import { accountOf } from "./person.ts";
import { type ProblemOfCode, problemOfCode } from "./second-factor.ts";
import { beginSession } from "./sessions.ts";
import { isFirstPassword } from "./spoken-codes.ts";
import { triesIn } from "./tries.ts";

const typed = (maxLength: number) => Type.String({ minLength: 1, maxLength, [MAY_HOLD]: "anything" });

export const SigningIn = Type.Object({
  email: typed(255),
  password: typed(1_000),
  code: Type.Optional(typed(20)),
  recovery_code: Type.Optional(typed(100)),
});
export type SigningIn = Type.Static<typeof SigningIn>;

export type SignedIn =
  | { readonly kind: "signed-in"; readonly secret: string; readonly device: string }
  | Refused
  | { readonly kind: "code-needed" }
  | { readonly kind: "wait"; readonly seconds: number };

/** For the audit log, whose account it was; nothing of this is told to who tried. */
export interface Refused {
  readonly kind: "refused";
  readonly personId: string | undefined;
  readonly wrong: "password" | "code" | "recovery_code";
}

export interface From {
  readonly address: string;
  /** What the browser keeps of an earlier sign-in. */
  readonly device: string | undefined;
}

/** With an entry in the audit log if it succeeds. Every try counts until one is right. */
export async function signIn(office: PeopleOffice, input: SigningIn, from: From): Promise<SignedIn> {
  const account = accountOf(input.email);
  const known = office.personKeys.knows(from.device, account);
  const nameOf = (what: string) => office.personKeys.nameOfTries(what);
  const [tries, ofAccount] = [triesIn(office.sql), nameOf(account)];
  let name = known ? nameOf(`${account} ${from.device}`) : ofAccount;
  let seconds = await tries.take(name, ofAccount);
  const mayBeFirst = isFirstPassword(input.password);
  if (seconds > 0 && !mayBeFirst) return { kind: "wait", seconds };
  const person = await personOf(office, account);
  const asker = { holder: networkOf(from.address), known };
  const right = await office.passwords.matches(input.password, person?.password_hash, asker);
  if (seconds > 0) {
    if (!right || person?.must_change_password !== true) return { kind: "wait", seconds };
    // Whoever has the password guesses the code no more often for it.
    name = nameOf(`first password ${account}`);
    seconds = await tries.take(name, ofAccount);
    if (seconds > 0) return { kind: "wait", seconds };
  }
  if (person === undefined || !right || person.locked)
    return { kind: "refused", personId: person?.id, wrong: "password" };
  const problem = await problemOfFactor(office, person, input);
  // The password was right: to ask for the code is no failure.
  if (problem?.kind === "needed") {
    await tries.giveBack(name);
    return { kind: "code-needed" };
  }
  if (problem !== undefined) return { kind: "refused", personId: person.id, wrong: problem.field };
  const secret = await letIn(office, person, from, input.recovery_code !== undefined);
  if (secret === undefined) return { kind: "refused", personId: person.id, wrong: "password" };
  await tries.forget(name);
  return { kind: "signed-in", secret, device: known ? from.device : office.personKeys.newDevice(account) };
}

interface Found {
  readonly id: string;
  readonly role: string;
  readonly email: string;
  readonly password_hash: string;
  readonly must_change_password: boolean;
  readonly locked: boolean;
  readonly second_factor: Buffer | null;
}

const foundRow = rowReader<Found>("people", {
  id: text,
  role: text,
  email: text,
  password_hash: text,
  must_change_password: flag,
  locked: flag,
  second_factor: orNull(bytes),
});

async function personOf({ sql }: PeopleOffice, account: string): Promise<Found | undefined> {
  // PostgreSQL keeps no such text.
  if (account.includes("\0") || !account.isWellFormed()) return undefined;
  const [row] = await sql`
    select id, role, email, password_hash, must_change_password, locked, second_factor
    from people where account = ${account}`;
  return row && foundRow(row);
}

const problemOfFactor = async (
  office: PeopleOffice,
  { id, second_factor: secondFactor }: Found,
  input: SigningIn,
): Promise<ProblemOfCode | undefined> =>
  secondFactor === null ? undefined : problemOfCode(office, { id, secondFactor }, input);

class ChangedMeanwhile extends Error {}

/**
 * A new session: none that was there before the password was given becomes one. Undefined: while the password was being
 * checked, it or the second factor was changed, or the person locked.
 */
async function letIn(
  office: PeopleOffice,
  person: Found,
  { address }: From,
  byRecoveryCode: boolean,
): Promise<string | undefined> {
  const author = { actor: `${person.role} ${person.email}`, source: address };
  const { id, password_hash, second_factor } = person;
  const how = second_factor === null ? "password" : byRecoveryCode ? "recovery code" : "password and code";
  const signedIn = audited(office, author, async (sql: TransactionSql) => {
    const { count } = await sql`
      update people set last_signed_in_at = ${office.clock.now()}
      where id = ${id} and not locked and password_hash = ${password_hash}
        and second_factor is not distinct from ${second_factor}::bytea`;
    if (count === 0) throw new ChangedMeanwhile();
    const secret = await beginSession(sql, id);
    return { result: secret, entry: { action: "session.create", subject: ["person", id], after: { by: how } } };
  });
  return signedIn.catch((fault: unknown) => {
    if (fault instanceof ChangedMeanwhile) return undefined;
    throw fault;
  });
}
