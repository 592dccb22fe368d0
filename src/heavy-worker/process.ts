// The process for heavy requests: a node that is asked by the gateway alone, over a socket in a folder of theirs. It
// finishes what it began itself; the gateway does everything else that a node does. If the gateway dies it ends, and what it had in
// flight is found like any dead node's.

import "../debugger-signal.ts";
import { buildServer } from "../api/server.ts";
import { openCore, serverPartsOf, startNode, stateOf } from "../core.ts";
import { openPool } from "../journal/database.ts";
import { formatFor, openLog } from "../log.ts";
import type { Metrics } from "../observability/metrics.ts";
import { observe } from "../observability/observe.ts";
import { readSettings } from "../settings.ts";
import type { Undo } from "../undo.ts";
import type { Begin, Figures, Told } from "./heavy-worker.ts";

const undo: Undo = [];
let stopping = false;
let forget: ((merchantId: string) => void) | undefined;
let metrics: Metrics | undefined;

process.on("disconnect", () => process.exit(1));
// A terminal's Ctrl-C reaches this process too: when it ends is the gateway's business.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);
process.on("message", (told: Told) => {
  if (told === "stop") void stop();
  else if (told === "figures") void tellFigures();
  else if (told === "alive?") process.send?.("alive");
  else if ("forget" in told) forget?.(told.forget);
  else void begin(told).then(() => process.send?.("ready"), failed);
});

async function begin({ address, sizes, socket }: Begin): Promise<void> {
  const read = readSettings(process.env);
  if (!read.ok) throw new Error(read.problems.join("; "));
  const { settings } = read;
  const log = openLog(settings.logLevel, formatFor(settings.logFormat, process.stdout)).child({ worker: "heavy" });
  const pool = openPool(address, "faregate", { connections: sizes.payments });
  const close = () => pool.end({ timeout: 5 });
  undo.push(close);
  const observed = await observe(settings, "heavy", log);
  undo.push(async () => observed.close?.());
  const core = await openCore(settings, log, {}, { address, pool, sizes, place: "", close }, undo, observed);
  ({ metrics } = observed);
  metrics?.lookAt(stateOf(core));
  forget = core.records.forget;
  startNode(core, {}, undo);
  const behindDoor = { clockIsAhead: (ms: number) => core.sandboxClock?.moveAhead(ms) };
  const inner = { time: undefined, notReady: () => undefined, behindDoor };
  const app = await buildServer({
    ...serverPartsOf(core, settings, log, observed),
    ...inner,
    onlookers: observed.onlookers ?? [],
  });
  undo.push(() => app.close());
  await app.listen({ path: socket });
}

async function tellFigures(): Promise<void> {
  if (metrics !== undefined) process.send?.({ figures: await metrics.read() } satisfies Figures);
}

/** Also of a beginning that is stopped. */
function failed(fault: unknown): void {
  if (!stopping) throw fault;
}

async function stop(): Promise<void> {
  stopping = true;
  for (const step of undo.splice(0).reverse()) await step();
  process.exit(0);
}
