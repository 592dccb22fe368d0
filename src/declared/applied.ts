// What was applied last, by whom and when, and where the gateway differs from it by now. Only what the file named is compared.

import { isDeepStrictEqual } from "node:util";
import type { Sql } from "../journal/database.ts";
import { count, object } from "../journal/rows.ts";
import { audited } from "../merchants/audit.ts";
import type { Author, Entry, RecordName } from "../merchants/backoffice.ts";
import { differing } from "../merchants/given-id.ts";
import { findMerchant } from "../merchants/merchants.ts";
import type { PeopleOffice } from "../people/people.ts";
import { accountOf, type Person } from "../people/person.ts";
import { timestamp } from "../validation/fields.ts";
import { type DeclaredIds, declaredIds, extrasBeside } from "./extras.ts";
import type { Declared, DeclaredKind } from "./records.ts";
import { allOperators, type MerchantState, stateOf } from "./state.ts";
import type { Applied, DeclaringOffice, Wanted } from "./wanted.ts";

interface AppliedRecord {
  readonly kind: DeclaredKind;
  readonly id: string;
  readonly merchantId: string | null;
  /** What the file named, dotted, as it was afterwards. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** As it is stored. */
export interface AppliedState {
  readonly applied: Applied;
  /** The number of the last entry of the audit log that is the apply's own. */
  readonly lastEntry: number;
  readonly records: readonly AppliedRecord[];
  readonly lists: readonly DeclaredIds[];
}

export interface Difference {
  readonly record: RecordName;
  readonly id: string;
  readonly name: string;
  readonly merchant_id: string | null;
  /** Null: the record as a whole is missing, or in no list of the file. */
  readonly field: string | null;
  readonly declared: unknown;
  readonly now: unknown;
  /** When that was changed, and by whom; null where the audit log has it no more. */
  readonly since: string | null;
  readonly actor: string | null;
}

/** Nothing, if the same file was applied before, and nothing was otherwise. */
export async function noteApplied(
  office: DeclaringOffice,
  author: Author,
  before: AppliedState | undefined,
  { file, source }: Wanted,
  entries: readonly Entry[],
): Promise<void> {
  if (before?.applied.sha256 === source.sha256 && entries.length === 0) return;
  const applied = { at: timestamp(office.clock.now()), actor: author.actor, source: author.source, ...source };
  const looking = looker(office);
  const records: AppliedRecord[] = [];
  for (const record of file.records) {
    const found = await looking(record);
    if (found === undefined) throw new Error(`broken invariant: ${record.path} was written and is not there`);
    records.push({
      kind: record.kind,
      id: found.id,
      merchantId: record.merchantId,
      fields: named(record, found.shown),
    });
  }
  const lists = declaredIds(file);
  await audited(office, author, async (sql) => {
    // What this apply noted so far, and the entry that follows from here.
    const [row] = await sql`select coalesce(max(id), 0)::int as last from audit_log`;
    const state: AppliedState = { applied, lastEntry: count(row?.last) + 1, records, lists };
    await sql`update installation set value = ${sql.json(state as never)} where name = 'declared-state'`;
    const counts = Object.fromEntries(
      Map.groupBy(entries, ({ action }) => action)
        .entries()
        .map(([action, some]) => [action, some.length]),
    );
    return {
      result: undefined,
      entry: {
        action: "declared-state.change",
        subject: ["declared state", source.sha256.slice(0, 12)],
        before: before?.applied ?? null,
        after: { ...applied, changes: counts },
      } as Entry,
    };
  });
}

/** The fields that a file names, as they are shown. Secrets among them are dots. */
function named({ kind, input }: Declared, shown: Shown): Record<string, unknown> {
  const names = Object.entries(input).flatMap(([name, value]) => {
    const inner = ["requires", "settlement", "settings"].includes(name) && typeof value === "object" && value !== null;
    return inner ? Object.keys(value).map((one) => `${name}.${one}`) : [name];
  });
  return Object.fromEntries(names.filter(() => kind !== undefined).map((name) => [name, valueAt(shown, name) ?? null]));
}

const valueAt = (shown: Shown, path: string): unknown =>
  path.split(".").reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], shown);

type Shown = Readonly<Record<string, unknown>>;
type Found = { readonly id: string; readonly shown: Shown; readonly name: string };
type Looking = Pick<PeopleOffice, "sql" | "kinds" | "clock">;
type Wanting = Pick<Declared, "kind" | "merchantId"> & {
  readonly id: string | undefined;
  readonly input?: Declared["input"];
};

/** Reads each merchant once. */
function looker(office: Looking, states = new Map<string, MerchantState>()) {
  let operators: Person[] | undefined;
  return async ({ kind, id, merchantId, input }: Wanting): Promise<Found | undefined> => {
    if (merchantId === null) {
      operators ??= await allOperators(office.sql);
      return foundIn(operators, id, input);
    }
    if (!states.has(merchantId)) {
      const merchant = await findMerchant(office.sql, merchantId);
      if (merchant === undefined) return undefined;
      states.set(merchantId, await stateOf(office, merchant));
    }
    const state = states.get(merchantId);
    if (state === undefined) return undefined;
    const { merchant, routing, cardTesting } = state;
    switch (kind) {
      case "merchant":
        return { id: merchant.id, shown: merchant, name: merchant.name };
      case "routing":
        return { id: merchant.id, shown: { ...routing }, name: merchant.name };
      case "card_testing":
        return { id: merchant.id, shown: cardTesting, name: merchant.name };
      case "user":
        return foundIn(state.users, id);
      case "person":
        return foundIn(state.people, id, input);
      case "processor":
        return foundIn(state.processors, id);
      case "webhook":
        return foundIn(state.webhooks, id);
      case "token":
        return foundIn(state.tokens, id);
    }
  };
}

interface Listed {
  readonly id: string;
  readonly name?: string;
  readonly email?: string;
  readonly url?: string;
}

function foundIn(list: readonly Listed[], id: string | undefined, input: Shown = {}): Found | undefined {
  const account = accountOf(String(input.email ?? ""));
  const one = list.find((each) => (id === undefined ? accountOf(each.email ?? "") === account : each.id === id));
  return one && { id: one.id, shown: { ...one }, name: one.name ?? one.url ?? one.id };
}

/** Undefined: nothing was applied yet. */
export async function readApplied(sql: Sql): Promise<AppliedState | undefined> {
  const [row] = await sql`select value from installation where name = 'declared-state'`;
  const value = row && object(row.value);
  return value !== undefined && "applied" in value ? (value as unknown as AppliedState) : undefined;
}

/** Where the gateway is not what was applied last. */
export async function driftOf(office: Looking, { lastEntry, records, lists }: AppliedState): Promise<Difference[]> {
  const states = new Map<string, MerchantState>();
  const looking = looker(office, states);
  const bare: Omit<Difference, "since" | "actor">[] = [];
  for (const record of records) {
    const found = await looking(record);
    const [what, id] = [nameOf(record.kind), record.id];
    const place = { record: what, id, merchant_id: record.merchantId };
    const name = found?.name ?? String(record.fields.name ?? record.fields.url ?? id);
    if (found === undefined) {
      bare.push({ ...place, name, field: null, declared: "there", now: null });
      continue;
    }
    for (const [field, declared] of Object.entries(record.fields)) {
      const now = valueAt(found.shown, field) ?? null;
      if (!isDeepStrictEqual(now, declared)) bare.push({ ...place, name, field, declared, now });
    }
  }
  for (const { record, id, name, merchantId } of await extrasBeside(office, lists, states))
    bare.push({ record, id, name, merchant_id: merchantId, field: null, declared: null, now: "there" });
  return withSince(office.sql, lastEntry, bare);
}

/** Of routing and card testing the merchant. */
const nameOf = (kind: DeclaredKind): RecordName => (kind === "routing" || kind === "card_testing" ? "merchant" : kind);

const MOST_SUBJECTS = 500;

/** When each of them came about: by the oldest entry after the apply that changed it. */
async function withSince(
  sql: Sql,
  lastEntry: number,
  bare: readonly Omit<Difference, "since" | "actor">[],
): Promise<Difference[]> {
  const subjects = [...new Set(bare.map(({ record, id }) => `${record} ${id}`))].slice(0, MOST_SUBJECTS);
  const rows = await sql<{ at: Date; actor: string; subject: string; before: object | null; after: object | null }[]>`
    select at, actor, subject, before, after from audit_log
    where subject = any(${subjects}::text[]) and id > ${lastEntry} and outcome = 'done' order by id`;
  return bare.map((one) => {
    const own = rows.filter(({ subject }) => subject === `${one.record} ${one.id}`);
    const found = own.find(({ before, after }) => {
      if (one.field === null) return before === null || after === null || one.now === null || one.declared === null;
      const [first = ""] = one.field.split(".");
      return differing(after ?? {}, before ?? {}).some((name) => name === one.field || name.split(".")[0] === first);
    });
    return { ...one, since: found ? timestamp(found.at) : null, actor: found?.actor ?? null };
  });
}
