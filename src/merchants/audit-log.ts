// Reading the audit log: its entries, as operators see them and as a merchant's administrators see those that concern them, and the state
// of its chain. Nothing is checked here.

import type { Sql } from "../journal/database.ts";
import { instant, object, orNull, rowReader, text, wholeNumber, word } from "../journal/rows.ts";
import { timestamp } from "../validation/fields.ts";
import { type AuditKey, AuditLogBroken, readAnchor } from "./audit-chain.ts";

export interface AuditEntry {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly source: string;
  readonly action: string;
  /** "merchant 0193…" */
  readonly subject: string;
  readonly outcome: "done" | "refused";
  /** Null if it is new, or nothing was changed. */
  readonly before: object | null;
  /** Of what was refused: why. */
  readonly after: object | null;
}

export interface AuditFilter {
  /** Only what is about this merchant's records, or was done by its people. */
  readonly merchantId?: string | undefined;
  /** Only entries older than the one with this id. */
  readonly before?: string | undefined;
  /** The id of a record: only what happened to it. */
  readonly subject?: string | undefined;
  /** A part of who it was, in any case. */
  readonly actor?: string | undefined;
  /** What the action begins with: `person`, `person.change`. */
  readonly action?: string | undefined;
  readonly outcome?: "done" | "refused" | undefined;
  /** Both ends are included, and seen to the second. */
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  /** 100 without it. */
  readonly limit?: number;
}

/** Newest first. @param reader a merchant's administrator is not told which operator it was, and from where */
export async function auditLog(
  sql: Sql,
  { merchantId, before, subject, actor, action, outcome, from, to, limit = 100 }: AuditFilter,
  reader: "operator" | "merchant" = "operator",
): Promise<AuditEntry[]> {
  const shown = reader === "operator" ? sql`audit_log` : OF_OPERATORS_HIDDEN(sql);
  const rows = await sql`
    select id, at, actor, source, action, subject, outcome, before, after from ${shown}
    where ${before === undefined ? sql`true` : sql`id < ${before}`}
      ${merchantId === undefined ? sql`` : sql`and merchant_id = ${merchantId}`}
      ${subject === undefined ? sql`` : sql`and subject like '% ' || ${subject}::text`}
      ${actor === undefined ? sql`` : sql`and strpos(lower(actor), lower(${actor}::text)) > 0`}
      ${action === undefined ? sql`` : sql`and starts_with(action, ${action}::text)`}
      ${outcome === undefined ? sql`` : sql`and outcome = ${outcome}`}
      ${from === undefined ? sql`` : sql`and at >= ${from}`}
      ${to === undefined ? sql`` : sql`and at < ${new Date(to.getTime() + 1_000)}`}
    order by id desc limit ${Math.min(limit, 1000)}`;
  return rows.map(entryRow).map((row) => ({ ...row, id: String(row.id), at: timestamp(row.at) }));
}

/** Filtered as it is shown, so that no filter tells what is hidden. Whoever is not named here is an operator. */
const OF_OPERATORS_HIDDEN = (sql: Sql) => sql`
  (select id, at, case when known then actor else 'operator' end as actor, case when known then source else 'not shown' end as source,
      action, subject, outcome, before, after, merchant_id
    from audit_log cross join lateral (
      select split_part(actor, ' ', 1) in ('merchant_admin', 'clerk', 'viewer', 'unknown', 'gateway', 'sandbox') as known
    ) author
  ) shown`;

const entryRow = rowReader("audit_log", {
  id: wholeNumber,
  at: instant,
  actor: text,
  source: text,
  action: text,
  subject: text,
  outcome: word(["done", "refused"] as const),
  before: orNull(object),
  after: orNull(object),
});

/** In the words of `faregate audit verify`. If the anchor cannot be read, everything but `broken` is null. */
export interface ChainState {
  readonly broken: string | null;
  readonly entries: number | null;
  readonly first: number | null;
  readonly last: number | null;
  readonly hash: string | null;
  readonly begun: string | null;
  readonly before_it_began: number | null;
}

const UNKNOWN = { entries: null, first: null, last: null, hash: null, begun: null, before_it_began: null };

/** Where the chain stands and what gateways found wrong with it. Both are in its anchor, so the log itself is not read. */
export async function chainState(sql: Sql, key: AuditKey): Promise<ChainState> {
  const anchor = await anchorOf(sql, key);
  if (typeof anchor === "string") return { broken: anchor, ...UNKNOWN };
  const { broken = null, begun, found, removed, last, hash } = anchor;
  return {
    broken,
    entries: last - removed,
    first: removed + 1,
    last,
    hash,
    begun: timestamp(new Date(begun)),
    before_it_began: found,
  };
}

async function anchorOf(sql: Sql, key: AuditKey) {
  try {
    return (await readAnchor(sql, key)) ?? "The anchor of the audit log is missing.";
  } catch (fault) {
    if (fault instanceof AuditLogBroken) return fault.message;
    throw fault;
  }
}
