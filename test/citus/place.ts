// Where a merchant's rows are on Citus.

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
