// A merchant's users, who have tokens. A transaction's user_id names one.
import Type from "typebox";
import type { Sql } from "../journal/database.ts";
import { instant, rowReader, text } from "../journal/rows.ts";
import type { TransactionSql } from "../journal/sql/sql.ts";
import { isUuid } from "../uuid.ts";
import { Email, Name, Timestamp, timestamp, Uuid } from "../validation/fields.ts";
import { noProblems, problemsOf } from "../validation/problems.ts";
import { audited } from "./audit.ts";
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
} from "./backoffice.ts";
import { createdBefore, GIVEN_ID, idFor, problemsOfGivenId, takenId } from "./given-id.ts";
import { findMerchant } from "./merchants.ts";
import { usersUsedUp } from "./own-shares.ts";

export const NewUser = Type.Object(
  { ...GIVEN_ID, name: { ...Name, examples: ["Jane Doe"] }, email: Email },
  { description: "What a user of a merchant is created from." },
);
export type NewUser = Type.Static<typeof NewUser>;

export const User = Type.Object({ id: Uuid, merchant_id: Uuid, name: Name, email: Email, created_at: Timestamp });
export type User = Type.Static<typeof User>;

/** With an entry in the audit log. */
export async function createUser(
  office: Backoffice,
  author: Author,
  merchantId: string,
  input: unknown,
): Promise<Done<User> | Existed<User> | Conflict | Invalid | Unknown> {
  const merchant = await findMerchant(office.sql, merchantId);
  if (merchant === undefined) return unknown("merchant", merchantId);
  const problems = problemsOfGivenId(problemsOf(NewUser, input), input);
  if (!noProblems(problems)) return invalid(problems);
  const { name, email, ...given } = input as NewUser;
  const now = office.clock.now();
  const row = { id: idFor("user", merchant.id, given, now), merchant_id: merchant.id, name, email, created_at: now };
  return audited<Done<User> | Existed<User> | Conflict | Invalid>(office, author, async (sql) => {
    const before = await there(sql, row);
    if (before !== undefined) return { result: before };
    const usedUp = author.merchantId !== undefined && (await usersUsedUp(sql, merchant.id));
    if (usedUp) return { result: usedUp };
    const inserted = await sql`insert into users ${sql(row)} on conflict do nothing`;
    // Somebody else created it just now.
    if (inserted.count === 0) return { result: (await there(sql, row)) ?? invalid(takenId("user")) };
    const user = show(row);
    return { result: done(user), entry: { action: "user.create", subject: ["user", user.id], after: user } };
  });
}

async function there(
  sql: TransactionSql,
  { id, merchant_id, name, email }: Omit<UserRow, "created_at">,
): Promise<Existed<User> | Conflict | Invalid | undefined> {
  const [found] = await sql`select * from users where id = ${id}`;
  if (found === undefined) return undefined;
  const before = show(userRow(found));
  if (before.merchant_id !== merchant_id) return invalid(takenId("user"));
  return createdBefore("user", before, { id, name, email });
}

/** Undefined where there is no such merchant. */
export async function listUsers(sql: Sql, merchantId: string, page: Page = {}): Promise<User[] | undefined> {
  if ((await findMerchant(sql, merchantId)) === undefined) return undefined;
  const rows = await sql`
    select * from users where merchant_id = ${merchantId} and id > ${startOf(page)} order by id limit ${limitOf(page)}`;
  return rows.map((row) => show(userRow(row)));
}

/** Of this merchant; undefined: it has none with this id. */
export async function findUser(sql: Sql, merchantId: string, id: string): Promise<User | undefined> {
  if (!isUuid(merchantId) || !isUuid(id)) return undefined;
  const [row] = await sql`select * from users where merchant_id = ${merchantId} and id = ${id}`;
  return row && show(userRow(row));
}

/** Whoever's it is. */
export async function findAnyUser(sql: Sql, id: string): Promise<User | undefined> {
  if (!isUuid(id)) return undefined;
  const [row] = await sql`select * from users where id = ${id}`;
  return row && show(userRow(row));
}

interface UserRow {
  readonly id: string;
  readonly merchant_id: string;
  readonly name: string;
  readonly email: string;
  readonly created_at: Date;
}

const userRow = rowReader<UserRow>("users", {
  id: text,
  merchant_id: text,
  name: text,
  email: text,
  created_at: instant,
});

const show = ({ created_at, ...rest }: UserRow): User => ({ ...rest, created_at: timestamp(created_at) });
