// How many tokens and users a merchant's own people may create. Operators may create more.

import { count } from "../journal/rows.ts";
import type { TransactionSql } from "../journal/sql/sql.ts";
import { type Invalid, invalid } from "./backoffice.ts";

/** Each has a rate limit of its own, so that without a bound there would be none. */
const MOST_TOKENS = 50;
/** People are among them. */
const MOST_USERS = 200;

/** @returns why the merchant's own people make no further one */
export async function tokensUsedUp(sql: TransactionSql, merchantId: string, now: Date): Promise<Invalid | undefined> {
  await lock(sql, merchantId);
  const [inForce] = await sql`
    select count(*)::int as there from tokens
    where merchant_id = ${merchantId} and revoked_at is null and (expires_at is null or expires_at > ${now})`;
  if (count(inForce?.there) < MOST_TOKENS) return undefined;
  return invalid({ base: [`A merchant has ${MOST_TOKENS} tokens in force: revoke one, or ask an operator for more.`] });
}

/** @returns why the merchant's own people make no further one */
export async function usersUsedUp(sql: TransactionSql, merchantId: string): Promise<Invalid | undefined> {
  await lock(sql, merchantId);
  const [all] = await sql`select count(*)::int as there from users where merchant_id = ${merchantId}`;
  if (count(all?.there) < MOST_USERS) return undefined;
  return invalid({ base: [`A merchant has ${MOST_USERS} users, its people among them: ask an operator for more.`] });
}

/** Two at once would both find the last place. */
async function lock(sql: TransactionSql, merchantId: string): Promise<void> {
  await sql`select 1 from merchants where id = ${merchantId} for update`;
}
