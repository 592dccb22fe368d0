// The passwords that a person chose before, as hashes, so that none of the last four is chosen again (PCI DSS 8.3.7). First
// passwords are not among them: nobody chose those.

import { rowReader, text } from "../journal/rows.ts";
import type { TransactionSql } from "../journal/sql/sql.ts";

/** With the one that is in force, if the person chose it. */
const NOT_AGAIN = 4;

/** To be called before the person's password is replaced: it is a past one then. */
export async function keepPast(sql: TransactionSql, personId: string): Promise<void> {
  await sql`
    insert into past_passwords (person_id, password_hash)
    select id, password_hash from people where id = ${personId} and not must_change_password`;
  await sql`
    delete from past_passwords where person_id = ${personId} and id not in (
      select id from past_passwords where person_id = ${personId} order by id desc limit ${NOT_AGAIN})`;
}

const pastRow = rowReader("past_passwords", { password_hash: text });

/** Hashes of those that are not to be chosen again, the latest first, without the one in force. */
export async function pastPasswords(sql: TransactionSql, personId: string): Promise<string[]> {
  const rows = await sql`
    select password_hash from past_passwords where person_id = ${personId} order by id desc
    limit (select ${NOT_AGAIN}::int - (not must_change_password)::int from people where id = ${personId})`;
  return rows.map((row) => pastRow(row).password_hash);
}
