// Several gateways on one database, as on as many machines: each has a data folder of its own, and all have the secret and the master
// key of one installation.

import type { DatabaseAddress } from "../src/journal/database.ts";
import { startEmbedded } from "../src/journal/embedded/embedded.ts";
import { connectionsFor } from "../src/workers/plan.ts";
import { newFolder } from "./data.ts";
import { launchGateway, type RunningGateway } from "./gateway.ts";
import type { Undo } from "./undo.ts";

/** Of a test installation. */
const KEY = Buffer.alloc(32, 7).toString("base64");
/** The gateway, and its process for heavy requests. */
const PROCESSES = 2;

/** One after the other: the first makes the tables, and the sandbox whose token and records are those of all. */
export async function startNodes(undo: Undo, count: number): Promise<readonly RunningGateway[]> {
  const databaseFolder = newFolder(undo);
  const { connection } = await undo.started(
    startEmbedded({
      ...{ dataFolder: databaseFolder, log: () => undefined },
      settings: { max_connections: String(connectionsFor(count * PROCESSES)) },
    }),
  );
  const settings = {
    ...{ DATABASE_URL: urlOf(connection), FAREGATE_MODE: "sandbox", FAREGATE_SECRET: KEY, FAREGATE_MASTER_KEY: KEY },
    RATE_LIMIT_PER_MINUTE: "0",
  };
  const nodes: RunningGateway[] = [];
  for (let nth = 0; nth < count; nth++) {
    const launched = launchGateway(["src/main.ts"], newFolder(undo), [], settings, databaseFolder);
    nodes.push(await (await undo.started(launched)).ready);
  }
  return nodes;
}

/** For `DATABASE_URL`. */
export function urlOf({ host, port, user, password, database }: Exclude<DatabaseAddress, string>): string {
  const url = new URL(`postgresql://localhost:${port}/${database}`);
  url.username = user;
  url.password = password;
  url.searchParams.set("host", host);
  return url.href;
}
