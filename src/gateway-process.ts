// Builds the parts of a gateway, joins them, and takes them apart again in order.

import type { FastifyBaseLogger } from "fastify";
import { doorsOf } from "./api/doors.ts";
import { representTransaction } from "./api/represent.ts";
import { buildServer } from "./api/server.ts";
import { keepAuditLog, tellAuditLog } from "./audit-log.ts";
import { type Core, openCore, type Patience, type Refitted, serverPartsOf, startNode, stateOf } from "./core.ts";
import { secretFile } from "./data-folder.ts";
import { type ClockWatch, clockWatch, startClockWatch } from "./gateway/clock-watch.ts";
import { startPreparingFigures, startPreparingLists } from "./gateway/prepare-reads.ts";
import { termsOf } from "./gateway/processors-at-work.ts";
import { startRequestCounting } from "./gateway/request-counting.ts";
import { heavyWorker, type OwnHeavyWorker } from "./heavy-worker/heavy-worker.ts";
import { openAuthorizations } from "./journal/auto-capture-rows.ts";
import { duePlans } from "./journal/due-plans.ts";
import { groupMayUse } from "./key-file.ts";
import { listen, reservePort } from "./listen.ts";
import { masterKeyFile } from "./master-keys.ts";
import { sealRecords } from "./merchants/seal-records.ts";
import type { Reading } from "./observability/metrics.ts";
import type { ReadOthers } from "./observability/metrics-door.ts";
import { type Observed, observe, type ProcessName } from "./observability/observe.ts";
import type { Database } from "./open-database.ts";
import { chargeOf, type Transaction } from "./payment/transaction.ts";
import { prepareSandbox, type Sandbox } from "./sandbox.ts";
import type { Settings } from "./settings.ts";
import { sandboxTime, startDueWork, startPlanCharges } from "./settlement/time.ts";
import { openSite } from "./site.ts";
import { startWhole, type Undo } from "./undo.ts";
import { startWebhooks } from "./webhooks/webhooks.ts";
import type { Change } from "./workers/messages.ts";

export interface Gateway {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  readonly dataPlace: string;
  /** Undefined in live mode. */
  readonly sandbox: Sandbox | undefined;
  /** Finishes what is in flight, then stops everything that was started. */
  close(): Promise<void>;
}

/**
 * A gateway that is one process.
 * @param database instead of the one that the settings name: for tests
 * @throws StartFault with one line for the person who starts it
 */
export function startGateway(
  settings: Settings,
  log: FastifyBaseLogger,
  refitted: Refitted = {},
  database?: Database,
): Promise<Gateway> {
  return startWhole(async (undo) => {
    const site = await openSite(settings, log, { database }, undo);
    // A port of the system's own choice it gives to nobody else.
    if (settings.port !== 0) await reservePort(settings, undo);
    const heavy = settings.heavyWorker === true ? heavyWorker(site.database, log, refitted.patience) : undefined;
    const tell = async (change: Change) => {
      if (change.kind === "processors-changed") heavy?.forget(change.merchantId);
    };
    const figuresBeside = async () => [await heavy?.figures()];
    const alone = { name: "main", heavyWorker: heavy, first: true, workers: 1, tell, figuresBeside } as const;
    const { url, sandbox } = await serve(settings, log, refitted, site.database, alone, undo);
    site.listensOn(url);
    return { url, dataPlace: site.database.place, sandbox };
  });
}

/** How a process is part of a gateway: all of it, or a worker among others. */
export interface Role {
  readonly name: ProcessName;
  /** Undefined: heavy requests are worked on here. */
  readonly heavyWorker: Pick<OwnHeavyWorker, "isThere" | "ask" | "stop"> | undefined;
  /** What one process has to do for all: the sandbox's file, the watch of the audit log. */
  readonly first: boolean;
  /** Processes of the gateway that take requests. */
  readonly workers: number;
  /** Resolves when the others know, or do not say so in time. */
  readonly tell: (change: Change) => Promise<void>;
  /** Those of the other processes, to be shown with this one's. Undefined: this one's are shown by another. */
  readonly figuresBeside?: ReadOthers | undefined;
}

export interface Serving {
  readonly url: string;
  /** Undefined in live mode, and where another process sees to it. */
  readonly sandbox: Sandbox | undefined;
  /** Its number among the nodes of the database. */
  readonly node: number;
  /** What another process of this gateway changed. */
  hear(change: Change): void;
  /** Undefined: nobody wants to see any. */
  figures(): Promise<Reading | undefined>;
}

/**
 * One process that takes requests, on a port that is reserved for its gateway, or 0.
 * @param database whose tables are up to date
 * @throws StartFault
 */
export async function serve(
  settings: Settings,
  log: FastifyBaseLogger,
  refitted: Refitted,
  database: Database,
  role: Role,
  undo: Undo,
): Promise<Serving> {
  const { patience = {} } = refitted;
  const observed = await observe(settings, role.name, log);
  undo.push(async () => observed.close?.());
  const core = await openCore(settings, log, refitted, database, undo, observed);
  const { parts, office, sandboxClock, records } = core;
  if (role.first) {
    tellOfGroups(settings, log);
    await sealOlderRecords(core, log);
    await tellAuditLog(database.pool, await office.auditKey(), parts.clock.now(), log);
  }
  const moved = (aheadMs: number) => role.tell({ kind: "clock-moved", aheadMs });
  const { captureLeaseMs: leaseMs } = patience;
  const time = sandboxClock && sandboxTime(parts, core.pools.background, sandboxClock, { leaseMs, moved });
  let started = false;
  const notReady = () => (started ? undefined : "The gateway is starting.");
  const processorsChanged = async (merchantId: string) => {
    records.forget(merchantId);
    await role.tell({ kind: "processors-changed", merchantId });
  };
  const own = {
    ...{ time, notReady, processorsChanged, heavyWorker: role.heavyWorker },
    onlookers: observed.onlookers ?? [],
  };
  const app = await buildServer({ ...serverPartsOf(core, settings, log, observed), ...own });
  startBackgroundWork(core, log, patience, undo);
  const clocks = role.first ? clockWatch(core.pools.lookUps, log) : undefined;
  if (clocks !== undefined) {
    const slow = core.pools.slowReads;
    undo.push(startClockWatch(clocks, log).stop);
    undo.push(keepAuditLog(core, log).stop);
    undo.push(startPreparingFigures(core.parts, slow).stop, startPreparingLists(core.parts, slow).stop);
  }
  const counting = { sql: core.pools.lookUps, node: core.node, workers: role.workers, log };
  undo.push((await startRequestCounting(core.requestCounts, counting)).stop);
  undo.push(async () => role.heavyWorker?.stop());
  undo.push(async () => time?.stop());
  await showFigures(observed, settings, core, { ...role, clocks }, log, undo);
  const doors = doorsOf(app);
  undo.push(() => app.close());
  const url = `${await listen(doors, settings)}${settings.basePath ?? ""}`;
  const sandbox = sandboxClock && role.first ? await prepareSandbox(office, settings.dataFolder, url) : undefined;
  started = true;
  parts.failing.tellOthers((processorId, since) => {
    void role.tell({ kind: "processor-failing", processorId, sinceMs: since?.getTime() ?? null });
  });
  const hear = (change: Change) => {
    switch (change.kind) {
      case "processors-changed":
        return records.forget(change.merchantId);
      case "clock-moved":
        return sandboxClock?.moveAhead(change.aheadMs);
      case "processor-failing":
        return parts.failing.learn(change.processorId, change.sinceMs === null ? undefined : new Date(change.sinceMs));
    }
  };
  return { url, sandbox, node: core.node, hear, figures: async () => observed.metrics?.read() };
}

async function showFigures(
  { metrics }: Observed,
  settings: Settings,
  core: Core,
  { first, figuresBeside, clocks }: Role & { readonly clocks: ClockWatch | undefined },
  log: FastifyBaseLogger,
  undo: Undo,
): Promise<void> {
  if (metrics === undefined || settings.metrics === undefined) return;
  // What all processes would read alike is read by one.
  metrics.lookAt({ ...stateOf(core), ...(first && { backlog: core.pools.background }), clocks });
  if (figuresBeside === undefined) return;
  const { serveMetrics } = await import("./observability/metrics-door.ts");
  const door = await serveMetrics(settings.metrics, metrics, figuresBeside, log);
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
  const plans = { sql: background, due: duePlans(background, patience.captureLeaseMs) };
  undo.push(startPlanCharges(parts, plans).stop);
  undo.push(startDueWork(parts, openAuthorizations(background, patience.captureLeaseMs)).stop);
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
