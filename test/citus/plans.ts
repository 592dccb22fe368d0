// The plans of what one connection was asked, on plain PostgreSQL: they tell whether Citus could send a statement to the worker of one
// merchant, and what of it says no.

import assert from "node:assert/strict";
import type { Sql } from "../../src/journal/database.ts";
import { PLACES } from "../../src/journal/distribution.ts";

export interface Plan {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly Alias?: string;
  readonly Plans?: readonly Plan[];
  readonly [fact: string]: unknown;
}

/** Prepares also what is usually planned anew. @param sql one connection, so that it has all that was asked */
export const keeping = (sql: Sql): Sql =>
  new Proxy(sql, {
    get: (pool, name) =>
      name === "unsafe"
        ? (text: string, parameters?: Parameters<Sql["unsafe"]>[1]) =>
            pool.unsafe(text, parameters, parameters && { prepare: true })
        : Reflect.get(pool, name),
  });

/** What the connection was asked of tables, with a plan for whatever values. */
export async function plansOf(sql: Sql): Promise<ReadonlyMap<string, Plan>> {
  const kept = await sql<{ name: string; text: string; parameters: number }[]>`
    select name, statement as text, cardinality(parameter_types) as parameters from pg_prepared_statements`;
  const ours = kept.filter(({ text }) => /^\s*(with|select|insert|update|delete)\b/i.test(text) && !CATALOG.test(text));
  await sql`set plan_cache_mode = force_generic_plan`;
  const plans = new Map<string, Plan>();
  for (const { name, text, parameters } of ours) {
    const nulls = parameters === 0 ? "" : `(${Array(parameters).fill("null").join(", ")})`;
    plans.set(text, await explained(sql, `execute "${name}"${nulls}`));
  }
  return plans;
}

const CATALOG = /\bpg_(?!advisory)/;

export async function explained(sql: Sql, statement: string): Promise<Plan> {
  const [row] = await sql.unsafe<{ "QUERY PLAN": readonly [{ Plan: Plan }] }[]>(
    `explain (format json, verbose) ${statement}`,
  );
  assert.ok(row);
  return row["QUERY PLAN"][0].Plan;
}

/** Why Citus could not send it to one worker whole; empty: it can. */
export function unroutable(plan: Plan): string[] {
  const beside = besideLocal(plan);
  if (beside !== undefined) return [beside];
  return distributedIn(plan)
    .filter((node) => reads(node) && !namesMerchant(node))
    .map((node) => `${node["Relation Name"]} without its merchant`);
}

/** Why Citus could not ask all workers for it, and put together what they say; empty: it can. It locks and writes rows of one merchant only. */
export function unspreadable(plan: Plan): string[] {
  const writes = nodesOf(plan).find(({ "Node Type": type }) => type === "ModifyTable" || type === "LockRows");
  const apart =
    distributedIn(plan).filter(reads).length > 1 &&
    !nodesOf(plan).some((node) => conditionsOf(node).some((one) => JOINED.test(one)));
  return [
    ...[besideLocal(plan)].filter((beside) => beside !== undefined),
    ...(writes ? [`${writes["Node Type"]} of all merchants`] : []),
    ...(apart ? ["joined without the merchant"] : []),
  ];
}

const JOINED = /\bmerchant_id = (\w+\.)?merchant_id\b/;

function besideLocal(plan: Plan): string | undefined {
  const local = scansIn(plan).find((node) => placeOf(node) === "local");
  const [distributed] = distributedIn(plan);
  if (distributed === undefined || local === undefined) return undefined;
  return `${distributed["Relation Name"]} beside ${local["Relation Name"]}`;
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
const scansIn = (plan: Plan) => nodesOf(plan).filter((node) => node["Relation Name"] !== undefined);
const reads = (node: Plan) => node["Node Type"] !== "ModifyTable";
const placeOf = (node: Plan) => PLACES[node["Relation Name"] ?? ""];
const distributedIn = (plan: Plan) => scansIn(plan).filter((node) => placeOf(node) === "distributed");

const conditionsOf = (node: Plan): string[] =>
  ["Index Cond", "Recheck Cond", "Filter", "Join Filter", "Hash Cond", "Merge Cond"].map((name) =>
    String(node[name] ?? ""),
  );

/** A bitmap's condition stands in the node below it. */
function namesMerchant(node: Plan): boolean {
  const below = node["Node Type"] === "Bitmap Heap Scan" ? nodesOf(node) : [node];
  return below.flatMap(conditionsOf).some((one) => /merchant_id = (\$\d+|'[0-9a-f-]{36}'::uuid)/.test(one));
}
