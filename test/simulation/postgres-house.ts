// Simulated installations in PostgreSQL: one history after the other, each with a merchant of its own.

import { v7 as uuidv7 } from "uuid";
import { handClock } from "../hand-clock.ts";
import type { PostgresInstallation, PostgresNode } from "../postgres-installation.ts";
import { at } from "../transactions.ts";
import type { House } from "./house.ts";

const START = at("1 12:00");

/** @returns what gives each history its house */
export async function postgresHouses(installation: PostgresInstallation): Promise<() => Promise<House>> {
  // Nothing here is to survive a power cut.
  const { pool, address } = installation;
  await pool`alter database ${pool(address.database)} set synchronous_commit = off`;
  const clock = handClock(START);
  const nodes: PostgresNode[] = [];
  return async () => {
    clock.set(START);
    const merchantId = uuidv7();
    await installation.addMerchant(merchantId);
    let joined = 0;
    return {
      clock,
      merchantId,
      join: async () => {
        const node = nodes[joined] ?? (await installation.join({ clock }));
        nodes[joined++] = node;
        await node.backlog.heartbeat(clock.now());
        return node;
      },
      declareDead: installation.declareDead,
      transactions: () => transactionsOf(installation, nodes[0], merchantId),
      unresolved: async () => {
        const [row] = await installation.pool<[{ count: number }]>`select count(*)::int from unresolved`;
        return row.count;
      },
    };
  };
}

async function transactionsOf({ pool }: PostgresInstallation, node: PostgresNode | undefined, merchantId: string) {
  const rows = await pool<{ id: string; number: string }[]>`
    select id, number from transactions where merchant_id = ${merchantId} order by number`;
  if (rows.some(({ number }, index) => Number(number) !== index + 1)) throw new Error("the numbers have gaps");
  const found = await Promise.all(rows.map(({ id }) => node?.journal.find(merchantId, id)));
  return found.filter((transaction) => transaction !== undefined);
}
