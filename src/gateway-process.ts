// Builds the parts of a gateway, joins them, and takes them apart again in order.

import type { FastifyBaseLogger } from "fastify";
import { type Doors, doorsOf } from "./api/doors.ts";
import { representTransaction } from "./api/represent.ts";
import { buildServer } from "./api/server.ts";
import {
  type Core,
  openCore,
  type Patience,
  type Refitted,
  serverPartsOf,
  startNode,
  stateOf,
  type Undo,
} from "./core.ts";
import { prepareDataFolder, secretFile } from "./data-folder.ts";
import { lockFolder } from "./folder-lock.ts";
import { every } from "./gateway/every.ts";
import { termsOf } from "./gateway/processors-at-work.ts";
import { startRequestCounting } from "./gateway/request-counting.ts";
import { heavyWorker, type OwnHeavyWorker } from "./heavy-worker/heavy-worker.ts";
import type { Sql } from "./journal/database.ts";
import { migrate, missingMigrations } from "./journal/migrate.ts";
import { groupMayUse } from "./key-file.ts";
import { masterKeyFile } from "./master-keys.ts";
import { type AuditKey, AuditLogBroken, openChain } from "./merchants/audit-chain.ts";
import { removeOldEntries } from "./merchants/audit-retention.ts";
import { auditWatch, checkNewest } from "./merchants/audit-watch.ts";
import { sealRecords } from "./merchants/seal-records.ts";
import { type Observed, observe } from "./observability/observe.ts";
import { type Database, openDatabase } from "./open-database.ts";
import { chargeOf, type Transaction } from "./payment/transaction.ts";
import { prepareSandbox, readSandbox, type Sandbox } from "./sandbox.ts";
import type { Settings } from "./settings.ts";
import { sandboxTime, startDueWork } from "./settlement/time.ts";
import { reasonOf, StartFault } from "./start-fault.ts";
import { startWebhooks } from "./webhooks/webhooks.ts";

export interface Gateway {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  readonly dataPlace: string;
  /** Undefined in live mode. */
  readonly sandbox: Sandbox | undefined;
  /** Finishes what is in flight, then stops everything that was started. */
  close(): Promise<void>;
}

const REMOVE_OLD_ENTRIES_EVERY_MS = 3_600_000;
const WATCH_AUDIT_LOG_EVERY_MS = 1_000;

/**
 * @param database instead of the one that the settings name: for tests
 * @throws StartFault with one line for the person who starts it
 */
export async function startGateway(
  settings: Settings,
  log: FastifyBaseLogger,
  refitted: Refitted = {},
  database?: Database,
): Promise<Gateway> {
  const undo: Undo = [];
  const close = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    return { ...(await start(settings, log, refitted, database, undo)), close };
  } catch (fault) {
    await close();
    throw fault;
  }
}

async function start(
  settings: Settings,
  log: FastifyBaseLogger,
  refitted: Refitted,
  given: Database | undefined,
  undo: Undo,
): Promise<Omit<Gateway, "close">> {
  const { patience = {} } = refitted;
  const live = settings.mode === "live";
  if (!live || settings.databaseUrl === undefined) prepareDataFolder(settings.dataFolder);
  const folderLock = live ? undefined : await lockFolder(settings.dataFolder);
  undo.push(async () => folderLock?.release());
  if (!live) readSandbox(settings.dataFolder);
  const database = given ?? (await openDatabase(settings, (line) => log.info(line)));
  undo.push(database.close);
  await prepareTables(live, database.pool, log);
  const observed = await observe(settings, "main", log);
  const core = await openCore(settings, log, refitted, database, undo, observed);
  tellOfGroups(settings, log);
  const { parts, office, sandboxClock } = core;
  await sealOlderRecords(core, log);
  const { background } = core.pools;
  await tellAuditLog(database.pool, await office.auditKey(), parts.clock.now(), log);

  const time = sandboxClock && sandboxTime(parts, background, sandboxClock, patience.captureLeaseMs);
  let started = false;
  const notReady = () => (started ? undefined : "The gateway is starting.");
  const worker = settings.heavyWorker === true ? heavyWorker(database.address, log) : undefined;
  const processorsChanged = (merchantId: string) => {
    core.records.forget(merchantId);
    worker?.forget(merchantId);
  };
  const own = { time, notReady, heavyWorker: worker, processorsChanged, onlookers: observed.onlookers ?? [] };
  const app = await buildServer({ ...serverPartsOf(core, settings, log, observed), ...own });
  startBackgroundWork(core, log, patience, undo);
  undo.push((await startRequestCounting(core.requestCounts, core.pools.lookUps, core.node, log)).stop);
  undo.push(async () => worker?.stop());
  undo.push(async () => time?.stop());
  await showFigures(observed, settings, core, worker, log, undo);
  const doors = doorsOf(app);
  undo.push(() => Promise.all([app.close(), doors.close()]));
  const url = await listen(doors, settings);
  folderLock?.listensOn(url);
  const sandbox = live ? undefined : await prepareSandbox(office, settings.dataFolder, url);
  started = true;
  return { url, dataPlace: database.place, sandbox };
}

async function showFigures(
  { metrics }: Observed,
  settings: Settings,
  core: Core,
  worker: OwnHeavyWorker | undefined,
  log: FastifyBaseLogger,
  undo: Undo,
): Promise<void> {
  if (metrics === undefined || settings.metrics === undefined) return;
  metrics.lookAt({ ...stateOf(core), backlog: core.pools.background });
  const { serveMetrics } = await import("./observability/serve-metrics.ts");
  const door = await serveMetrics(settings.metrics, metrics, async () => worker?.figures(), log);
  undo.push(door.close);
}

/** What a node does of itself, for as long as requests are taken and until the last was answered. */
function startBackgroundWork(core: Core, log: FastifyBaseLogger, patience: Patience, undo: Undo): void {
  const { parts, office, pools } = core;
  const { processors } = parts;
  const { background } = pools;
  startNode(core, patience, undo);
  const lease = patience.webhooksLeaseMs === undefined ? {} : { leaseMs: patience.webhooksLeaseMs };
  const represent = async (transaction: Transaction, at: Date) => {
    const atWork = await processors.find(transaction.merchantId, chargeOf(transaction).processorId);
    return representTransaction(transaction, termsOf(atWork), at);
  };
  undo.push(startWebhooks({ ...office, ...lease, sql: pools.webhooks, log, chance: Math.random, represent }).stop);
  undo.push(startDueWork(parts, background, patience.captureLeaseMs).stop);
  undo.push(keepAuditLog(core, log).stop);
}

/** Removes its old entries, and watches the others. */
function keepAuditLog({ parts: { clock }, office, pools: { background } }: Core, log: FastifyBaseLogger) {
  const removing = every(REMOVE_OLD_ENTRIES_EVERY_MS, log, async () =>
    (await removeOldEntries(background, await office.auditKey(), clock.now())) ? "at once" : "pause",
  );
  const watch = office.auditKey().then((key) => auditWatch(background, key, () => clock.now()));
  const watching = every(WATCH_AUDIT_LOG_EVERY_MS, log, async () => {
    tellBroken(log, await (await watch).next());
    return "pause";
  });
  return { stop: () => Promise.all([removing.stop(), watching.stop()]) };
}

/** Those of versions before secrets were sealed. */
async function sealOlderRecords({ office, pools: { background } }: Core, log: FastifyBaseLogger): Promise<void> {
  if (office.secrets === undefined) return;
  const records = await sealRecords({ sql: background, kinds: office.kinds }, office.secrets);
  if (records > 0) log.info({ records }, "the secrets of processor records were sealed");
}

function tellOfGroups(settings: Settings, log: FastifyBaseLogger): void {
  const secret = settings.secret === undefined ? secretFile(settings.dataFolder) : undefined;
  for (const file of [secret, masterKeyFile(settings)])
    if (file !== undefined && groupMayUse(file)) log.warn({ file }, "a group may read or change this key file");
}

/** Charges go on whatever became of the audit log; changes by operators do not. */
async function tellAuditLog(pool: Sql, key: AuditKey, now: Date, log: FastifyBaseLogger): Promise<void> {
  try {
    const { begun, last, hash } = await openChain(pool, key, now);
    if (last === 0) log.info({ begun }, "the audit log is empty");
    else log.info({ begun, last, hash }, "the audit log ends with this entry");
    tellBroken(log, await checkNewest(pool, key, now));
  } catch (fault) {
    if (!(fault instanceof AuditLogBroken)) throw fault;
    log.error({ fault: fault.message }, "the audit log was tampered with or damaged: run faregate audit verify");
  }
}

function tellBroken(log: FastifyBaseLogger, finding: string | undefined): void {
  if (finding !== undefined)
    log.error(
      { finding },
      "the audit log was tampered with or damaged, so changes are refused: run faregate audit verify",
    );
}

async function prepareTables(
  live: boolean,
  pool: Parameters<typeof migrate>[0],
  log: FastifyBaseLogger,
): Promise<void> {
  if (!live) {
    await migrate(pool, (line) => log.info(line));
    return;
  }
  // Live mode creates nothing by itself.
  const missing = await missingMigrations(pool);
  if (missing.length > 0) throw new StartFault(`The database lacks ${missing.join(", ")}. Run: npx faregate migrate`);
}

async function listen(doors: Doors, { host, port }: Settings): Promise<string> {
  try {
    return await doors.listen({ host, port });
  } catch (fault) {
    const code = fault instanceof Error && "code" in fault ? String(fault.code) : "";
    const where = `${host}:${port}`;
    if (code === "EADDRINUSE")
      throw new StartFault(`Port ${port} of ${host} is in use. Stop what listens there, or choose another: PORT=8081`);
    if (code === "EACCES")
      throw new StartFault(`This user may not listen on ${where}. Choose a port from 1024 up: PORT=8080`);
    throw new StartFault(`Cannot listen on ${where}: ${reasonOf(fault)}. Look at HOST and PORT.`);
  }
}
