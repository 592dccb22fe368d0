// A worker: a node on the database that takes requests, on a port that it shares with others. The first process of the gateway
// starts and stops it. If that dies the worker ends, and what it had in flight is found like any dead node's.

import type { Refitted } from "../core.ts";
import { type Role, type Serving, serve } from "../gateway-process.ts";
import { ask } from "../heavy-worker/ask.ts";
import { openPool } from "../journal/database.ts";
import { formatFor, openLog } from "../log.ts";
import { Agent } from "../node-http.ts";
import type { ProcessName } from "../observability/observe.ts";
import { readSettings } from "../settings.ts";
import { StartFault } from "../start-fault.ts";
import { closed, startWhole } from "../undo.ts";
import type { Begin, Change, ToPrimary, ToWorker } from "./messages.ts";
import { within } from "./within.ts";

/** `stop` resolves with the exit code. */
type Started = Serving & { stop(): Promise<0 | 1> };

/** A little longer than the first process waits for the others. */
const TOLD_WITHIN_MS = 1_500;

let starting: Promise<Started | undefined> = Promise.resolve(undefined);
let heavySocket: string | undefined;
/** Own changes that the other workers may not know of yet. */
const untold = new Map<number, () => void>();
let changes = 0;

/**
 * Takes what the first process tells, until it is told to stop.
 * @param refitted what is different in tests
 */
export function work(refitted: Refitted): void {
  process.on("disconnect", () => process.exit(1));
  // A terminal's Ctrl-C reaches this process too: when it ends is the first one's business.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);
  process.on("message", (told: ToWorker) => {
    switch (told.kind) {
      case "begin":
        heavySocket = told.heavySocket;
        starting = begin(told, refitted);
        return;
      case "change":
        void starting.then((started) => {
          started?.hear(told.change);
          tellPrimary({ kind: "known", nth: told.nth });
        });
        return;
      case "known":
        untold.get(told.nth)?.();
        untold.delete(told.nth);
        return;
      case "alive?":
        tellPrimary({ kind: "alive" });
        return;
      case "figures":
        void starting.then(async (started) => tellPrimary({ kind: "figures", figures: await started?.figures() }));
        return;
      case "heavy-worker":
        heavySocket = told.socket;
        return;
      case "stop":
        void starting.then(async (started) => process.exit(await started?.stop()));
        return;
      default:
        told satisfies never;
    }
  });
}

/** To a process that is gone nothing need be told. */
const tellPrimary = (told: ToPrimary, then: () => void = () => undefined): void => void process.send?.(told, then);

/** Undefined: it cannot, and has said so. */
async function begin(
  { number, workers, port, address, sizes }: Begin,
  refitted: Refitted,
): Promise<Started | undefined> {
  const read = readSettings(process.env);
  if (!read.ok) throw new Error(read.problems.join("; "));
  const settings = { ...read.settings, port };
  const log = openLog(settings.logLevel, formatFor(settings.logFormat, process.stdout)).child({ worker: number });
  const name: ProcessName = `worker-${number}`;
  const role = {
    ...{ name, first: number === 1, workers, tell },
    heavyWorker: settings.heavyWorker ? heavyWorker() : undefined,
  };
  try {
    const started = await startWhole(async (undo) => {
      const pool = openPool(address, "faregate", { connections: sizes.payments });
      const close = () => pool.end({ timeout: 5 });
      undo.push(close);
      return serve(settings, log, refitted, { address, pool, sizes, place: "", close }, role, undo);
    });
    tellPrimary({ kind: "ready", url: started.url, node: started.node });
    return { ...started, stop: () => closed(started, log) };
  } catch (fault) {
    const isExplained = fault instanceof StartFault;
    if (!isExplained)
      log.error({ fault: fault instanceof Error ? fault.stack : String(fault) }, "a worker cannot start");
    const why = isExplained ? fault.message : `Worker ${number} cannot start: ${fault}.`;
    tellPrimary({ kind: "cannot-start", why }, () => process.exit(1));
    return undefined;
  }
}

/** Resolves when the other workers know, or the first process has not said so in time. */
async function tell(change: Change): Promise<void> {
  const nth = changes++;
  const known = new Promise<void>((resolve) => untold.set(nth, resolve));
  tellPrimary({ kind: "change", nth, change });
  await within(TOLD_WITHIN_MS, known);
  untold.delete(nth);
}

/** The first process starts it and says where it is. */
function heavyWorker(): Role["heavyWorker"] {
  const agent = new Agent({ keepAlive: true });
  return {
    isThere: () => {
      if (heavySocket === undefined) tellPrimary({ kind: "heavy-worker-wanted" });
      return heavySocket !== undefined;
    },
    ask: (asked) => ask({ ...asked, socketPath: heavySocket ?? "", agent }),
    stop: async () => agent.destroy(),
  };
}
