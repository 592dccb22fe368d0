// With the real server: one cluster that lives through what a gateway's database lives through, step by step.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { copyFolder } from "../../../test/made-once.ts";
import { openPool, type Sql } from "../database.ts";
import { type EmbeddedDatabase, startEmbedded } from "./embedded.ts";
import { clusterOf } from "./place.ts";
import { postmasterOf, processesOn } from "./postmaster.ts";

const asRoot = process.getuid?.() === 0;
const NOBODY = { uid: 65534, gid: 65534 };

describe("the embedded database", () => {
  let dataFolder: string;
  let running: EmbeddedDatabase[] = [];
  let lines: string[] = [];

  before(() => {
    dataFolder = mkdtempSync(join(tmpdir(), "faregate-embedded-"));
  });
  afterEach(async () => {
    for (const database of running) await database.stop();
    running = [];
    lines = [];
  });
  after(() => rmSync(dataFolder, { recursive: true, force: true }));

  async function start(folder = dataFolder, settings = {}): Promise<EmbeddedDatabase> {
    const database = await startEmbedded({ dataFolder: folder, log: (line) => lines.push(line), settings });
    running.push(database);
    return database;
  }

  test("a first start brings an empty database that syncs, listens on no address and gives no superuser", async () => {
    const database = await start();
    assert.deepEqual([database.folder, database.adopted], [join(dataFolder, "postgresql"), false]);
    assert.deepEqual(
      await query(
        database,
        `select current_setting('listen_addresses') as addresses, current_setting('fsync') as fsync,
                current_setting('full_page_writes') as pages, current_setting('data_checksums') as checksums,
                current_setting('is_superuser') as superuser, current_database() as name,
                (select datlocale from pg_database where datname = current_database()) as locale`,
      ),
      [
        {
          addresses: "",
          fsync: "on",
          pages: "on",
          checksums: "on",
          superuser: "off",
          name: "faregate",
          locale: "C.UTF-8",
        },
      ],
    );
    assert.equal(statSync(join(database.folder, "password")).mode & 0o777, 0o600);
    await query(database, "create table kept as select 1 as here");
  });

  test("stop ends the server, and the next start finds what was there", async () => {
    assert.equal(postmasterOf(clusterOf(join(dataFolder, "postgresql"))), undefined);
    const database = await start();
    assert.equal(database.adopted, false);
    assert.deepEqual(await query(database, "select here from kept"), [{ here: 1 }]);
    await database.stop();
    assert.deepEqual(processesOn(clusterOf(database.folder)), []);
  });

  test("a gateway that is killed leaves the server running, and the next start goes on with it", async () => {
    const gateway = await startElsewhere(dataFolder);
    const before = postmasterOf(clusterOf(join(dataFolder, "postgresql")))?.pid;
    gateway.kill("SIGKILL");
    await once(gateway, "exit");
    const database = await start();
    assert.equal(database.adopted, true);
    assert.equal(postmasterOf(clusterOf(database.folder))?.pid, before);
    assert.deepEqual(await query(database, "select here from kept"), [{ here: 1 }]);
  });

  test("a server that was left running with room for fewer connections than wanted is started again, once nobody uses it", async () => {
    const gateway = await startElsewhere(dataFolder);
    gateway.kill("SIGKILL");
    await once(gateway, "exit");
    const most = (database: EmbeddedDatabase) => query(database, "select current_setting('max_connections') as most");
    const first = await start();
    const user = connect(first);
    await user`select 1`;
    assert.deepEqual(await most(await start(dataFolder, { max_connections: "120" })), [{ most: "100" }]);
    await user.end();
    const last = await start(dataFolder, { max_connections: "120" });
    assert.deepEqual([last.adopted, await most(last)], [false, [{ most: "120" }]]);
    assert.deepEqual(await query(last, "select here from kept"), [{ here: 1 }]);
  });

  test("a data folder that was moved away under its running server is served again from where it is now", async () => {
    const folder = join(dataFolder, "moving");
    mkdirSync(folder);
    await copyFolder(join(dataFolder, "postgresql"), join(folder, "postgresql"));
    const gateway = await startElsewhere(folder);
    gateway.kill("SIGKILL");
    await once(gateway, "exit");
    renameSync(folder, join(dataFolder, "moved-running"));
    const database = await start(join(dataFolder, "moved-running"));
    assert.equal(database.connection.host, join(dataFolder, "moved-running/postgresql/run"));
    assert.deepEqual(await query(database, "select 1 as answer"), [{ answer: 1 }]);
    await database.stop();
    assert.deepEqual(processesOn(clusterOf(database.folder)), []);
  });

  test("after a kill -9 of the server, and of everything at once, the next start just works", async () => {
    for (const whom of ["server", "everything"]) {
      const gateway = await startElsewhere(dataFolder);
      const cluster = clusterOf(join(dataFolder, "postgresql"));
      const server = postmasterOf(cluster)?.pid;
      gateway.kill("SIGKILL"); // or it would start the server again
      await once(gateway, "exit");
      for (const pid of whom === "server" ? [server] : processesOn(cluster)) kill(pid);
      const database = await start();
      assert.equal(database.adopted, false);
      assert.deepEqual(await query(database, "select here from kept"), [{ here: 1 }]);
      await database.stop();
    }
  });

  test("a busy process that outlives its killed server does not keep the next one from starting", async () => {
    const database = await start();
    const busy = connect(database);
    const spinning = busy.unsafe("do $$ begin loop end loop; end $$").catch(() => "ended");
    await sleep(100);
    kill(postmasterOf(clusterOf(database.folder))?.pid);
    assert.equal(await spinning, "ended");
    await busy.end({ timeout: 1 });
    await comesBack(database);
  });

  test("a server that dies under a running gateway is started again by itself, and that is said", async () => {
    const database = await start();
    kill(postmasterOf(clusterOf(database.folder))?.pid);
    await comesBack(database);
    assert.deepEqual(lines, ["The database server is gone; starting it again", "The database server runs again"]);
  });

  test("two starts at once agree on one server, and the last to stop ends it", async () => {
    const [one, two] = await Promise.all([start(), start()]);
    assert.deepEqual([one?.adopted, two?.adopted].sort(), [false, true]);
    const client = connect(two);
    await client`select 1`;
    await one.stop();
    assert.deepEqual(lines, [`The database server in ${one.folder} is left running: another program uses it`]);
    assert.deepEqual([...(await client`select here from kept`)], [{ here: 1 }]);
    await client.end();
    await two.stop();
    assert.deepEqual(processesOn(clusterOf(two.folder)), []);
  });

  test("a lock file whose number belongs to another program by now is no server", async () => {
    const cluster = clusterOf(join(dataFolder, "postgresql"));
    const { uid, gid } = statSync(cluster);
    const stranger = spawn("sleep", ["60"], { uid, gid, cwd: "/" });
    await once(stranger, "spawn");
    try {
      writeFileSync(
        join(cluster, "postmaster.pid"),
        `${stranger.pid}\n${cluster}\n1700000000\n5432\n/tmp\n\n\nready\n`,
      );
      chownSync(join(cluster, "postmaster.pid"), uid, gid);
      const database = await start();
      assert.equal(database.adopted, false);
      assert.deepEqual(await query(database, "select here from kept"), [{ here: 1 }]);
    } finally {
      stranger.kill();
    }
  });

  test("values in a statement or its error do not reach the server's log", async () => {
    const database = await start();
    for (const text of ["select '4111111111111111x'::int8", 'select 1 / 0 as "4111111111111111"']) {
      await assert.rejects(query(database, text));
    }
    assert.doesNotMatch(readFileSync(join(database.folder, "postgresql.log"), "utf8"), /411111/);
  });

  test("a server that cannot start is told in one line, with its own reason and the path of its log", async () => {
    const wal = join(clusterOf(join(dataFolder, "postgresql")), "pg_wal");
    renameSync(wal, `${wal}.away`);
    await assert.rejects(start(), {
      name: "StartFault",
      message:
        'The database does not start: required WAL directory "pg_wal" does not exist. ' +
        `Its log is ${join(dataFolder, "postgresql/postgresql.log")}`,
    });
    renameSync(`${wal}.away`, wal);
    assert.deepEqual(await query(await start(), "select here from kept"), [{ here: 1 }]);
  });

  test("data of another PostgreSQL is left alone, and what to do is said", async () => {
    const file = join(clusterOf(join(dataFolder, "postgresql")), "PG_VERSION");
    writeFileSync(file, "17\n");
    await assert.rejects(start(), {
      name: "StartFault",
      message: /^The database in .* is of PostgreSQL 17, and this gateway brings PostgreSQL 18\. .*pg_dump/,
    });
    writeFileSync(file, "18\n");
  });

  test("a first start that was interrupted leaves nothing that the next one trips over", async () => {
    const folder = join(dataFolder, "interrupted");
    mkdirSync(join(folder, "postgresql.draft-abc/cluster/base"), { recursive: true });
    writeFileSync(join(folder, "postgresql.draft-abc/cluster/PG_VERSION"), "18\n");
    const database = await start(folder);
    assert.deepEqual(await query(database, "select 1 as answer"), [{ answer: 1 }]);
    assert.equal(existsSync(join(folder, "postgresql.draft-abc")), false);
  });

  test("a line end in the folder's name is refused before anything is started there", async () => {
    const folder = join(mkdtempSync(join(tmpdir(), "faregate-embedded-")), "two\nlines");
    mkdirSync(folder);
    // So that root's database would lie in it, too.
    chmodSync(join(folder, ".."), 0o755);
    try {
      await assert.rejects(start(folder), { name: "StartFault", message: /two\\nlines.* line end in the name/ });
      assert.deepEqual(readdirSync(folder), []);
    } finally {
      rmSync(join(folder, ".."), { recursive: true, force: true });
    }
  });

  test("a path too long for a socket does not keep the database from starting", async () => {
    const folder = join(dataFolder, "long".repeat(30));
    mkdirSync(folder);
    const database = await start(folder);
    assert.ok(Buffer.byteLength(database.connection.host) < 80);
    assert.deepEqual(await query(database, "select 1 as answer"), [{ answer: 1 }]);
    await database.stop();
    assert.equal(existsSync(database.connection.host), false);
  });

  test("root's data folder that PostgreSQL's user cannot reach gets its database elsewhere, and keeps it", {
    skip: !asRoot,
  }, async () => {
    const closed = join(dataFolder, "closed");
    mkdirSync(closed, { mode: 0o700 });
    mkdirSync(join(closed, "data"));
    const database = await start(join(closed, "data"));
    const home = join(database.folder, "..");
    try {
      assert.match(database.folder, /^\/var\/lib\/faregate\/data-[0-9a-f]{8}\/postgresql$/);
      await query(database, "create table kept as select 2 as here");
      await database.stop();
      spawnSync("mv", [closed, join(dataFolder, "moved")]);
      const again = await start(join(dataFolder, "moved/data"));
      assert.equal(again.folder, database.folder);
      assert.deepEqual(await query(again, "select here from kept"), [{ here: 2 }]);
      await again.stop();
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });

  test("an ordinary user has the database as their own", { skip: !asRoot || !nobodyMayRun() }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "faregate-nobody-"));
    chownSync(folder, NOBODY.uid, NOBODY.gid);
    try {
      const gateway = await startElsewhere(folder, NOBODY);
      const server = postmasterOf(clusterOf(join(folder, "postgresql")))?.pid ?? 0;
      assert.equal(statSync(`/proc/${server}`).uid, NOBODY.uid);
      gateway.kill("SIGTERM");
      await once(gateway, "exit");
      assert.deepEqual(processesOn(clusterOf(join(folder, "postgresql"))), []);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

function kill(pid: number | undefined): void {
  assert.ok(pid);
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // gone already: its server was killed first
  }
}

function connect({ connection }: EmbeddedDatabase): Sql {
  return openPool(connection, "test", { connections: 1 });
}

async function query(database: EmbeddedDatabase, text: string): Promise<readonly unknown[]> {
  const sql = connect(database);
  try {
    return [...(await sql.unsafe(text))];
  } finally {
    await sql.end();
  }
}

async function comesBack(database: EmbeddedDatabase): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      assert.deepEqual(await query(database, "select here from kept"), [{ here: 1 }]);
      return;
    } catch (error) {
      if (tries === 1_000) throw error;
      await sleep(100);
    }
  }
}

const GATEWAY = `
  import { startEmbedded } from ${JSON.stringify(import.meta.resolve("./embedded.ts"))};
  const database = await startEmbedded({ dataFolder: process.argv[1], log: () => undefined });
  process.on("SIGTERM", () => database.stop().then(() => process.exit(0)));
  setInterval(() => undefined, 1000);
  console.log("up");`;

/** A gateway in a process of its own, so that it can be killed. */
async function startElsewhere(folder: string, user: { uid?: number; gid?: number } = {}) {
  const gateway = spawn(process.execPath, ["--input-type=module", "-e", GATEWAY, folder], {
    ...user,
    cwd: "/",
    stdio: ["ignore", "pipe", "inherit"],
  });
  await Promise.race([
    once(gateway.stdout, "data"),
    once(gateway, "exit").then(([code]) => Promise.reject(new Error(`it ended with ${code}`))),
  ]);
  return gateway;
}

function nobodyMayRun(): boolean {
  const check = '[ -x "$1" ] && [ -r "$2" ]';
  return (
    spawnSync("/bin/sh", ["-c", check, "sh", process.execPath, import.meta.filename], { ...NOBODY, cwd: "/" })
      .status === 0
  );
}
