// A gateway as `npm start` starts it, but that it waits a shorter time for others that may be dead: for tests that kill
// gateways, which would otherwise spend most of their time on that.

import pino from "pino";
import { startGateway } from "../../src/gateway-process.ts";
import { readSettings } from "../../src/settings.ts";
import { wantedWorkers } from "../../src/workers/plan.ts";
import { startWorkers } from "../../src/workers/primary.ts";

/** Processes of its own are asked whether they live as often as a busy machine lets them answer. */
const ASKED = { everyMs: 2_000, times: 4 };
/** Heartbeats come once a second. */
const PATIENCE = { deadAfterMs: 2_500, captureLeaseMs: 3_000, webhooksLeaseMs: 2_000, asked: ASKED };

const read = readSettings(process.env);
if (!read.ok) throw new Error(read.problems.join("\n"));
const { settings } = read;
const log = pino({ level: settings.logLevel });
const workers = wantedWorkers(settings);
const starting =
  workers === 1
    ? startGateway(settings, log, { patience: PATIENCE })
    : startWorkers(settings, log, workers, { asked: ASKED });
let stopping = false;
for (const signal of ["SIGTERM", "SIGINT"] as const)
  process.on(signal, () => {
    if (stopping) return;
    stopping = true;
    void starting.then((gateway) => gateway.close()).then(() => process.exit(0));
  });
await starting;
