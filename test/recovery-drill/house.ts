// Who takes part beside the database: gateways, an acquirer's host and Stripe's, with books on disk. And what an operator does in recovery mode.

import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../bench/free-port.ts";
import type { Sql } from "../../src/journal/database.ts";
import type { Sandbox } from "../../src/sandbox.ts";
import { faregateProcess } from "../command-line.ts";
import { compiled } from "../compiled.ts";
import { type Kept, keep } from "../torture/children.ts";
import { answers, callsTo } from "../torture/control.ts";
import type { HostControl } from "../torture/house.ts";
import { type ProviderHost, recordOf, startProvider } from "../torture/providers.ts";
import { readAll, readOpen, readWaiting } from "../torture/records.ts";
import type { Told } from "./shop.ts";
import { type Verdict, verdictOf } from "./verdict.ts";

interface GatewayNode extends Kept {
  readonly url: string;
  readonly fence: string;
  /** What it prints. */
  log(): string;
}

export interface DrillHouse {
  readonly folder: string;
  readonly began: Date;
  readonly gateways: readonly [GatewayNode, ...GatewayNode[]];
  readonly sql: Sql;
  readonly sandbox: Sandbox;
  readonly host: Kept & HostControl;
  readonly stripe: ProviderHost;
  readonly records: { readonly acquirer: string; readonly stripe: string };
  readonly env: NodeJS.ProcessEnv;
}

interface DrillDatabase {
  readonly url: string;
  readonly pool: Sql;
}

const LATE_MS = 600;
const TIMEOUT_MS = 5_000;
const RECOVERY_BEGINS_WITHIN_MS = 60_000;
/** What a message is about may be asked again after a minute, twice. */
const AT_REST_WITHIN_MS = 240_000;
/** An operation counts as absent in the books if it was sent five minutes before their end. Nobody sells any more. */
const MARGIN_MS = 6 * 60_000;
const ROOT = join(import.meta.dirname, "../..");

/** @param undo gets what ends it, in order of its beginning @param count of gateways */
export async function openHouse(
  folder: string,
  undo: (() => Promise<unknown>)[],
  database: DrillDatabase,
  count = 1,
): Promise<DrillHouse> {
  const shared = {
    ...{ FAREGATE_MODE: "sandbox", HOST: "127.0.0.1", WORKERS: "1", HEAVY_WORKER: "off", LOG_FORMAT: "json" },
    ...{ RATE_LIMIT_PER_MINUTE: "0", DATABASE_URL: database.url },
    FAREGATE_SECRET: randomBytes(32).toString("base64"),
    FAREGATE_MASTER_KEY: randomBytes(32).toString("base64"),
  };
  const gateways: GatewayNode[] = [];
  for (let nth = 1; nth <= count; nth++) {
    const gateway = await startGateway(folder, nth === 1 ? "" : `-${nth}`, shared);
    undo.push(gateway.stop);
    await gateway.ready();
    gateways.push(gateway);
  }
  const [first, ...others] = gateways;
  if (first === undefined) throw new Error("a gateway was to start");
  const file = join(folder, "gateway", "sandbox.json");
  // It is written a moment after the first response.
  while (!existsSync(file)) await sleep(50);
  const sandbox = JSON.parse(readFileSync(file, "utf8")) as Sandbox;
  const host = await startHost(folder);
  undo.push(host.stop);
  const [stripePort, controlPort] = [await freePort(), await freePort()];
  const acquirer = await addRecord(first.url, sandbox, {
    ...{ name: "acquirer", kind: "iso8583", currency: "USD" },
    settings: {
      ...{ host: "127.0.0.1", port: host.port, terminal_id: "TERM0001", merchant_id: "DRILL", acquirer_id: "123456" },
      ...{ result_letters: "simulator", timeout_ms: TIMEOUT_MS, echo_interval_ms: 1_000, partial_void: true },
      ...{ multiple_captures: true, refund_before_settlement: true },
    },
  });
  const atStripe = await addRecord(first.url, sandbox, {
    ...{ name: "stripe", currency: "USD", ...recordOf("stripe", stripePort, TIMEOUT_MS) },
  });
  const webhookUrl = `${first.url}/notifications/${atStripe}`;
  const stripe = startProvider("stripe", { folder, port: stripePort, controlPort, webhookUrl });
  undo.push(stripe.stop);
  await stripe.ready();
  return {
    ...{ folder, began: new Date(), gateways: [first, ...others], sql: database.pool, sandbox, host, stripe },
    records: { acquirer, stripe: atStripe },
    env: { ...shared, FAREGATE_DATA: join(folder, "gateway") },
  };
}

async function startGateway(
  folder: string,
  name: string,
  shared: Readonly<Record<string, string>>,
): Promise<GatewayNode> {
  const [port, fence, dataFolder] = [await freePort(), join(folder, `fence${name}`), join(folder, `gateway${name}`)];
  mkdirSync(dataFolder, { mode: 0o700 });
  const settings = { ...shared, PORT: `${port}`, FAREGATE_DATA: dataFolder, FAREGATE_FENCE_FILE: fence };
  const environment = join(folder, `environment${name}`);
  const lines = Object.entries(settings).map(([key, value]) => `${key}=${value}\n`);
  writeFileSync(environment, lines.join(""), { mode: 0o600 });
  const url = `http://127.0.0.1:${port}`;
  const log = join(folder, `gateway${name}.log`);
  const kept = keep({
    args: [compiled("faregate"), "--env-file", environment, "start"],
    log,
    begin: async (child) => {
      while (child.exitCode === null && child.signalCode === null) {
        if ((await fetch(`${url}/health/live`, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined))?.ok)
          return;
        await sleep(50);
      }
      throw new Error("it ended");
    },
  });
  return Object.assign(kept, { url, fence, log: () => readFileSync(log, "utf8") });
}

async function startHost(folder: string): Promise<Kept & HostControl & { readonly port: number }> {
  const [port, controlPort] = [await freePort(), await freePort()];
  const options = { port, "control-port": controlPort, folder: join(folder, "books"), "late-ms": LATE_MS };
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, `${value}`]);
  const kept = keep({
    args: [join(ROOT, "acquirer/main.ts"), ...words],
    log: join(folder, "acquirer.log"),
    begin: (child) => answers(child, controlPort),
  });
  await kept.ready();
  const call = callsTo(controlPort);
  return Object.assign(kept, {
    port,
    misbehave: async (rule: object) => void (await call("POST", "/misbehave", rule)),
    behave: async () => void (await call("DELETE", "/misbehave")),
    outage: async (ms: number) => void (await call("POST", "/outage", { ms })),
    settle: async () => void (await call("POST", "/settle")),
    books: (day: string) => call("GET", `/books/${day}.csv`),
    balance: async (transaction: string) => BigInt((await call("GET", `/balance/${transaction}`)).trim()),
  });
}

async function addRecord(url: string, { merchant_id, operator_token }: Sandbox, record: object): Promise<string> {
  const response = await fetch(`${url}/operator/merchants/${merchant_id}/processors`, {
    method: "POST",
    headers: { authorization: `Bearer ${operator_token}`, "content-type": "application/json" },
    body: JSON.stringify({ in_rotation: false, ...record }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return ((await response.json()) as { processor: { id: string } }).processor.id;
}

/** `faregate …` as an operator runs it. @param codes that are no failure @returns what it printed */
async function faregate({ env }: DrillHouse, parameters: readonly string[], codes = [0]): Promise<string> {
  const { code, stdout, stderr } = await faregateProcess(env, ...parameters);
  if (!codes.includes(code)) throw new Error(`faregate ${parameters.join(" ")}: ${code} ${stdout}${stderr}`);
  return stdout;
}

export interface Recovered {
  readonly adopted: number;
  /** Of those: open in the database. Without recovery mode they would have been reversed. */
  readonly adoptedOpen: number;
}

interface Shown {
  readonly mode: string;
  readonly since: string | null;
  readonly lost: readonly unknown[];
}

/** How the gateways stand. */
export async function shown(house: DrillHouse): Promise<Shown> {
  return (JSON.parse(await faregate(house, ["recovery", "show", "--json"])) as { recovery: Shown }).recovery;
}

/** As docs/recovery.md says: wait for recovery mode, compare, adopt, see that nothing is left, release. */
export async function recover(house: DrillHouse): Promise<Recovered> {
  for (const since = performance.now(); (await shown(house)).since === null; await sleep(500))
    if (performance.now() - since > RECOVERY_BEGINS_WITHIN_MS)
      throw new Error("the gateways do not begin recovery mode");
  const { records, host, began, folder } = house;
  const files = await booksSince(host, began, folder);
  const until = ["--until", new Date(Date.now() + MARGIN_MS).toISOString()];
  let [adopted, adoptedOpen] = [0, 0];
  for (const [processor = "", ...given] of [[records.acquirer, ...files], [records.stripe]]) {
    const of = ["--processor", processor, ...until, "--json"];
    const compared = await faregate(house, ["recovery", "compare", ...of, ...given], [0, 3]);
    const found = (kinds: RegExp) => compared.split("\n").filter((line) => kinds.test(line)).length;
    adopted += found(/"kind":"(lost|open-booked)"/);
    adoptedOpen += found(/"kind":"open-booked"/);
    // What is left, if anything, is in what the comparison says.
    await faregate(house, ["recovery", "adopt", ...of, "--yes", "--from-books", ...given], [0, 3]);
    await faregate(house, ["recovery", "compare", ...of, ...given]);
  }
  await faregate(house, ["recovery", "release", "--evidence", "compared with the books of all processors"]);
  return { adopted, adoptedOpen };
}

async function booksSince(host: HostControl, since: Date, folder: string): Promise<readonly string[]> {
  const files: string[] = [];
  const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  for (let day = dayOf(since.getTime()); day <= dayOf(Date.now()); day = dayOf(Date.parse(day) + 86_400_000)) {
    const file = join(folder, `${day}.csv`);
    writeFileSync(file, await host.books(day));
    files.push(file);
  }
  return files;
}

/** The gateways sell again, and have done what was open. @returns how the accounts compare then */
export async function verdictAtRest(house: DrillHouse, told: readonly Told[]): Promise<Verdict> {
  const { gateways, sql, stripe, host, began } = house;
  await gateways[0].ready();
  // As the real one does for days.
  await stripe.tellAll(began);
  for (const since = performance.now(); ; await sleep(250)) {
    for (const gateway of gateways) await gateway.ready();
    const open = await readOpen(sql).catch(() => undefined);
    const health = await Promise.all(
      gateways.map(({ url }) =>
        fetch(`${url}/health/ready`).then(
          ({ status }) => status,
          () => 0,
        ),
      ),
    );
    const isDone = open !== undefined && open.pending + open.unresolved + open.waiting === 0;
    if (isDone && health.every((status) => status === 200)) break;
    if (performance.now() - since > AT_REST_WITHIN_MS)
      throw new Error(
        `not at rest: ${JSON.stringify(open)}, health ${health.join()} ${JSON.stringify(await readWaiting(sql))}`,
      );
  }
  return verdictOf({ told, ...(await readAll({ sql, host, providers: [stripe] }, began)) });
}
