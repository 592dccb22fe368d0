// Sessions of people who signed in. Only the hash of a session's secret is kept; what was found is kept for less than a second, as
// of tokens. A session ends a quarter of an hour after its person last did something (PCI DSS 8.2.8), and twelve hours after it began,
// by the database's real time. Requests by themselves do not renew it: a page that nobody looks at goes on asking.

import { createHmac, timingSafeEqual } from "node:crypto";
import type { Sql } from "../journal/database.ts";
import { count, flag, instant, object, orNull, rowReader, text, word } from "../journal/rows.ts";
import type { TransactionSql } from "../journal/sql/sql.ts";
import { briefCache } from "../merchants/brief-cache.ts";
import { settingsFrom } from "../merchants/card-testing.ts";
import { lookUpsInTurn } from "../merchants/look-ups.ts";
import { mintSecret, readSecret } from "../merchants/token-secret.ts";
import type { CardTestingSettings } from "../payment/card-testing.ts";
import type { Mode } from "../settings.ts";
import { newId } from "../uuid.ts";
import { isOperator, ROLES, type Role } from "./roles.ts";

export const IDLE_SECONDS = 15 * 60;
export const LONGEST_SECONDS = 12 * 3_600;
/** How exactly it is known when its person last did something: a session may end that much early, and never late. */
const NOTED_EVERY_SECONDS = 10;
const MOST_KEPT = 10_000;

/** What a session's person has to do before anything else. */
export type Duty = "change_password" | "set_up_second_factor";

/** Who acts by a session. */
export interface Session {
  readonly id: string;
  readonly personId: string;
  /** Null: an operator. */
  readonly merchantId: string | null;
  readonly role: Role;
  readonly name: string;
  readonly email: string;
  readonly secondFactor: boolean;
  readonly duty: Duty | null;
  readonly createdAt: Date;
  /** Of the own merchant, as of a token's. */
  readonly strictIdentifiers: boolean;
  readonly requireIpAddress: boolean;
  readonly cardNumbersForbidden: boolean;
  readonly verifyCards: boolean;
  readonly cardTesting: CardTestingSettings | null;
}

export interface Sessions {
  /**
   * Undefined if the session has ended, or there never was one.
   * @param address that the secret came from
   * @param idleSeconds since its person last did something, as the page says; undefined: nobody did anything, and nothing is noted
   * @throws ShareUsedUp if too many secrets that are not known yet wait to be looked up
   */
  find(secret: string, address: string, idleSeconds?: number): Promise<Session | undefined>;
  /** The next request is not answered from memory. */
  forget(secret: string): void;
}

/** To be written in the transaction that lets somebody in. @returns its secret, for the cookie */
export async function beginSession(sql: TransactionSql, personId: string): Promise<string> {
  const { secret, hash } = mintSecret("session");
  await sql`
    delete from sessions where id = any(array(
      select id from sessions where ${hasEnded(sql)} limit 100 for update skip locked))`;
  await sql`insert into sessions (id, person_id, secret_hash) values (${newId(new Date())}, ${personId}, ${hash})`;
  return secret;
}

const hasEnded = (sql: TransactionSql | Sql) => sql`
  (used_at < now() - ${IDLE_SECONDS}::int * interval '1 second'
    or created_at < now() - ${LONGEST_SECONDS}::int * interval '1 second')`;

/** Null: nothing. Operators in live mode have a second factor (PCI DSS 8.4). */
function dutyOf(mode: Mode, role: Role, mustChangePassword: boolean, secondFactor: boolean): Duty | null {
  if (mustChangePassword) return "change_password";
  return mode === "live" && isOperator(role) && !secondFactor ? "set_up_second_factor" : null;
}

/** Finds sessions by their secrets. Throws what the database throws. */
export function sessionsIn(sql: Sql, mode: Mode): Sessions {
  const lookedUp = async (hash: string) => {
    const [found] = await sql`
      select s.id, person_id, p.merchant_id, role, p.name, email, second_factor is not null as second_factor,
        must_change_password, s.created_at, extract(epoch from now() - used_at)::int as unused_seconds,
        coalesce(m.refuse_card_like_identifiers, false) as strict_identifiers,
        coalesce(m.require_ip_address, true) as require_ip_address,
        coalesce(m.card_numbers = 'forbidden', false) as card_numbers_forbidden,
        coalesce(m.verify_cards, false) as verify_cards, to_json(c) as card_testing
      from sessions s join people p on p.id = s.person_id
        left join merchants m on m.id = p.merchant_id
        left join card_testing_settings c on c.merchant_id = p.merchant_id
      where secret_hash = ${Buffer.from(hash, "base64")} and not locked
        and used_at >= now() - ${IDLE_SECONDS}::int * interval '1 second'
        and s.created_at >= now() - ${LONGEST_SECONDS}::int * interval '1 second'`;
    if (found === undefined) return undefined;
    const row = sessionRow(found);
    return { session: sessionFrom(row, mode), unusedSeconds: row.unused_seconds };
  };
  const known = briefCache(lookUpsInTurn(lookedUp), MOST_KEPT);
  return {
    find: async (secret, address, idleSeconds = Number.POSITIVE_INFINITY) => {
      const read = readSecret(secret);
      if (read?.purpose !== "session") return undefined;
      const hash = read.hash.toString("base64");
      const found = await known.get(hash, address);
      if (found !== undefined && found.unusedSeconds - idleSeconds >= NOTED_EVERY_SECONDS) {
        await noteUse(sql, found.session.id, idleSeconds);
        known.forget(hash);
      }
      return found?.session;
    },
    forget: (secret) => known.forget(readSecret(secret)?.hash.toString("base64") ?? ""),
  };
}

/** A session that has ended meanwhile stays so. */
const noteUse = (sql: Sql, id: string, idleSeconds: number) => sql`
  update sessions set used_at = greatest(used_at, now() - ${idleSeconds}::int * interval '1 second')
  where id = ${id} and not ${hasEnded(sql)}`;

const sessionRow = rowReader("sessions", {
  id: text,
  person_id: text,
  merchant_id: orNull(text),
  role: word(ROLES),
  name: text,
  email: text,
  second_factor: flag,
  must_change_password: flag,
  created_at: instant,
  unused_seconds: count,
  strict_identifiers: flag,
  require_ip_address: flag,
  card_numbers_forbidden: flag,
  verify_cards: flag,
  card_testing: orNull(object),
});

const sessionFrom = (row: ReturnType<typeof sessionRow>, mode: Mode): Session => ({
  id: row.id,
  personId: row.person_id,
  merchantId: row.merchant_id,
  role: row.role,
  name: row.name,
  email: row.email,
  secondFactor: row.second_factor,
  duty: dutyOf(mode, row.role, row.must_change_password, row.second_factor),
  createdAt: row.created_at,
  strictIdentifiers: row.strict_identifiers,
  requireIpAddress: row.require_ip_address,
  cardNumbersForbidden: row.card_numbers_forbidden,
  verifyCards: row.verify_cards,
  cardTesting: row.card_testing && settingsFrom(row.card_testing),
});

/** What a page sends back with each change, and another site cannot know: it follows from the secret, which no page sees. */
export const csrfTokenOf = (secret: string): string =>
  createHmac("sha256", secret).update("faregate csrf").digest("base64url");

/** In constant time. */
export function isCsrfToken(given: unknown, secret: string): boolean {
  if (typeof given !== "string") return false;
  const [expected, sent] = [Buffer.from(csrfTokenOf(secret)), Buffer.from(given)];
  return sent.length === expected.length && timingSafeEqual(sent, expected);
}
