// A gateway as `npm start` starts it, but that it waits a shorter time for others that may be dead: for tests that kill
// gateways, which would otherwise spend most of their time on that.

import pino from "pino";
import { startGateway } from "../../src/gateway-process.ts";
import { readSettings } from "../../src/settings.ts";

/** Heartbeats come once a second. */
const PATIENCE = { deadAfterMs: 2_500, captureLeaseMs: 3_000, webhooksLeaseMs: 2_000 };

const read = readSettings(process.env);
if (!read.ok) throw new Error(read.problems.join("\n"));
const starting = startGateway(read.settings, pino({ level: read.settings.logLevel }), { patience: PATIENCE });
let stopping = false;
for (const signal of ["SIGTERM", "SIGINT"] as const)
  process.on(signal, () => {
    if (stopping) return;
    stopping = true;
    void starting.then((gateway) => gateway.close()).then(() => process.exit(0));
  });
await starting;
