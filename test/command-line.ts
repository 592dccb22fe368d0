// The real command line, in a process of its own.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { emptyDatabase } from "./database.ts";

export const PROGRAM = join(import.meta.dirname, "../src/faregate.ts");

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export const faregate = (env: NodeJS.ProcessEnv, ...parameters: string[]): Promise<Ended> =>
  faregateReading("", env, ...parameters);

export function faregateReading(stdin: string, env: NodeJS.ProcessEnv, ...parameters: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const options = { env: { PATH, NODE_COMPILE_CACHE, ...env }, encoding: "utf8" } as const;
    const child = execFile(process.execPath, [PROGRAM, ...parameters], options, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
    child.stdin?.on("error", () => undefined).end(stdin);
  });
}

export type CommandLine = Awaited<ReturnType<typeof commandLineOfItsOwn>>;

/** In live mode, on an empty database. */
export async function commandLineOfItsOwn() {
  const database = await emptyDatabase();
  const { host, port, user, password, database: name } = database.address;
  const listener = await forwarded(join(host, `.s.PGSQL.${port}`));
  const at = listener.address();
  assert(typeof at === "object" && at !== null);
  const live: NodeJS.ProcessEnv = {
    DATABASE_URL: `postgres://${user}:${password}@127.0.0.1:${at.port}/${name}`,
    FAREGATE_SECRET: "0f".repeat(32),
  };
  const run = (...parameters: string[]) => faregate(live, ...parameters);
  return {
    database,
    /** Its environment. */
    live,
    run,
    async json<T = Record<string, never>>(...parameters: string[]): Promise<T> {
      const { code, stdout, stderr } = await run(...parameters, "--json");
      assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
      return JSON.parse(stdout) as T;
    },
    end: async () => {
      listener.close();
      await database.drop();
    },
  };
}

/** The test database's socket on a port, as a DATABASE_URL mostly names one. */
function forwarded(socket: string): Promise<Server> {
  return new Promise((resolve) => {
    const server = createServer((client) => {
      const database = connect(socket);
      client.pipe(database).pipe(client);
      client.on("error", () => database.destroy());
      database.on("error", () => client.destroy());
    });
    server.listen(0, "127.0.0.1", () => resolve(server));
  });
}
