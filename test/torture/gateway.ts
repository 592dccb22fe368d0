// A gateway that is told by the program that started it where its database is, and at which step to kill itself. It ends
// with that program.

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import pino from "pino";
import { startGateway } from "../../src/gateway-process.ts";
import { type DatabaseAddress, openPool } from "../../src/journal/database.ts";
import { Concealed } from "../../src/settings.ts";
import { type Arming, DEATHS_FILE, failPoints } from "./fail-points.ts";

export interface Start {
  readonly port: number;
  readonly dataFolder: string;
  readonly address: DatabaseAddress;
  /** Both in base64, the same for all nodes. */
  readonly secret: string;
  readonly masterKey: string;
}

/** First a start, then any number of fail points, of which the last counts. */
export type Told = { readonly start: Start } | { readonly arm: Arming | null };
export interface Started {
  readonly url: string;
  readonly apiToken: string;
  readonly operatorToken: string;
  readonly merchantId: string;
  /** Of the sandbox, by name. */
  readonly processors: Readonly<Record<string, string>>;
}

let deathsFile: string | undefined;
const points = failPoints((point) => {
  if (deathsFile !== undefined) appendFileSync(deathsFile, `${point}\n`);
  process.kill(process.pid, "SIGKILL");
});
process.on("disconnect", () => process.exit(0));
process.on("message", (told: Told) => {
  if ("arm" in told) points.arm(told.arm);
  else
    start(told.start).catch((fault) => {
      console.error(fault);
      process.exit(1);
    });
});

async function start({ port, dataFolder, address, secret, masterKey }: Start): Promise<void> {
  deathsFile = join(dataFolder, DEATHS_FILE);
  const pool = openPool(address, "torture gateway");
  const gateway = await startGateway(
    {
      ...{ host: "127.0.0.1", port, mode: "sandbox", databaseUrl: undefined, dataFolder },
      ...{ secret: new Concealed(Buffer.from(secret, "base64")), rateLimitPerMinute: 0, logLevel: "info" },
      ...{ failedAuthenticationsPerMinute: 0, trustProxy: [] },
      masterKeys: new Concealed([Buffer.from(masterKey, "base64")]),
    },
    pino({ level: "info" }),
    { refit: points.refit, refitTraceNumbers: points.refitTraceNumbers },
    { address, pool, place: "torture", close: () => pool.end({ timeout: 1 }) },
  );
  process.once("SIGTERM", () => void gateway.close().then(() => process.exit(0)));
  const { url, sandbox } = gateway;
  if (sandbox === undefined) throw new Error("a sandbox without a sandbox");
  const { api_token: apiToken, operator_token: operatorToken, merchant_id: merchantId, processors } = sandbox;
  process.send?.({ url, apiToken, operatorToken, merchantId, processors } satisfies Started);
}
