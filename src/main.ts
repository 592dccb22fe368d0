// The process: reads the settings, starts a gateway of one process or several, says where it is, and stops it when asked to.

import "./debugger-signal.ts";
import type { Gateway } from "./gateway-process.ts";
import { greeting } from "./greeting.ts";
import { ConnectionFault, StatementFault } from "./journal/sql/faults.ts";
import { formatFor, openLog } from "./log.ts";
import { printable, printableLines } from "./printable.ts";
import { readSettings } from "./settings.ts";
import { isDiskFull, reasonOf, StartFault, withRemedy } from "./start-fault.ts";
import { closed } from "./undo.ts";
import { wantedWorkers } from "./workers/plan.ts";

const read = readSettings(process.env);
if (!read.ok) {
  for (const problem of read.problems) console.error(printable(problem));
  process.exit(1);
}
const { settings } = read;
const format = formatFor(settings.logFormat, process.stdout);
const log = openLog(settings.logLevel, format);
const startedAt = performance.now();
/** One Ctrl-C comes as several signals: from the terminal, from npm, from the script that it runs. */
const ONE_STOP_MS = 1_000;

const starting = start();
let stoppingSince: number | undefined;
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, stop);

try {
  const gateway = await starting;
  if (stoppingSince === undefined) greet(gateway);
} catch (fault) {
  // A terminal's Ctrl-C also ends workers that have only just begun. All that was started is stopped by then.
  if (stoppingSince !== undefined) process.exit(0);
  if (fault instanceof StartFault) console.error(printableLines(fault.message));
  else if (fault instanceof StatementFault || fault instanceof ConnectionFault)
    console.error(withRemedy(`Faregate cannot start: the database says "${printable(fault.message)}".`));
  else if (isDiskFull(fault)) console.error(withRemedy(`Faregate cannot start: ${printable(reasonOf(fault))}.`));
  else throw fault;
  process.exit(1);
}

/** What one of both needs the other does not load. */
async function start(): Promise<Gateway> {
  const workers = wantedWorkers(settings);
  if (workers === 1) return (await import("./gateway-process.ts")).startGateway(settings, log);
  return (await import("./workers/primary.ts")).startWorkers(settings, log, workers);
}

/** Also while it starts: what was started is stopped again. */
function stop(): void {
  if (stoppingSince === undefined) {
    stoppingSince = performance.now();
    if (format === "json") log.info("stopping: requests in flight are finished first");
    else console.log("\nStopping: requests in flight are finished first. Press Ctrl-C again to stop at once.");
    void starting.then(
      async (gateway) => process.exit(await closed(gateway, log)),
      () => undefined,
    );
  } else if (performance.now() - stoppingSince > ONE_STOP_MS) {
    // What is in flight is found and resolved at the next start.
    process.exit(1);
  }
}

function greet(gateway: Gateway): void {
  const { url, dataPlace } = gateway;
  // A token is for the person at the terminal, not for whatever keeps the log.
  if (format === "json") log.info({ url, docs: `${url}/docs`, database: dataPlace }, `Faregate listens on ${url}`);
  else console.log(greeting(gateway, settings, (performance.now() - startedAt) / 1000));
}
