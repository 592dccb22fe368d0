// A merchant's users, who have tokens. A transaction's user_id names one.
import Type from "typebox";
import type { Sql } from "../journal/database.ts";
import { instant, rowReader, text } from "../journal/rows.ts";
import { isUuid, newId } from "../uuid.ts";
import { Email, Name, Timestamp, timestamp, Uuid } from "../validation/fields.ts";
import { noProblems, problemsOf } from "../validation/problems.ts";
import { audited } from "./audit.ts";
import {
  type Author,
  type Backoffice,
  type Done,
  done,
  type Invalid,
  invalid,
  limitOf,
  type Page,
  startOf,
  type Unknown,
  unknown,
} from "./backoffice.ts";
import { findMerchant } from "./merchants.ts";
import { usersUsedUp } from "./own-shares.ts";

export const NewUser = Type.Object(
  { name: { ...Name, examples: ["Jane Doe"] }, email: Email },
  { description: "What a user of a merchant is created from." },
);
export type NewUser = Type.Static<typeof NewUser>;

export const User = Type.Object({ id: Uuid, merchant_id: Uuid, name: Name, email: Email, created_at: Timestamp });
export type User = Type.Static<typeof User>;

/** With an entry in the audit log. @param id of nothing else */
export async function createUser(
  office: Backoffice,
  author: Author,
  merchantId: string,
  input: unknown,
  id: string = newId(office.clock.now()),
): Promise<Done<User> | Invalid | Unknown> {
  const merchant = await findMerchant(office.sql, merchantId);
  if (merchant === undefined) return unknown("merchant", merchantId);
  const problems = problemsOf(NewUser, input);
  if (!noProblems(problems)) return invalid(problems);
  const { name, email } = input as NewUser;
  const row = { id, merchant_id: merchant.id, name, email, created_at: office.clock.now() };
  return audited<Done<User> | Invalid>(office, author, async (sql) => {
    const usedUp = author.merchantId !== undefined && (await usersUsedUp(sql, merchant.id));
    if (usedUp) return { result: usedUp };
    await sql`insert into users ${sql(row)}`;
    const user = show(row);
    return { result: done(user), entry: { action: "user.create", subject: ["user", user.id], after: user } };
  });
}

/** Undefined where there is no such merchant. */
export async function listUsers(sql: Sql, merchantId: string, page: Page = {}): Promise<User[] | undefined> {
  if ((await findMerchant(sql, merchantId)) === undefined) return undefined;
  const rows = await sql`
    select * from users where merchant_id = ${merchantId} and id > ${startOf(page)} order by id limit ${limitOf(page)}`;
  return rows.map((row) => show(userRow(row)));
}

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
