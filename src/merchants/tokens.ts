// API tokens: who may do what for which merchant, and for how long. Only the hash of a token's secret is kept.
import Type from "typebox";
import type { Sql } from "../journal/database.ts";
import { count, instant, orNull, rowReader, text, words } from "../journal/rows.ts";
import type { TransactionSql } from "../journal/sql/sql.ts";
import { isUuid } from "../uuid.ts";
import { nullable, Timestamp, timestamp, Uuid } from "../validation/fields.ts";
import { MUST_BE, noProblems, type Problems, problemsOf } from "../validation/problems.ts";
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
import { tokensUsedUp } from "./own-shares.ts";
import { mintSecret } from "./token-secret.ts";
import { findUser } from "./users.ts";

/** `charge`: sale and auth; `follow_up`: capture, void, refund, reversal; `cards`: cards on file; `read`: the rest. */
export const SCOPES = ["charge", "follow_up", "read", "cards"] as const;
export type Scope = (typeof SCOPES)[number];

const Scopes = Type.Array(Type.Enum([...SCOPES]), {
  minItems: 1,
  uniqueItems: true,
  description:
    "What the token allows: charge (sale, auth), follow_up (capture, void, refund, reversal), read, cards (storing, listing, changing and deleting cards).",
  examples: [["charge", "follow_up", "read", "cards"]],
});

const EXPIRES_AT = "a time in the future with its offset from UTC, like 2039-01-31T00:00:00Z";
const ExpiresAt = nullable(Type.String({ format: "date-time" }), {
  [MUST_BE]: EXPIRES_AT,
  description: "From when on the token is refused. Without it, the token lives until it is revoked.",
  examples: ["2039-01-31T00:00:00Z"],
});

const RATE_LIMIT_MOST = 1_000_000_000;
const RateLimit = nullable(Type.Integer({ minimum: 0, maximum: RATE_LIMIT_MOST }), {
  [MUST_BE]: `a whole number from 0 to ${RATE_LIMIT_MOST} (0: no limit)`,
  description: "Requests a minute; 0 is no limit at all, null the gateway's default.",
  examples: [600],
});

export const NewToken = Type.Object(
  {
    ...GIVEN_ID,
    user_id: { ...Uuid, description: "A user of the merchant: the user_id of the transactions made with the token." },
    scopes: Scopes,
    expires_at: Type.Optional(ExpiresAt),
    rate_limit_per_minute: Type.Optional(RateLimit),
  },
  { description: "What an API token is created from." },
);
export type NewToken = Type.Static<typeof NewToken>;

export const Token = Type.Object({
  id: Uuid,
  merchant_id: Uuid,
  user_id: Uuid,
  scopes: Scopes,
  rate_limit_per_minute: RateLimit,
  created_at: Timestamp,
  expires_at: nullable(Timestamp, {}),
  revoked_at: nullable(Timestamp, {}),
});
export type Token = Type.Static<typeof Token>;

/** The only answer that ever shows the secret. */
export const CreatedToken = Type.Object({
  ...Token.properties,
  secret: Type.String({ description: "Shown this once: the gateway keeps its hash only." }),
});
export type CreatedToken = Type.Static<typeof CreatedToken>;

/** With an entry in the audit log. The secret shows this once: a token that was created before is shown without it. */
export async function createToken(
  office: Backoffice,
  author: Author,
  merchantId: string,
  input: unknown,
): Promise<Done<CreatedToken> | Existed<Token> | Conflict | Invalid | Unknown> {
  const { secret, hash } = mintSecret(office.mode === "live" ? "live" : "test");
  const kept = await keepToken(office, author, merchantId, input, hash);
  return kept.kind === "done" ? done({ ...kept.value, secret }) : kept;
}

/** A token whose secret was made before. With an entry in the audit log. The hash may not be another token's. */
export async function keepToken(
  office: Backoffice,
  author: Author,
  merchantId: string,
  input: unknown,
  hash: Buffer,
): Promise<Done<Token> | Existed<Token> | Conflict | Invalid | Unknown> {
  const merchant = await findMerchant(office.sql, merchantId);
  if (merchant === undefined) return unknown("merchant", merchantId);
  const now = office.clock.now();
  const problems = await problemsOfToken(office.sql, merchant.id, now, input);
  if (!noProblems(problems)) return invalid(problems);
  const { user_id, scopes, expires_at, rate_limit_per_minute, ...given } = input as NewToken;
  const id = idFor("token", merchant.id, given, now);
  const row: TokenRow = {
    id,
    merchant_id: merchant.id,
    user_id: user_id.toLowerCase(),
    scopes,
    rate_limit_per_minute: rate_limit_per_minute ?? null,
    created_at: now,
    expires_at: expires_at == null ? null : new Date(expires_at),
    revoked_at: null,
  };
  return audited<Done<Token> | Existed<Token> | Conflict | Invalid>(office, author, async (sql) => {
    const before = await there(sql, row);
    if (before !== undefined) return { result: before };
    const usedUp = author.merchantId !== undefined && (await tokensUsedUp(sql, merchant.id, now));
    if (usedUp) return { result: usedUp };
    const inserted = await sql`insert into tokens ${sql({ ...row, secret_hash: hash })} on conflict (id) do nothing`;
    // Somebody else created it just now.
    if (inserted.count === 0) return { result: (await there(sql, row)) ?? invalid(takenId("token")) };
    const token = show(row);
    return {
      result: done(token),
      entry: { action: "token.create", subject: ["token", token.id], after: token },
    };
  });
}

async function there(sql: TransactionSql, row: TokenRow): Promise<Existed<Token> | Conflict | Invalid | undefined> {
  const [found] = await sql`select ${sql.unsafe(COLUMNS)} from tokens where id = ${row.id}`;
  if (found === undefined) return undefined;
  const before = show(tokenRow(found));
  if (before.merchant_id !== row.merchant_id) return invalid(takenId("token"));
  const { created_at: _, ...wanted } = show(row);
  return createdBefore("token", before, wanted);
}

async function problemsOfToken(sql: Sql, merchantId: string, now: Date, input: unknown): Promise<Problems> {
  const problems = problemsOfNewToken(now, input);
  if (problems.base !== undefined || "user_id" in problems) return problems;
  const found = await findUser(sql, merchantId, (input as NewToken).user_id);
  return found === undefined ? { ...problems, user_id: [NO_USER] } : problems;
}

/** A token is used by a user of its merchant. */
export const NO_USER = "must be the id of a user of this merchant";

/** All but whether there is such a user. */
export function problemsOfNewToken(now: Date, input: unknown): Problems {
  const problems = problemsOfGivenId(problemsOf(NewToken, input), input);
  if (problems.base !== undefined) return problems;
  const { expires_at } = input as NewToken;
  const more: Record<string, string[]> = {};
  if (!("expires_at" in problems) && expires_at != null && new Date(expires_at) <= now)
    more.expires_at = [`must be ${EXPIRES_AT}`];
  return { ...problems, ...more };
}

/** Refused from now on, on every node within a second. A second time changes nothing. */
export async function revokeToken(office: Backoffice, author: Author, id: string): Promise<Done<Token> | Unknown> {
  if (!isUuid(id)) return unknown("token", id);
  return audited<Done<Token> | Unknown>(office, author, async (sql) => {
    const [found] = await sql`select ${sql.unsafe(COLUMNS)} from tokens where id = ${id} for update`;
    if (found === undefined) return { result: unknown("token", id) };
    const row = tokenRow(found);
    const before = show(row);
    if (row.revoked_at !== null) return { result: done(before) };
    const revokedAt = office.clock.now();
    await sql`update tokens set revoked_at = ${revokedAt} where id = ${id}`;
    const after = show({ ...row, revoked_at: revokedAt });
    return { result: done(after), entry: { action: "token.revoke", subject: ["token", before.id], before, after } };
  });
}

/** Including those that are revoked or expired. Undefined where there is no such merchant. */
export async function listTokens(sql: Sql, merchantId: string, page: Page = {}): Promise<Token[] | undefined> {
  if ((await findMerchant(sql, merchantId)) === undefined) return undefined;
  const rows = await sql`
    select ${sql.unsafe(COLUMNS)} from tokens where merchant_id = ${merchantId} and id > ${startOf(page)}
    order by id limit ${limitOf(page)}`;
  return rows.map((row) => show(tokenRow(row)));
}

/** By the tokens' ids: the SHA-256 of each secret, as 64 hexadecimal digits. */
export async function hashesOfTokens(sql: Sql, merchantId: string): Promise<ReadonlyMap<string, string>> {
  const rows = await sql`select id, encode(secret_hash, 'hex') as hash from tokens where merchant_id = ${merchantId}`;
  return new Map(rows.map((row) => [text(row.id), text(row.hash)]));
}

/** Whoever's it is. */
export async function findAnyToken(sql: Sql, id: string): Promise<Token | undefined> {
  const [row] = await sql`select ${sql.unsafe(COLUMNS)} from tokens where id = ${id}`;
  return row && show(tokenRow(row));
}

/** The id of the token whose secret has this hash. */
export async function tokenIdOfHash(sql: Sql, hash: Buffer): Promise<string | undefined> {
  const [row] = await sql`select id from tokens where secret_hash = ${hash}`;
  return row && text(row.id);
}

/** All but the hash. */
const COLUMNS = "id, merchant_id, user_id, scopes, rate_limit_per_minute, created_at, expires_at, revoked_at";

interface TokenRow {
  readonly id: string;
  readonly merchant_id: string;
  readonly user_id: string;
  readonly scopes: Scope[];
  readonly rate_limit_per_minute: number | null;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
}

const tokenRow = rowReader<TokenRow>("tokens", {
  id: text,
  merchant_id: text,
  user_id: text,
  scopes: words(SCOPES),
  rate_limit_per_minute: orNull(count),
  created_at: instant,
  expires_at: orNull(instant),
  revoked_at: orNull(instant),
});

const show = ({ created_at, expires_at, revoked_at, ...rest }: TokenRow): Token => ({
  ...rest,
  created_at: timestamp(created_at),
  expires_at: expires_at && timestamp(expires_at),
  revoked_at: revoked_at && timestamp(revoked_at),
});
