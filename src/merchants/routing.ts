// A merchant's routing: the rules that the operator set for where its charges go, and how far they go on after a decline. Each change is a row of its own, under the next
// version; the newest counts. How the hot path reads it stands in processor-lookup.ts.

import { isDeepStrictEqual } from "node:util";
import type { Sql } from "../journal/database.ts";
import { count, list, object, type Reader, rowReader, text } from "../journal/rows.ts";
import { isUuid } from "../uuid.ts";
import { noProblems, problemsOf } from "../validation/problems.ts";
import { audited } from "./audit.ts";
import {
  type Author,
  type Backoffice,
  type Done,
  done,
  type Invalid,
  invalid,
  type Unknown,
  unknown,
} from "./backoffice.ts";
import { findMerchant } from "./merchants.ts";
import { inNormalForm, problemsOfRules } from "./routing-input.ts";
import { type Routing, RoutingChange, type ShownRule } from "./routing-schema.ts";

const NOTHING_SET: Routing = { version: 0, rules: [], attempts_at_most: 1 };

/** What is in the column was checked when it was written. */
export const rulesColumn: Reader<ShownRule[]> = (value) => list(object)(value) as unknown as ShownRule[];

const routingRow = rowReader<Routing>("routings", { version: count, rules: rulesColumn, attempts_at_most: count });

/** Undefined where there is no such merchant. */
export async function findRouting({ sql }: Pick<Backoffice, "sql">, merchantId: string): Promise<Routing | undefined> {
  if ((await findMerchant(sql, merchantId)) === undefined) return undefined;
  return newestOf(sql, merchantId);
}

async function newestOf(sql: Pick<Sql, "unsafe">, merchantId: string): Promise<Routing> {
  const [row] = await sql.unsafe(
    "select version, rules, attempts_at_most from routings where merchant_id = $1 order by version desc limit 1",
    [merchantId],
  );
  return row ? routingRow(row) : NOTHING_SET;
}

/** With an entry in the audit log; shows on every node within a second. */
export async function changeRouting(
  office: Backoffice,
  author: Author,
  merchantId: string,
  input: unknown,
): Promise<Done<Routing> | Invalid | Unknown> {
  const problems = problemsOf(RoutingChange, input);
  if (!noProblems(problems)) return invalid(problems);
  const given = input as RoutingChange;
  if (!isUuid(merchantId)) return unknown("merchant", merchantId);
  return audited<Done<Routing> | Invalid | Unknown>(office, author, async (sql) => {
    // One change after the other.
    const [merchant] = await sql`select id from merchants where id = ${merchantId} for update`;
    if (merchant === undefined) return { result: unknown("merchant", merchantId) };
    const id = text(merchant.id);
    const before = await newestOf(sql, id);
    if (given.version !== undefined && given.version !== before.version)
      return {
        result: invalid({ version: [`is not the present one, which is ${before.version}: read the rules again`] }),
      };
    const own = await sql`select id from processors where merchant_id = ${id}`;
    const wrong = problemsOfRules(given.rules ?? [], new Set(own.map((row) => text(row.id))));
    if (!noProblems(wrong)) return { result: invalid(wrong) };
    const rules = given.rules?.map(inNormalForm) ?? before.rules;
    const { attempts_at_most = before.attempts_at_most } = given;
    const now = { version: before.version, rules, attempts_at_most };
    if (isDeepStrictEqual(now, before)) return { result: done(before) };
    const after = { ...now, version: before.version + 1 };
    await sql`
      insert into routings (merchant_id, version, rules, attempts_at_most, created_at)
      values (${id}, ${after.version}, ${sql.json(rules)}, ${attempts_at_most}, ${office.clock.now()})`;
    const entry = { action: "routing.change", subject: ["merchant", id], before, after } as const;
    return { result: done(after), entry };
  });
}
