// Where a merchant's payers may be sent after a challenge, and the secret by which the merchant knows that the gateway sent them.

import Type from "typebox";
import type { Sql } from "../journal/database.ts";
import { count, orNull, rowReader, texts } from "../journal/rows.ts";
import { isUuid } from "../uuid.ts";
import { audited } from "./audit.ts";
import { type Author, type Backoffice, type Done, done, type Unknown, unknown } from "./backoffice.ts";

export const ReturnHosts = Type.Array(
  Type.String({
    pattern: "^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?(:[1-9][0-9]{0,4})?$",
    description: "A host name in lower case, with a port unless it is 443",
  }),
  {
    maxItems: 50,
    uniqueItems: true,
    description:
      "Hosts to which payers may be sent after a challenge: a charge's return_url must be an https address on one of them. Subdomains count as hosts of their own.",
    examples: [["shop.example.com"]],
  },
);

export const ReturnSecret = Type.Object({
  secret: Type.String({
    description: "What the signature of a payer's return is checked with. Shown this once.",
    examples: ["fgret_2vJ8c0V5m9sXb7nqk1tYw3zLd6hRgPfUeA4oMiBxQsE"],
  }),
});
export type ReturnSecret = Type.Static<typeof ReturnSecret>;

/** Fresh: whoever was just added counts. */
export async function returnHostsOf(sql: Sql, merchantId: string): Promise<readonly string[]> {
  const [row] = await sql`select return_hosts from merchants where id = ${merchantId}`;
  return row ? (hostsRow(row).return_hosts ?? []) : [];
}

const hostsRow = rowReader("merchants", { return_hosts: orNull(texts) });

/** How often the secret was made anew. 0: nobody has seen it yet. */
export async function nthReturnSecret(sql: Sql, merchantId: string): Promise<number> {
  const [row] = await sql`select coalesce(return_secret, 0) as nth from merchants where id = ${merchantId}`;
  return row ? secretRow(row).nth : 0;
}

const secretRow = rowReader("merchants", { nth: count });

/**
 * A new one, shown this once, with an entry in the audit log. From now on payers come back with signatures made with it.
 * @param secretOf the n-th secret of a merchant
 */
export async function renewReturnSecret(
  office: Backoffice,
  author: Author,
  merchantId: string,
  secretOf: (merchantId: string, nth: number) => string,
): Promise<Done<ReturnSecret> | Unknown> {
  if (!isUuid(merchantId)) return unknown("merchant", merchantId);
  return audited<Done<ReturnSecret> | Unknown>(office, author, async (sql) => {
    const [row] = await sql`
      update merchants set return_secret = coalesce(return_secret, 0) + 1 where id = ${merchantId}
      returning return_secret as nth`;
    if (row === undefined) return { result: unknown("merchant", merchantId) };
    const { nth } = secretRow(row);
    return {
      result: done({ secret: secretOf(merchantId, nth) }),
      entry: {
        action: "return-secret.create",
        subject: ["merchant", merchantId.toLowerCase()],
        before: { return_secrets_made: nth - 1 },
        after: { return_secrets_made: nth },
      },
    };
  });
}
