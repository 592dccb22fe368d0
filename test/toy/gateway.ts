// A gateway in a process of its own that knows the toy kind, and waits a shorter time for others that may be dead. With the
// argument `hangs` it never comes to writing a late failure, as if it were killed before it could.

import pino from "pino";
import { startGateway } from "../../src/gateway-process.ts";
import { readSettings } from "../../src/settings.ts";
import { KINDS_WITH_TOY } from "./kind.ts";

const read = readSettings(process.env);
if (!read.ok) throw new Error(read.problems.join("\n"));
const hangs = process.argv.includes("hangs");
const never = () => new Promise<never>(() => undefined);
const gateway = await startGateway(read.settings, pino({ level: read.settings.logLevel }), {
  kinds: KINDS_WITH_TOY,
  patience: { deadAfterMs: 2_500 },
  refit: (parts) => (hangs ? { ...parts, journal: { ...parts.journal, failLate: never } } : parts),
});
for (const signal of ["SIGTERM", "SIGINT"] as const)
  process.once(signal, () => void gateway.close().then(() => process.exit(0)));
