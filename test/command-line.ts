// The real command line: in a process of its own where that matters, else its code in one process that runs command after
// command, since most of what a command takes is the loading of its code.

import assert from "node:assert/strict";
import { type ChildProcess, execFile, fork } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { compiled } from "./compiled.ts";
import { emptyDatabase, type FreshDatabase, freshDatabase } from "./database.ts";
import { ON_CITUS } from "./database-server.ts";

export const PROGRAM = join(import.meta.dirname, "../src/faregate.ts");
const HOST = join(import.meta.dirname, "command-line-host.ts");

export interface Asked {
  readonly parameters: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: string;
  /** The folder that it runs in; without one, the host's. */
  readonly folder?: string;
}

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export const faregate = (env: NodeJS.ProcessEnv, ...parameters: string[]): Promise<Ended> =>
  faregateReading("", env, ...parameters);

export const faregateReading = (stdin: string, env: NodeJS.ProcessEnv, ...parameters: string[]): Promise<Ended> =>
  faregateAsked({ stdin, env, parameters });

export function faregateAsked(asked: Asked): Promise<Ended> {
  const next = last.then(() => askHost({ ...asked, env: environmentOf(asked.env) }));
  last = next.catch(() => undefined);
  return next;
}

/** As `faregate`, with a start and an end of its own. */
export function faregateProcess(env: NodeJS.ProcessEnv, ...parameters: string[]): Promise<Ended> {
  return faregateProcessReading("", env, ...parameters);
}

export function faregateProcessReading(stdin: string, env: NodeJS.ProcessEnv, ...parameters: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { env: environmentOf(env), encoding: "utf8" } as const;
    const child = execFile(
      process.execPath,
      ["--", compiled("faregate"), ...parameters],
      options,
      (_error, stdout, stderr) => resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
    child.stdin?.on("error", () => undefined).end(stdin);
  });
}

const environmentOf = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, NODE_COMPILE_CACHE, ...env };
};

let host: ChildProcess | undefined;
/** One command at a time. */
let last: Promise<unknown> = Promise.resolve();

async function askHost(asked: Asked): Promise<Ended> {
  host ??= startHost();
  const { channel } = host;
  // Only a running command keeps this process waiting.
  channel?.ref();
  const over = new AbortController();
  const answered = once(host, "message", { signal: over.signal });
  const died = once(host, "exit", { signal: over.signal }).then(([code]) =>
    assert.fail(`the command ended its process with ${code}`),
  );
  died.catch(() => undefined);
  host.send(asked);
  const [ended] = (await Promise.race([answered, died])) as [Ended];
  over.abort();
  channel?.unref();
  return ended;
}

function startHost(): ChildProcess {
  const started = fork(HOST, [], {
    execArgv: [],
    env: environmentOf({}),
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  started.unref();
  started.once("exit", () => {
    if (host === started) host = undefined;
  });
  return started;
}

export type CommandLine = Awaited<ReturnType<typeof commandLineOfItsOwn>>;

/** For commands that seal secrets. */
export const WITH_MASTER_KEY = { FAREGATE_MASTER_KEY: Buffer.alloc(32, 5).toString("base64") };

/** In live mode, on an empty database; on Citus on one that has its tables, since only then are they distributed. */
export async function commandLineOfItsOwn(settings: NodeJS.ProcessEnv = {}) {
  const database = await (ON_CITUS ? freshDatabase() : emptyDatabase());
  const { host, port, user, password, database: name } = database.address;
  const listener = await forwarded({ host, port });
  const at = listener.address();
  assert(typeof at === "object" && at !== null);
  const live: NodeJS.ProcessEnv = {
    DATABASE_URL: `postgres://${user}:${password}@127.0.0.1:${at.port}/${name}`,
    FAREGATE_SECRET: "0f".repeat(32),
    ...settings,
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

/** The test database on a port of its own, as a DATABASE_URL mostly names one. */
export function forwarded(address: Pick<FreshDatabase["address"], "host" | "port">): Promise<Server> {
  return new Promise((resolve) => {
    const server = createServer((client) => {
      const database = connectTo(address);
      client.pipe(database).pipe(client);
      client.on("error", () => database.destroy());
      database.on("error", () => client.destroy());
    });
    server.listen(0, "127.0.0.1", () => resolve(server));
  });
}

/** Of a folder it is the socket. */
const connectTo = ({ host, port }: Pick<FreshDatabase["address"], "host" | "port">) =>
  host.startsWith("/") ? connect(join(host, `.s.PGSQL.${port}`)) : connect(port, host);
