// The database that the settings name: by its URL, or the embedded one in the data folder.

import { connectionLost, type DatabaseAddress, openPool, type Sql } from "./journal/database.ts";
import { startEmbedded } from "./journal/embedded/embedded.ts";
import type { Settings } from "./settings.ts";
import { StartFault } from "./start-fault.ts";

export interface Database {
  readonly address: DatabaseAddress;
  readonly pool: Sql;
  /** For people: where the data is. */
  readonly place: string;
  close(): Promise<void>;
}

/** @throws StartFault if it can't be reached */
export async function openDatabase(settings: Settings, log: (line: string) => void): Promise<Database> {
  const { databaseUrl, dataFolder } = settings;
  if (databaseUrl !== undefined) {
    const address = databaseUrl.reveal();
    const pool = openPool(address);
    await reach(pool, String(databaseUrl));
    return { address, pool, place: String(databaseUrl), close: () => pool.end({ timeout: 5 }) };
  }
  const embedded = await startEmbedded({ dataFolder, log });
  const pool = openPool(embedded.connection);
  return {
    address: embedded.connection,
    pool,
    place: embedded.folder,
    close: async () => {
      await pool.end({ timeout: 5 });
      await embedded.stop();
    },
  };
}

async function reach(pool: Sql, shown: string): Promise<void> {
  try {
    await pool`select 1`;
  } catch (fault) {
    await pool.end({ timeout: 0 });
    const why =
      fault instanceof Error && fault.message !== "" ? fault.message : String((fault as { code?: string }).code);
    const away = connectionLost(fault) ? "Is it running, and is the address right?" : "Look at DATABASE_URL.";
    throw new StartFault(`Cannot use the database ${shown}: ${why}. ${away}`);
  }
}
