// All that takes part, on loopback and in a folder of its own: a database, two gateways on it, an acquirer's host with its
// books on disk, a link to it for each of two processor records, a simulator beside them, and hosts of processors one can sign up
// for, each behind a link.

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Rule } from "../../acquirer/misbehaviour.ts";
import { freePort } from "../../bench/free-port.ts";
import { urlOf } from "../../bench/nodes.ts";
import { childrenOf } from "../../bench/processes.ts";
import { openPool, type Sql } from "../../src/journal/database.ts";
import { existingPlace } from "../../src/journal/embedded/place.ts";
import { compiledForTests } from "../compiled.ts";
import { arm, deathsIn } from "./armed.ts";
import { type Kept, keep } from "./children.ts";
import { answers, callsTo } from "./control.ts";
import { startDatabase } from "./database.ts";
import type { Arming } from "./fail-points.ts";
import type { Start, Started } from "./gateway.ts";
import { type Link, openLink } from "./link.ts";
import { type Provider, type ProviderHost, type ProviderRecord, recordOf, startProvider } from "./providers.ts";

const ROOT = join(import.meta.dirname, "../..");
const GATEWAY = "test/torture/gateway.ts";
const WORKER = "test/torture/worker.ts";
const HOST = join(ROOT, "acquirer/main.ts");

/** How long a gateway waits for the host. */
export const TIMEOUT_MS = 800;
/** How late the card of late answers is. */
const LATE_MS = 1_000;

/** A node that is silent for so long is said to have been silent for longer, so that nobody waits four seconds for it. */
export const DEAD_AFTER_MS = 1_500;
/** So long an automatic capture that could not be sent rests, instead of seconds or minutes. */
const SHORT_REST_MS = 500;
const LOOK_EVERY_MS = 250;

const NODES = ["gateway-1", "gateway-2"] as const;

export interface House {
  readonly folder: string;
  readonly sql: Sql;
  readonly gateways: readonly [GatewayNode, GatewayNode];
  readonly host: Kept & HostControl;
  readonly providers: readonly ProviderHost[];
  /** One for each record at the host, then one for each provider. */
  readonly links: readonly Link[];
  readonly records: Records;
  readonly apiToken: string;
  readonly operatorToken: string;
  readonly merchantId: string;
  killDatabase(): Promise<void>;
  /** At which steps processes of the gateways have killed themselves, one for each time. */
  stepsOfDeath(): readonly string[];
  /** How many workers were lost while their gateway went on. */
  workersLost(): number;
  /** @param keepFolder the journal, the books and the logs stay for whoever looks after what was found */
  close(keepFolder: boolean): Promise<void>;
}

export interface GatewayNode extends Kept {
  readonly url: string;
  arm(arming: Arming | null): void;
  /** Their process numbers; none where the gateway is one process, or is away. */
  workers(): readonly number[];
}

export interface HostControl {
  misbehave(rule: Rule): Promise<void>;
  behave(): Promise<void>;
  outage(ms: number): Promise<void>;
  settle(): Promise<void>;
  /** A day's books, as CSV. @param day `2030-05-15`, UTC */
  books(day: string): Promise<string>;
  balance(transaction: string): Promise<bigint>;
}

/** Ids of the records through which is charged. */
export interface Records {
  /** At the host, each with a terminal and a link of its own. */
  readonly atHost: readonly [string, string];
  readonly atProviders: Readonly<Partial<Record<Provider, string>>>;
  readonly simulator: string;
}
export const TERMINALS = ["TERM0001", "TERM0002"] as const;

type Undo = (keepFolder: boolean) => Promise<unknown>;

/** Who takes part, beside what always does. */
export interface Cast {
  readonly providers: readonly Provider[];
  /** Of each gateway; with one it is a single process. */
  readonly workers: number;
  /** Nobody is killed: who counts as dead after the usual time would be a living one. */
  readonly nobodyDies?: boolean;
}

export async function openHouse(cast: Cast): Promise<House> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "faregate-torture-"));
  const undo: Undo[] = [];
  const close = async (keepFolder: boolean) => {
    for (const step of undo.splice(0).reverse()) await step(keepFolder);
    if (!keepFolder) remove(folder);
  };
  try {
    return { folder, ...(await furnish(folder, cast, undo)), close };
  } catch (fault) {
    await close(false);
    throw fault;
  }
}

function remove(folder: string): void {
  const place = existingPlace(join(folder, "database"));
  if (place !== undefined) rmSync(place.base, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
}

async function furnish(
  folder: string,
  { providers, workers, nobodyDies = false }: Cast,
  undo: Undo[],
): Promise<Omit<House, "folder" | "close">> {
  const database = await startDatabase(join(folder, "database"), NODES.length * workers);
  undo.push(database.stop);
  const sql = openPool(database.address, "torture");
  undo.push(() => sql.end({ timeout: 1 }));
  const hasten = setInterval(() => {
    if (nobodyDies) return;
    sql`
      update nodes set seen_at = seen_at - interval '5 seconds'
      where seen_at < now() - ${`${DEAD_AFTER_MS} milliseconds`}::interval and seen_at > now() - interval '5 seconds'
    `.catch(() => undefined); // the database may be away
    sql`
      update open_authorizations set rests_until = now() where rests_until > now() + ${`${SHORT_REST_MS} milliseconds`}::interval
    `.catch(() => undefined);
  }, LOOK_EVERY_MS);
  undo.push(async () => clearInterval(hasten));

  const host = await startHost(folder);
  undo.push(host.kept.stop);
  const ports: { readonly provider: Provider; readonly port: number; readonly controlPort: number }[] = [];
  for (const provider of providers) ports.push({ provider, port: await freePort(), controlPort: await freePort() });
  const links: Link[] = [];
  for (const port of [host.port, host.port, ...ports.map(({ port }) => port)]) links.push(await openLink(port));
  undo.push(() => Promise.all(links.map((link) => link.close())));

  const { address } = database;
  const shared = {
    ...{ databaseUrl: typeof address === "string" ? address : urlOf(address), workers },
    ...{ secret: randomBytes(32).toString("base64"), masterKey: randomBytes(32).toString("base64") },
    workerProgram: workers > 1 ? join(ROOT, compiledForTests(WORKER)) : "",
  };
  // One after the other: the first makes the tables and the sandbox.
  const started: { readonly node: GatewayNode; readonly told: Started }[] = [];
  for (const name of NODES) {
    const dataFolder = join(folder, name);
    mkdirSync(dataFolder, { mode: 0o700 });
    const one = startGateway({ port: await freePort(), dataFolder, ...shared });
    undo.push(one.node.stop);
    await one.node.ready();
    started.push({ node: one.node, told: one.told() });
  }
  const [first, second] = started;
  if (first === undefined || second === undefined) throw new Error("two gateways were to start");
  const providerRecords = new Map(
    ports.map(({ provider }, nth) => [provider, recordOf(provider, links[nth + 2]?.port ?? 0, TIMEOUT_MS)]),
  );
  const records = await createRecords(first.told, links, providerRecords);
  const providerHosts = ports.map((place, nth) => {
    const { url } = nth % 2 === 0 ? second.node : first.node;
    const webhookUrl = `${url}/notifications/${records.atProviders[place.provider]}`;
    return startProvider(place.provider, { folder, ...place, webhookUrl });
  });
  undo.push(() => Promise.all(providerHosts.map((one) => one.stop())));
  await Promise.all(providerHosts.map((one) => one.ready()));
  return {
    sql,
    providers: providerHosts,
    gateways: [first.node, second.node],
    host: Object.assign(host.kept, controlOf(host.controlPort)),
    links,
    records,
    apiToken: first.told.apiToken,
    operatorToken: first.told.operatorToken,
    merchantId: first.told.merchantId,
    killDatabase: database.kill,
    stepsOfDeath: () => NODES.flatMap((name) => deathsIn(join(folder, name))),
    workersLost: () =>
      NODES.flatMap((name) => readFileSync(logOf(join(folder, name)), "utf8").split("\n")).filter((line) =>
        line.includes("a worker ended: another takes its place"),
      ).length,
  };
}

const logOf = (dataFolder: string): string => join(dataFolder, "gateway.log");

function startGateway(start: Start) {
  const { dataFolder, workers } = start;
  let told: Started | undefined;
  const kept = keep({
    args: [join(ROOT, compiledForTests(GATEWAY))],
    log: logOf(dataFolder),
    begin: async (child) => {
      child.send(start, () => undefined);
      [told] = (await once(child, "message")) as [Started];
    },
  });
  const node: GatewayNode = Object.assign(kept, {
    url: `http://127.0.0.1:${start.port}`,
    arm: (arming: Arming | null) => arm(dataFolder, arming),
    workers: () => (workers > 1 && kept.pid !== undefined ? childrenOf(kept.pid) : []),
  });
  return {
    node,
    told: (): Started => {
      if (told === undefined) throw new Error("a gateway that is ready has said so");
      return told;
    },
  };
}

async function startHost(folder: string) {
  const [port, controlPort] = [await freePort(), await freePort()];
  const options = {
    port,
    "control-port": controlPort,
    folder: join(folder, "books"),
    "late-ms": LATE_MS,
  };
  const kept = keep({
    args: [HOST, ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])],
    log: join(folder, "host.log"),
    begin: (child) => answers(child, controlPort),
  });
  await kept.ready();
  return { kept, port, controlPort };
}

function controlOf(port: number): HostControl {
  const call = callsTo(port);
  return {
    misbehave: async (rule) => void (await call("POST", "/misbehave", rule)),
    behave: async () => void (await call("DELETE", "/misbehave")),
    outage: async (ms) => void (await call("POST", "/outage", { ms })),
    settle: async () => void (await call("POST", "/settle")),
    books: (day) => call("GET", `/books/${day}.csv`),
    balance: async (transaction) => BigInt((await call("GET", `/balance/${transaction}`)).trim()),
  };
}

/** All in rotation, and none but these: what is refused by one goes on to the next. */
async function createRecords(
  { url, operatorToken, merchantId, processors }: Started,
  links: readonly Link[],
  providers: ReadonlyMap<Provider, ProviderRecord>,
): Promise<Records> {
  const operator = async (method: string, path: string, json: object) => {
    const headers = { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" };
    const response = await fetch(url + path, { method, headers, body: JSON.stringify(json) });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json() as Promise<{ processor: { id: string } }>;
  };
  for (const id of Object.values(processors))
    await operator("PATCH", `/operator/processors/${id}`, { in_rotation: false });
  const create = async (name: string, over: object) => {
    const record = { name, currency: "USD", in_rotation: true, settlement: { auto_capture_at: "03:00" }, ...over };
    return (await operator("POST", `/operator/merchants/${merchantId}/processors`, record)).processor.id;
  };
  const atHost: string[] = [];
  for (const [nth, link] of links.slice(0, TERMINALS.length).entries())
    atHost.push(await create(`Host ${nth + 1}`, { kind: "iso8583", settings: settingsOf(nth, link.port) }));
  const [one, two] = atHost;
  if (one === undefined || two === undefined) throw new Error("two records were to be created");
  const simulator = await create("Simulator", { kind: "simulator", settings: { timeout_ms: TIMEOUT_MS } });
  const atProviders: Partial<Record<Provider, string>> = {};
  for (const [provider, record] of providers) atProviders[provider] = await create(provider, record);
  return { atHost: [one, two], atProviders, simulator };
}

const settingsOf = (nth: number, port: number) => ({
  ...{ host: "127.0.0.1", port, terminal_id: TERMINALS[nth], merchant_id: "TORTURE", acquirer_id: "123456" },
  ...{ result_letters: "simulator", timeout_ms: TIMEOUT_MS, echo_interval_ms: 300, connections: nth + 1 },
  ...{ partial_void: true, multiple_captures: true, refund_before_settlement: true },
});
