// A gateway of several processes. The first one, this, has what there is once: data folder, embedded database, port, the process
// for heavy requests, one start and one stop. It takes no requests: its workers do, each a node on the database.

import type { FastifyBaseLogger } from "fastify";
import type { Gateway } from "../gateway-process.ts";
import { heavyWorker, type OwnHeavyWorker } from "../heavy-worker/heavy-worker.ts";
import { isDistributed } from "../journal/distribution.ts";
import { declareDead } from "../journal/nodes.ts";
import { reservePort } from "../listen.ts";
import type { ReadOthers } from "../observability/metrics-door.ts";
import { observe } from "../observability/observe.ts";
import type { Database } from "../open-database.ts";
import { readSandbox } from "../sandbox.ts";
import type { Settings } from "../settings.ts";
import { openSite } from "../site.ts";
import { StartFault } from "../start-fault.ts";
import { startWhole, type Undo } from "../undo.ts";
import { type Crew, startCrew } from "./crew.ts";
import type { Change, ForOthers } from "./messages.ts";
import { allowedConnections, connectionsFor, planWorkers } from "./plan.ts";
import { type RefittedWorkers, startWorker, type Worker } from "./worker.ts";

/**
 * @param wanted workers, from two on
 * @param refitted what is different in tests
 * @throws StartFault with one line for the person who starts it
 */
export function startWorkers(
  settings: Settings,
  log: FastifyBaseLogger,
  wanted: number,
  refitted: RefittedWorkers = {},
): Promise<Gateway> {
  if (process.platform !== "linux")
    throw new StartFault("Several workers share a port on Linux only. Set WORKERS=1, or leave it out.");
  return startWhole(async (undo) => {
    const site = await openSite(settings, log, { connections: connectionsFor(wanted) }, undo);
    const { pool, place } = site.database;
    const { workers, sizes } = planWorkers(settings, await allowedConnections(pool), wanted, await isDistributed(pool));
    if (workers < wanted)
      log.warn(
        { workers, wanted },
        "fewer workers than wanted: the database allows no more connections (max_connections)",
      );
    const port = await reservePort(settings, undo);
    const { url } = await startTogether({ ...site.database, sizes }, { settings, log, workers, port, refitted }, undo);
    site.listensOn(url);
    const sandbox = settings.mode === "live" ? undefined : readSandbox(settings.dataFolder);
    return { url, dataPlace: place, sandbox };
  });
}

interface Together {
  readonly settings: Settings;
  readonly log: FastifyBaseLogger;
  readonly workers: number;
  readonly port: number;
  readonly refitted: RefittedWorkers;
}

async function startTogether(
  database: Database & Required<Pick<Database, "sizes">>,
  { settings, log, workers, port, refitted }: Together,
  undo: Undo,
): Promise<Crew> {
  const { address, sizes, pool } = database;
  let heavySocket: string | undefined;
  let crew: Crew | undefined;
  const moved = (socket: string | undefined) => {
    heavySocket = socket;
    crew?.tellAll({ kind: "heavy-worker", socket });
  };
  const heavy = settings.heavyWorker === true ? heavyWorker(database, log, { ...refitted, moved }) : undefined;
  undo.push(async () => heavy?.stop());
  const heard = (from: Worker, told: ForOthers) => {
    if (told.kind === "heavy-worker-wanted") heavy?.isThere();
    else void spread(from, told.change, { crew, heavy }).then(() => from.tell({ kind: "known", nth: told.nth }));
  };
  const start = (number: number) =>
    startWorker(
      { kind: "begin", number, workers, port, address, sizes, heavySocket },
      heard,
      () => log.error({ worker: number }, "a worker does not answer: it is killed"),
      refitted,
    );
  crew = await startCrew({ count: workers, start, lost: (node) => declareDead(pool, node), log });
  undo.push(crew.stop);
  const together = crew;
  const figuresBeside = async () => [await heavy?.figures(), ...(await together.figures())];
  await showFigures(settings, figuresBeside, log, undo);
  return crew;
}

/** Those of all processes, at one door. */
async function showFigures(settings: Settings, beside: ReadOthers, log: FastifyBaseLogger, undo: Undo): Promise<void> {
  const { metrics } = await observe({ ...settings, traces: undefined }, "main", log);
  if (metrics === undefined || settings.metrics === undefined) return;
  const { serveMetrics } = await import("../observability/metrics-door.ts");
  undo.push((await serveMetrics(settings.metrics, metrics, beside, log)).close);
}

interface Processes {
  readonly crew: Crew | undefined;
  readonly heavy: OwnHeavyWorker | undefined;
}

async function spread(from: Worker, change: Change, { crew, heavy }: Processes): Promise<void> {
  if (change.kind === "processors-changed") heavy?.forget(change.merchantId);
  await crew?.spread(from, change);
}
