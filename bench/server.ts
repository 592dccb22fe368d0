// Starts the gateway like main.ts, with its journal replaced: `server.ts ungrouped 8` writes each row by itself on eight
// connections for each statement, `server.ts no-database` writes nothing at all.

import pino from "pino";
import type { Refitted } from "../src/core.ts";
import { startGateway } from "../src/gateway-process.ts";
import type { PostgresJournal } from "../src/journal/postgres-journal.ts";
import { readSettings } from "../src/settings.ts";

/** Answers at once and keeps nothing: what the server costs without a database. It is for charges only. */
const unkept: PostgresJournal = {
  open: async ({ createdAt }) => ({ createdAt }),
  appendEnded: async () => "appended",
  append: async () => "appended",
  conclude: async () => "concluded",
  failLate: async () => undefined,
  defer: async () => undefined,
  openChallenge: async () => undefined,
  find: async () => undefined,
  findSealedCard: async () => undefined,
  findKey: async () => undefined,
  storeResponse: async (_, { key: _key, ...answer }) => answer,
  close: async () => undefined,
};

const [kind, writers] = process.argv.slice(2);
const measured: Refitted =
  kind === "no-database" ? { journal: unkept } : { mostRows: 1, groupsInFlight: Number(writers) };

const read = readSettings(process.env);
if (!read.ok) throw new Error(read.problems.join("\n"));
const gateway = await startGateway(read.settings, pino({ level: read.settings.logLevel }), measured);

process.once("SIGTERM", () => void gateway.close().then(() => process.exit(0)));
