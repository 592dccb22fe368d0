// A database server of a test's own whose data can be copied and put back, as an operator does with a backup, or a standby with a failover.

import {
  chmodSync,
  chownSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openPool, type Sql } from "../src/journal/database.ts";
import { type EmbeddedDatabase, startEmbedded } from "../src/journal/embedded/embedded.ts";
import { clusterOf, existingPlace } from "../src/journal/embedded/place.ts";
import { stopServer } from "../src/journal/embedded/server.ts";
import { migrate } from "../src/journal/migrate.ts";
import { madeCluster } from "./database-server.ts";
import { copyFolder, inRun } from "./made-once.ts";

const SETTINGS = { fsync: "off", shared_buffers: "64MB", max_wal_size: "512MB", restore_command: "false" };

export class MovableDatabase {
  readonly #dataFolder: string;
  readonly #copies: string;
  #server: EmbeddedDatabase;
  readonly pool: Sql;

  static async start(): Promise<MovableDatabase> {
    const dataFolder = mkdtempSync(join(tmpdir(), "faregate-moved-"));
    if (inRun()) await copyFolder(await madeCluster(), dataFolder);
    const server = await startEmbedded({ dataFolder, log: () => undefined, settings: SETTINGS });
    const database = new MovableDatabase(dataFolder, server);
    await migrate(database.pool, () => undefined);
    return database;
  }

  private constructor(dataFolder: string, server: EmbeddedDatabase) {
    this.#dataFolder = dataFolder;
    this.#copies = mkdtempSync(join(tmpdir(), "faregate-copies-"));
    this.#server = server;
    this.pool = openPool(server.connection, "test");
  }

  get address() {
    return this.#server.connection;
  }

  get #place() {
    const place = existingPlace(this.#dataFolder);
    if (place === undefined) throw new Error("the server has no place");
    return place;
  }

  get #cluster(): string {
    return clusterOf(this.#place.folder);
  }

  /** A copy of the disk, for which the server stops for a moment. */
  backUp(name: string): Promise<void> {
    return this.#restarted(() => cpSync(this.#cluster, join(this.#copies, name), { recursive: true }));
  }

  /** Puts a backup in place of what there is. @param timeline of a restore is new; of a copy of the disk it is the same */
  putBack(name: string, timeline: "new" | "same"): Promise<void> {
    return this.#restarted(() => {
      const owner = statSync(this.#cluster);
      rmSync(this.#cluster, { recursive: true });
      cpSync(join(this.#copies, name), this.#cluster, { recursive: true, preserveTimestamps: true });
      if (timeline === "new") writeFileSync(join(this.#cluster, "recovery.signal"), "");
      handTo(owner, this.#cluster);
    });
  }

  /** As a standby that had received everything, and was promoted. */
  failOver(): Promise<void> {
    return this.#restarted(() => {
      const signal = join(this.#cluster, "recovery.signal");
      writeFileSync(signal, "");
      chownSync(signal, statSync(this.#cluster).uid, statSync(this.#cluster).gid);
    });
  }

  async #restarted(change: () => void): Promise<void> {
    await this.#stop();
    change();
    this.#server = await startEmbedded({ dataFolder: this.#dataFolder, log: () => undefined, settings: SETTINGS });
    // It takes connections before it takes writes.
    while (await this.#isInRecovery()) await sleep(20);
  }

  async #isInRecovery(): Promise<boolean> {
    const [row] = await this.pool`select pg_is_in_recovery() as is`.catch(() => [{ is: true }]);
    return row?.is !== false;
  }

  /** Whoever is connected. */
  async #stop(): Promise<void> {
    await this.#server.stop();
    await stopServer(this.#place.folder);
  }

  async close(): Promise<void> {
    await this.pool.end({ timeout: 1 });
    await this.#server.stop();
    for (const folder of [this.#dataFolder, this.#copies]) rmSync(folder, { recursive: true, force: true });
  }
}

/** PostgreSQL refuses a folder that is not its own. */
function handTo({ uid, gid }: Stats, folder: string): void {
  chownSync(folder, uid, gid);
  chmodSync(folder, 0o700);
  for (const name of readdirSync(folder, { recursive: true })) chownSync(join(folder, String(name)), uid, gid);
}
