// A gateway of one process or of several, which is told by the program that started it where its database is. It kills itself at the step
// that is armed in its data folder, and ends with that program.

import pino from "pino";
import { startGateway } from "../../src/gateway-process.ts";
import { readSettings } from "../../src/settings.ts";
import { startWorkers } from "../../src/workers/primary.ts";
import { armedIn } from "./armed.ts";

export interface Start {
  readonly port: number;
  readonly dataFolder: string;
  readonly databaseUrl: string;
  /** Both in base64, the same for all nodes. */
  readonly secret: string;
  readonly masterKey: string;
  /** One: all of the gateway is this process. */
  readonly workers: number;
  /** The file with the program of a worker. */
  readonly workerProgram: string;
}

export interface Started {
  readonly url: string;
  readonly apiToken: string;
  readonly operatorToken: string;
  readonly merchantId: string;
  /** Of the sandbox, by name. */
  readonly processors: Readonly<Record<string, string>>;
}

process.on("disconnect", () => process.exit(0));
process.once("message", (told: Start) => {
  start(told).catch((fault) => {
    console.error(fault);
    process.exit(1);
  });
});

async function start({ port, dataFolder, databaseUrl, secret, masterKey, workers, workerProgram }: Start) {
  // Workers read them, too.
  Object.assign(process.env, {
    ...{ HOST: "127.0.0.1", PORT: String(port), FAREGATE_MODE: "sandbox", FAREGATE_DATA: dataFolder },
    ...{ DATABASE_URL: databaseUrl, FAREGATE_SECRET: secret, FAREGATE_MASTER_KEY: masterKey },
    ...{ RATE_LIMIT_PER_MINUTE: "0", FAILED_AUTHENTICATIONS_PER_MINUTE: "0", HEAVY_WORKER: "off" },
    ...{ WORKERS: String(workers), LOG_FORMAT: "json" },
  });
  const read = readSettings(process.env);
  if (!read.ok) throw new Error(read.problems.join("; "));
  const log = pino({ level: "info" });
  const gateway = await (workers > 1
    ? startWorkers(read.settings, log, workers, { program: workerProgram })
    : startGateway(read.settings, log, refitted(dataFolder)));
  process.once("SIGTERM", () => void gateway.close().then(() => process.exit(0)));
  const { url, sandbox } = gateway;
  if (sandbox === undefined) throw new Error("a sandbox without a sandbox");
  const { api_token: apiToken, operator_token: operatorToken, merchant_id: merchantId, processors } = sandbox;
  process.send?.({ url, apiToken, operatorToken, merchantId, processors } satisfies Started);
}

function refitted(dataFolder: string) {
  const { refit, refitTraceNumbers } = armedIn(dataFolder);
  return { refit, refitTraceNumbers };
}
