// Several gateways on one database, in the process of the test: at once, as the nodes of an installation, or one after the
// other, as after a restart. They share the secret, the master key and nothing else but the database.

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { startGateway } from "../../src/gateway-process.ts";
import { openPool } from "../../src/journal/database.ts";
import { Concealed } from "../../src/settings.ts";
import { freshDatabase } from "../database.ts";
import { callers } from "./gateway.ts";
import type { Gateway } from "./merchant.fixture.ts";

export interface Installation {
  /** Every node has API tokens of its own; the merchants and their processors are the same on all. */
  readonly startNode: () => Promise<Gateway>;
  /** After the nodes are closed. */
  readonly remove: () => Promise<void>;
}

export async function newInstallation(): Promise<Installation> {
  const database = await freshDatabase();
  const secret = new Concealed(randomBytes(32));
  const masterKeys = new Concealed([randomBytes(32)]);
  const folders: string[] = [];
  return {
    startNode: async () => {
      const dataFolder = mkdtempSync(join(tmpdir(), "faregate-node-"));
      folders.push(dataFolder);
      const { address } = database;
      const pool = openPool(address, "node");
      const node = await startGateway(
        {
          ...{ host: "127.0.0.1", port: 0, mode: "sandbox", databaseUrl: undefined, dataFolder, secret, masterKeys },
          ...{ rateLimitPerMinute: 0, failedAuthenticationsPerMinute: 0, trustProxy: [], logLevel: "silent" },
        },
        pino({ level: "silent" }),
        {},
        { address, pool, place: address.database, close: () => pool.end({ timeout: 1 }) },
      );
      const { sandbox, url, close } = node;
      if (sandbox === undefined) throw new Error("a sandbox without a sandbox");
      return { sandbox, ...callers(url, sandbox.api_token, sandbox.operator_token), pool, address, close };
    },
    remove: async () => {
      await database.drop();
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
}
