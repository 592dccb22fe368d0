// The data of a measurement: a folder of its own, and the database on it.

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPool, type Sql } from "../src/journal/database.ts";
import { startEmbedded } from "../src/journal/embedded/embedded.ts";
import { existingPlace } from "../src/journal/embedded/place.ts";
import { stopServer } from "../src/journal/embedded/server.ts";
import type { Undo } from "./undo.ts";

export function newFolder(undo: Undo): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "faregate-bench-"));
  undo.add(async () => {
    const place = existingPlace(folder);
    if (place !== undefined) await stopServer(place.folder); // only a start that failed leaves it running
    // The database is elsewhere where PostgreSQL's user cannot reach this folder.
    for (const part of [place?.base ?? folder, folder])
      rmSync(part, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  });
  return folder;
}

/** On the server of the gateway that runs on this folder, else on one of its own. */
export async function openDatabase(undo: Undo, folder: string, log = (_line: string): void => undefined): Promise<Sql> {
  const { connection } = await undo.started(startEmbedded({ dataFolder: folder, log }));
  const sql = openPool(connection, "measurement");
  undo.add(() => sql.end({ timeout: 1 }));
  return sql;
}
