// Nodes of one installation on a database of their own, for tests.

import type { DatabaseAddress, Sql } from "../src/journal/database.ts";
import { backlogOf, registerNode } from "../src/journal/nodes.ts";
import { type JournalOptions, openJournal, type PostgresJournal } from "../src/journal/postgres-journal.ts";
import type { JournalNode } from "./conformance/journal-subject.ts";
import { type FreshDatabase, ON_CITUS } from "./database-server.ts";
import { type HandClock, handClock } from "./hand-clock.ts";
import { at } from "./transactions.ts";

export interface PostgresInstallation {
  readonly address: Exclude<DatabaseAddress, string>;
  /** For looking at what is there, and for the nodes' reading. */
  readonly pool: Sql;
  addMerchant(id: string): Promise<void>;
  /** A further node; at noon of the first day unless it is given a clock. */
  join(
    given?: Partial<Pick<JournalOptions, "address" | "pool">> & { readonly clock?: HandClock },
  ): Promise<PostgresNode>;
  declareDead(node: number): Promise<void>;
  end(): Promise<void>;
}

export interface PostgresNode extends JournalNode {
  readonly journal: PostgresJournal;
}

/** As a gateway has it. */
const DEAD_AFTER_MS = 4_000;
const LONG_DEAD_MS = 1_000;

/** @param database which ends with the installation @param deadAfterMs for so long a node may be silent, by the database's time @param distributed whether the nodes write as they do on Citus */
export function postgresInstallation(
  { address, pool, drop }: FreshDatabase,
  deadAfterMs = DEAD_AFTER_MS,
  distributed = false,
): PostgresInstallation {
  const open: PostgresJournal[] = [];
  return {
    address,
    pool,
    addMerchant: async (id) => {
      await pool`insert into merchant_counters (merchant_id, transactions, newest_at) values (${id}, 0, '2000-01-01Z')`;
    },
    join: async ({ clock = handClock(at("1 12:00")), ...place } = {}) => {
      const id = await registerNode(pool, clock.now());
      const journal = openJournal({ address, pool, ...place, clock, node: id, distributed: distributed || ON_CITUS });
      open.push(journal);
      return { id, journal, backlog: backlogOf(pool, id, deadAfterMs), clock };
    },
    declareDead: async (node) => {
      const silence = `${deadAfterMs + LONG_DEAD_MS} milliseconds`;
      await pool`update nodes set seen_at = now() - ${silence}::interval, taken_over_at = null where id = ${node}`;
    },
    end: async () => {
      await Promise.all(open.map((journal) => journal.close()));
      await drop();
    },
  };
}
