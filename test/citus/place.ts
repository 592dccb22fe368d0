// Where a merchant's rows are on Citus.

import { v7 as uuidv7 } from "uuid";
import { type DatabaseAddress, openPool, type Sql } from "../../src/journal/database.ts";

type Address = Exclude<DatabaseAddress, string>;
export type Place = Pick<Address, "host" | "port">;

export async function placeOf(pool: Sql, merchantId: string): Promise<Place> {
  const [place] = await pool<Place[]>`
    select n.nodename as host, n.nodeport as port from pg_dist_placement p join pg_dist_node n using (groupid)
    where p.shardstate = 1 and p.shardid = get_shard_id_for_distribution_column('transactions', ${merchantId}::text)`;
  if (place === undefined) throw new Error("broken invariant: a merchant's rows are nowhere");
  return place;
}

/** The merchant's worker itself, without the coordinator. */
export const openWorkerOf = async (pool: Sql, address: Address, merchantId: string): Promise<Sql> =>
  openPool({ ...address, ...(await placeOf(pool, merchantId)) }, "test", { connections: 2 });

export const isThere = async (pool: Sql, { host, port }: Place): Promise<boolean> => {
  const [answer] = await pool<{ there: boolean }[]>`
    select citus_check_connection_to_node(${host}::text, ${port}::int) as there`;
  return answer?.there === true;
};

/** @param add a merchant with this id @returns so many of each worker */
export async function merchantsOfEachWorker(
  pool: Sql,
  ofEach: number,
  add: (id: string) => Promise<void>,
): Promise<readonly string[][]> {
  const [row] = await pool<{ workers: number }[]>`
    select count(*)::int as workers from pg_dist_node where noderole = 'primary' and shouldhaveshards`;
  const found = new Map<number, string[]>();
  while (found.size < (row?.workers ?? 0) || [...found.values()].some((ids) => ids.length < ofEach)) {
    const id = uuidv7();
    const { port } = await placeOf(pool, id);
    const ids = found.get(port) ?? [];
    if (ids.length === ofEach) continue;
    found.set(port, [...ids, id]);
    await add(id);
  }
  return [...found.values()];
}

/** Merchants, by whether their worker is there. */
export async function byWorker(
  pool: Sql,
  merchants: readonly string[][],
): Promise<Record<"there" | "away", readonly string[]>> {
  const found = await Promise.all(
    merchants.map(async (ids) => ({ ids, there: await isThere(pool, await placeOf(pool, ids[0] ?? "")) })),
  );
  const of = (is: boolean) => found.flatMap((one) => (one.there === is ? one.ids : []));
  return { there: of(true), away: of(false) };
}
