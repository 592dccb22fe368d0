// The command line's code, loaded once, for the many commands of the tests: each is run as a process of its own would run it,
// with its environment, its input and its exit code, and has ended when nothing of it keeps the process alive.

import { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";
import { run } from "../src/cli/run.ts";
import type { Asked, Ended } from "./command-line.ts";

const POLL_MS = 2;
const ENDS_WITHIN_MS = 60_000;

/** What keeps this process alive while no command runs. */
let idle: readonly string[] | undefined;

process.on("message", async (asked: Asked) => {
  idle ??= process.getActiveResourcesInfo();
  process.send?.(await ended(asked, idle));
});
process.on("disconnect", () => process.exit());

async function ended(
  { parameters, env, stdin, folder = process.cwd() }: Asked,
  idle: readonly string[],
): Promise<Ended> {
  const [stdout, stderr] = [collector(), collector()];
  const ownFolder = process.cwd();
  const own = { env: process.env, stdin: process.stdin, stdout: process.stdout, stderr: process.stderr };
  replace({ env, stdin: Readable.from(stdin === "" ? [] : [Buffer.from(stdin)]), stdout, stderr });
  process.exitCode = undefined;
  process.chdir(folder);
  try {
    await run(parameters, noGateway);
    await untilQuiet(idle);
  } catch (fault) {
    stderr.write(`${inspect(fault)}\n`);
    process.exitCode = 1;
  }
  process.chdir(ownFolder);
  const code = Number(process.exitCode ?? 0);
  process.exitCode = undefined;
  replace(own);
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

const noGateway = () => Promise.reject(new Error("a gateway has a process of its own"));

const replace = (parts: object): void => {
  for (const [name, value] of Object.entries(parts))
    Object.defineProperty(process, name, { value, configurable: true, writable: true });
};

function collector() {
  const pieces: Buffer[] = [];
  const stream = new Writable({
    write(piece: Buffer, _encoding, done) {
      pieces.push(piece);
      done();
    },
  });
  return Object.assign(stream, { text: () => Buffer.concat(pieces).toString() });
}

/** A command that leaves a connection or a timer behind would never end. */
async function untilQuiet(idle: readonly string[]): Promise<void> {
  for (let waitedMs = 0; waitedMs < ENDS_WITHIN_MS; waitedMs += POLL_MS) {
    if (process.getActiveResourcesInfo().length <= idle.length) return;
    await sleep(POLL_MS);
  }
  throw new Error(`the command does not end: ${process.getActiveResourcesInfo()} and not only ${idle}`);
}
