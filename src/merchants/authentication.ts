// Who sends a request, by the secret of its token. On the path of every request: what was found is kept for less than a
// second, so that a revoked token is refused within a second on every node.
//
// Tokens are looked up by the SHA-256 of their secret. The index compares longer the more of the hash agrees, but that helps no
// attacker: finding a guess whose hash begins in a certain way takes as many hashes as a random search, and knowing bits of the
// hash is no step towards the 256 random bits behind it. So the comparison need not take constant time.
import type { Clock } from "../clock.ts";
import type { Sql } from "../journal/database.ts";
import { count, flag, instant, object, orNull, rowReader, text, words } from "../journal/rows.ts";
import type { CardTestingSettings } from "../payment/card-testing.ts";
import { briefCache } from "./brief-cache.ts";
import { settingsFrom } from "./card-testing.ts";
import { lookUpsInTurn } from "./look-ups.ts";
import { readSecret, type TokenPurpose } from "./token-secret.ts";
import { SCOPES, type Scope } from "./tokens.ts";

export interface ApiCaller {
  readonly tokenId: string;
  readonly merchantId: string;
  readonly userId: string;
  readonly scopes: readonly Scope[];
  /** Requests a minute. Null: the gateway's default; 0: no limit. */
  readonly rateLimitPerMinute: number | null;
  /** Of the merchant: whether identifiers may hold no number that looks like a card's. */
  readonly strictIdentifiers: boolean;
  /** Of the merchant: whether a sale must send `ip_address`. */
  readonly requireIpAddress: boolean;
  /** Of the merchant: whether its requests must hold no card number. */
  readonly cardNumbersForbidden: boolean;
  /** Of the merchant: whether a card is verified before it is stored. */
  readonly verifyCards: boolean;
  /** Of the merchant. Null: the gateway's defaults. */
  readonly cardTesting: CardTestingSettings | null;
}

export interface OperatorCaller {
  readonly tokenId: string;
  /** The token's name, for the audit log. */
  readonly name: string;
}

/**
 * Why a secret opens nothing here. The form alone tells the first three; that a token is expired or revoked is told only to who
 * holds its 256 random bits.
 */
export type TokenFault =
  | "malformed-token"
  | "operator-token"
  | "merchant-token"
  | "unknown-token"
  | "revoked-token"
  | "expired-token";

/** A token that was good once: whose it is. */
export interface RefusedToken {
  readonly refused: "revoked-token" | "expired-token";
  readonly tokenId: string;
  /** Undefined of an operator's. */
  readonly merchantId?: string;
}

/**
 * @param address that the secret came from
 * @throws ShareUsedUp if too many secrets that are not known yet wait to be looked up
 */
export type FindCaller<Caller> = (
  secret: string,
  address?: string,
) => Promise<Caller | RefusedToken | Exclude<TokenFault, RefusedToken["refused"]>>;

interface Revocable {
  readonly revokedAt: Date | null;
}

interface Found extends Revocable {
  readonly expiresAt: Date | null;
  readonly cardTesting: object | null;
}

const callerRow = rowReader<Omit<ApiCaller, "cardTesting"> & Found>("tokens", {
  tokenId: text,
  merchantId: text,
  userId: text,
  scopes: words(SCOPES),
  rateLimitPerMinute: orNull(count),
  strictIdentifiers: flag,
  requireIpAddress: flag,
  cardNumbersForbidden: flag,
  verifyCards: flag,
  revokedAt: orNull(instant),
  expiresAt: orNull(instant),
  cardTesting: orNull(object),
});

const operatorRow = rowReader<OperatorCaller & Revocable>("operator_tokens", {
  tokenId: text,
  name: text,
  revokedAt: orNull(instant),
});

const MOST_KEPT = 10_000;

const isInForce = ({ revokedAt }: Revocable): boolean => revokedAt === null;

/**
 * Finds the caller, or says why there is none. Expiry goes by the clock, what is kept by real time. Throws what the database
 * throws.
 */
export function tokenBySecret(sql: Sql, clock: Clock): FindCaller<ApiCaller> {
  const tokens = briefCache(
    lookUpsInTurn(async (hash) => {
      // The merchant's settings come along, so that a charge need not ask for them.
      const [row] = await sql`
      select t.id as "tokenId", t.merchant_id as "merchantId", user_id as "userId", scopes,
        rate_limit_per_minute as "rateLimitPerMinute", expires_at as "expiresAt", revoked_at as "revokedAt",
        m.refuse_card_like_identifiers as "strictIdentifiers",
        m.require_ip_address as "requireIpAddress", m.card_numbers = 'forbidden' as "cardNumbersForbidden",
        m.verify_cards as "verifyCards", to_json(s) as "cardTesting"
      from tokens t join merchants m on m.id = t.merchant_id
        left join card_testing_settings s on s.merchant_id = t.merchant_id
      where secret_hash = ${Buffer.from(hash, "base64")}`;
      if (row === undefined) return undefined;
      const { expiresAt, revokedAt, cardTesting, ...caller } = callerRow(row);
      return { caller: { ...caller, cardTesting: cardTesting && settingsFrom(cardTesting) }, expiresAt, revokedAt };
    }, isInForce),
    MOST_KEPT,
  );
  const readBriefly = briefReader();
  return async (secret, address = "") => {
    const read = readBriefly(secret);
    if (read === undefined) return "malformed-token";
    if (read.purpose === "operator") return "operator-token";
    const found = await tokens.get(read.hash, address);
    if (found === undefined) return "unknown-token";
    const { caller, revokedAt, expiresAt } = found;
    const { tokenId, merchantId } = caller;
    if (revokedAt !== null) return { refused: "revoked-token", tokenId, merchantId };
    if (expiresAt !== null && expiresAt <= clock.now()) return { refused: "expired-token", tokenId, merchantId };
    return caller;
  };
}

/** Finds an operator by the token's secret, from memory if it was asked for a moment ago. */
export function operatorBySecret(sql: Sql): FindCaller<OperatorCaller> {
  const tokens = briefCache(
    lookUpsInTurn(async (hash) => {
      const [row] = await sql`
      select id as "tokenId", name, revoked_at as "revokedAt" from operator_tokens
      where secret_hash = ${Buffer.from(hash, "base64")}`;
      if (row === undefined) return undefined;
      const { revokedAt, ...caller } = operatorRow(row);
      return { caller, revokedAt };
    }, isInForce),
    MOST_KEPT,
  );
  const readBriefly = briefReader();
  return async (secret, address = "") => {
    const read = readBriefly(secret);
    if (read === undefined) return "malformed-token";
    if (read.purpose !== "operator") return "merchant-token";
    const found = await tokens.get(read.hash, address);
    if (found === undefined) return "unknown-token";
    const { caller, revokedAt } = found;
    return revokedAt === null ? caller : { refused: "revoked-token", tokenId: caller.tokenId };
  };
}

/** Of a secret: base64. */
interface ReadSecret {
  readonly purpose: TokenPurpose;
  readonly hash: string;
}

const MOST_READ = 1_000;
const READ_AGAIN_AFTER_MS = 500;

/**
 * Reads secrets, and for half a second knows those that it read: checksum and hash took a tenth of the CPU of a small request. They
 * depend on nothing but the secret, so nothing is older for it.
 */
function briefReader(): (secret: string) => ReadSecret | undefined {
  const known = new Map<string, ReadSecret>();
  let sinceMs = performance.now();
  return (secret) => {
    const nowMs = performance.now();
    if (nowMs - sinceMs >= READ_AGAIN_AFTER_MS || known.size >= MOST_READ) {
      known.clear();
      sinceMs = nowMs;
    }
    const before = known.get(secret);
    if (before !== undefined) return before;
    const read = readSecret(secret);
    if (read === undefined) return undefined;
    const now = { purpose: read.purpose, hash: read.hash.toString("base64") };
    known.set(secret, now);
    return now;
  };
}
