// Whether a code is one of a person's second factor, or a recovery code that stands in for it. A code that was right is spent.

import type { TransactionSql } from "../journal/sql/sql.ts";
import type { PersonKeys } from "./keys.ts";
import { stepOf } from "./one-time-codes.ts";
import { hashOfRecoveryCode } from "./spoken-codes.ts";

/** What was sent: one of them, or neither. */
export interface SentCode {
  readonly code?: string | undefined;
  readonly recovery_code?: string | undefined;
}

export type ProblemOfCode = { readonly field: "code" | "recovery_code"; readonly kind: "needed" | "wrong" };

/** Who has one, sealed. */
interface Holder {
  readonly id: string;
  readonly secondFactor: Buffer;
}

interface Office {
  readonly sql: TransactionSql;
  readonly personKeys: PersonKeys;
}

/** Undefined: the code is right, and cannot be used again. */
export async function problemOfCode(
  office: Office,
  holder: Holder,
  { code, recovery_code }: SentCode,
): Promise<ProblemOfCode | undefined> {
  if (recovery_code !== undefined)
    return (await spendRecoveryCode(office, holder, recovery_code))
      ? undefined
      : { field: "recovery_code", kind: "wrong" };
  if (code === undefined) return { field: "code", kind: "needed" };
  return (await spendCode(office, holder, code)) ? undefined : { field: "code", kind: "wrong" };
}

/** Whether it is the person's code of now. It is not taken again. */
async function spendCode({ sql, personKeys }: Office, { id, secondFactor }: Holder, code: string): Promise<boolean> {
  const step = stepOf(personKeys.open(secondFactor, id), code.replaceAll(" ", ""), Date.now());
  if (step === undefined) return false;
  const { count } = await sql`update people set last_step = ${step} where id = ${id} and last_step < ${step}`;
  return count === 1;
}

async function spendRecoveryCode({ sql }: Office, { id }: Holder, code: string): Promise<boolean> {
  const { count } = await sql`
    delete from recovery_codes where person_id = ${id} and code_hash = ${hashOfRecoveryCode(code)}`;
  return count === 1;
}
