// Nodes that migrate at once: one does it, and the others wait for it, unless it is dead or frozen.

import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { type FreshDatabase, freshDatabase } from "../../test/database.ts";
import type { Migrating } from "../../test/fixtures/migrating.ts";
import { until } from "../../test/receiver.ts";
import { openPool } from "./database.ts";
import { migrate } from "./migrate.ts";

const MIGRATIONS = join(import.meta.dirname, "migrations");
const PROGRAM = join(import.meta.dirname, "../../test/fixtures/migrating.ts");
const NAME = "9000-later";

describe("nodes that migrate at once", () => {
  let folder: string;
  let database: FreshDatabase;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "faregate-turn-"));
    cpSync(MIGRATIONS, folder, { recursive: true });
    writeFileSync(join(folder, `${NAME}.sql`), "alter table events add column later text;\n");
    database = await freshDatabase();
  });
  afterEach(async () => {
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  /** Somebody in the middle of a sale, until it is ended. */
  async function inTheMiddle() {
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const sale = database.pool.begin(async (sql) => {
      await sql`lock table events in row exclusive mode`;
      begun.resolve();
      await ended.promise;
    });
    await begun.promise;
    return async () => {
      ended.resolve();
      await sale;
    };
  }
  const waiting = () => database.pool<{ node: string; since: string }[]>`
    select a.application_name as node, l.waitstart::text as since from pg_locks l join pg_stat_activity a using (pid)
    where l.relation = 'events'::regclass and not l.granted and l.waitstart is not null`;

  test("only one of them tries to get at a table: between its attempts sales have their time", async () => {
    const nodes = ["one", "two", "three", "four"].map((name) => openPool(database.address, name));
    const lines: string[] = [];
    const end = await inTheMiddle();
    const migrating = nodes.map((pool) => migrate(pool, (line) => lines.push(line), folder));
    const attempts = new Map<string, string>();
    try {
      await until("it was tried several times", async () => {
        for (const { node, since } of await waiting()) attempts.set(since, node);
        return attempts.size >= 6;
      });
    } finally {
      await end();
    }
    const applied = (await Promise.all(migrating)).flatMap((one) => one.applied);
    await Promise.all(nodes.map((pool) => pool.end()));
    assert.equal(new Set(attempts.values()).size, 1, [...attempts.values()].join());
    assert.deepEqual(applied, [NAME]);
    assert.equal(lines.filter((line) => line === "Another node migrates the database: waiting for it").length, 3);
  });

  for (const [signal, fate] of [
    ["SIGKILL", "dies"],
    ["SIGSTOP", "is frozen"],
  ] as const)
    test(`one that ${fate} in the middle of it is not waited for, and its tables are free again`, async (t) => {
      const end = await inTheMiddle();
      const child = fork(PROGRAM, [], { execArgv: [] });
      t.after(() => child.kill("SIGKILL"));
      const { address } = database;
      child.send({ address, folder } satisfies Migrating);
      await until("it waits for the table", async () => (await waiting()).some(({ node }) => node === "migrating"));
      child.kill(signal);
      await end();
      assert.deepEqual(await migrate(database.pool, undefined, folder), { applied: [NAME] });
      if (signal === "SIGKILL") return;
      const told = once(child, "message");
      child.kill("SIGCONT");
      assert.deepEqual(await told, [[], undefined], "back again it finds nothing to do");
    });
});
