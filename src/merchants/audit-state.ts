// Where the chain of the audit log stands, and what gateways have found to be wrong with it, without reading the log.

import type { Sql } from "../journal/database.ts";
import { timestamp } from "../validation/fields.ts";
import { type AuditKey, AuditLogBroken, readAnchor } from "./audit-chain.ts";

/** Like what `faregate audit verify` says. All but `broken` is null where that can't be read. */
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

/** What the anchor says, which gateways write their findings into. */
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
