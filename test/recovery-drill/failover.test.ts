// A failover behind haproxy while gateways run and sell: to a standby that had fallen behind, and to one that each commit waited for.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../bench/free-port.ts";
import { type OwnCluster, ownCluster, psql, standbyOf } from "../own-cluster.ts";
import { chanceFrom } from "../simulation/chance.ts";
import { missingPrograms } from "../system-programs.ts";
import { type DrillHouse, openHouse, recover, shown, verdictAtRest } from "./house.ts";
import { openShop, type Shop } from "./shop.ts";

const SKIPPED = missingPrograms("haproxy") ?? false;

const undo: (() => Promise<unknown>)[] = [];

describe("a failover behind haproxy", { skip: SKIPPED }, () => {
  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
  });

  it("to a standby that had fallen behind: within a second nothing is charged, nothing is reversed, and books are equal after recovery", async () => {
    const { primary, standby, house } = await openPair();
    const shops = sell(house);
    await sleep(1_500);
    await psql(standby, "alter system set primary_conninfo = ''", "select pg_reload_conf()");
    await sleep(2_500);
    await primary.kill();
    await psql(standby, "select pg_promote()");
    const promotedMs = Date.now();
    await sleep(4_000);
    for (const shop of shops) await shop.close();
    const told = shops.flatMap((shop) => shop.told);
    // A response may come from before, and be late by its way here; none of a charge that began later.
    assert.deepEqual(
      told.filter(({ sentMs }) => sentMs > promotedMs + 1_000),
      [],
    );
    const { lost } = await shown(house);
    assert.ok(lost.length > 0);
    const { adopted } = await recover(house);
    assert.ok(adopted > 0);
    const { lost: missing, released: _, ...others } = await verdictAtRest(house, told);
    assert.deepEqual({ missing, ...others }, { missing: [], doubled: [], reversedWrongly: [], open: [] });
    const again = sell(house);
    await sleep(1_500);
    for (const shop of again) await shop.close();
    assert.ok(again.every((shop) => shop.told.length > 0));
  });

  it("to a standby that each commit waited for: gateways sell again by themselves, and nothing is lost", async () => {
    const { primary, house, standby } = await openPair("standby1");
    const shops = sell(house);
    await sleep(2_500);
    await primary.kill();
    await psql(standby, "select pg_promote()");
    const promotedMs = Date.now();
    for (
      const since = performance.now();
      !shops.every((shop) => shop.told.some(({ sentMs }) => sentMs > promotedMs));
      await sleep(100)
    )
      assert.ok(performance.now() - since < 60_000, "no sale after the failover");
    for (const shop of shops) await shop.close();
    assert.deepEqual(await shown(house).then(({ mode, since }) => ({ mode, since })), { mode: "normal", since: null });
    const verdict = await verdictAtRest(
      house,
      shops.flatMap((shop) => shop.told),
    );
    assert.deepEqual(verdict, { lost: [], doubled: [], reversedWrongly: [], released: [], open: [] });
  });
});

const sell = ({ gateways, sandbox, records }: DrillHouse): readonly Shop[] =>
  gateways.map(({ url }, nth) =>
    openShop(url, sandbox.api_token, [records.acquirer], new Set([records.acquirer]), chanceFrom(nth + 1)),
  );

/** Two gateways on a primary, reached through haproxy, which goes over to the standby. @param waitedFor by each commit */
async function openPair(waitedFor?: string) {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "faregate-failover-"));
  chmodSync(folder, 0o711);
  undo.push(async () => rmSync(folder, { recursive: true, force: true }));
  const primary = await ownCluster(join(folder, "primary"));
  undo.push(() => ended(primary));
  const standby = await standbyOf(primary, join(folder, "standby"), waitedFor ?? "standby1");
  undo.push(() => ended(standby));
  if (waitedFor !== undefined)
    await psql(
      primary,
      `alter system set synchronous_standby_names = 'ANY 1 (${waitedFor})'`,
      "select pg_reload_conf()",
    );
  const port = await startHaproxy(folder, primary, standby);
  const url = primary.url.replace(`:${primary.port}/`, `:${port}/`);
  // What the accounts are read from is the standby, once it is promoted.
  const house = await openHouse(folder, undo, { url, pool: standby.pool }, 2);
  return { primary, standby, house };
}

async function ended(cluster: OwnCluster): Promise<void> {
  await cluster.pool.end({ timeout: 1 });
  await cluster.kill();
}

/** It looks ten times a second whether the primary takes connections, and ends those to a server that does not. */
async function startHaproxy(folder: string, primary: OwnCluster, standby: OwnCluster): Promise<number> {
  const port = await freePort();
  const config = join(folder, "haproxy.cfg");
  const options = "check inter 100ms fall 2 rise 1 on-marked-down shutdown-sessions";
  writeFileSync(
    config,
    `defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
listen postgresql
  bind 127.0.0.1:${port}
  server primary 127.0.0.1:${primary.port} ${options}
  server standby 127.0.0.1:${standby.port} ${options} backup
`,
  );
  const child = spawn("haproxy", ["-db", "-f", config], { stdio: "ignore" });
  undo.push(() => gone(child));
  for (const since = performance.now(); !(await takes(port)); await sleep(50))
    assert.ok(performance.now() - since < 20_000 && child.exitCode === null, "haproxy does not start");
  return port;
}

const gone = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve(undefined);
    child.once("exit", resolve);
    child.kill("SIGKILL");
  });

const takes = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("close", () => undefined);
    socket.once("connect", () => socket.destroy());
  });
