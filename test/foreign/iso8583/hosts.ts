// Acquirers' hosts on libraries of others, each a process of its own that keeps books: one in Go, one in Java. They were written from
// docs/iso8583.md alone, and know nothing of the gateway's code.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ROOT } from "../../runner/jobs.ts";
import { run } from "../tools.ts";

const HERE = import.meta.dirname;
const CACHE = join(ROOT, "node_modules/.cache/faregate/foreign");

/** What a charge comes to in a host's books, in minor units. */
export interface Booked {
  readonly transaction: string;
  readonly held: number;
  readonly captured: number;
  readonly refunded: number;
}

export interface ForeignHost {
  readonly port: number;
  books(): Promise<readonly Booked[]>;
  stop(): Promise<void>;
}

/** On moov-io/iso8583: ASCII digits and hexadecimal bitmaps. */
export async function startMoovHost(): Promise<ForeignHost> {
  const program = join(CACHE, "moov-host");
  mkdirSync(CACHE, { recursive: true });
  await fetched("github.com/moov-io/iso8583", () => run("go", ["mod", "download"], { cwd: join(HERE, "moov") }));
  await run("go", ["build", "-o", program, "."], { cwd: join(HERE, "moov") });
  return started(spawn(program, { stdio: ["pipe", "pipe", "inherit"] }));
}

/** On jPOS: packed digits and binary bitmaps. */
export async function startJposHost(): Promise<ForeignHost> {
  const jars = join(CACHE, "jpos-2.1.9");
  const copy = ["-q", "-B", "dependency:copy-dependencies", "-DincludeScope=runtime", `-DoutputDirectory=${jars}`];
  if (!existsSync(join(jars, "jpos-2.1.9.jar")))
    await fetched("org.jpos:jpos", () => run("mvn", copy, { cwd: join(HERE, "jpos") }));
  const program = ["-cp", join(jars, "*"), join(HERE, "jpos/Host.java")];
  return started(spawn("java", program, { stdio: ["pipe", "pipe", "ignore"] }));
}

/** What a step needs and could not get: it is skipped, and says so. */
class NotToBeHad extends Error {}

async function fetched(what: string, fetch: () => Promise<unknown>): Promise<void> {
  try {
    await fetch();
  } catch (fault) {
    throw new NotToBeHad(`${what} cannot be fetched`, { cause: fault });
  }
}

/** Undefined where it cannot be had. */
export async function startedIfHad(
  start: () => Promise<ForeignHost>,
  skip: (why: string) => void,
): Promise<ForeignHost | undefined> {
  try {
    return await start();
  } catch (fault) {
    if (!(fault instanceof NotToBeHad)) throw fault;
    skip(fault.message);
    return undefined;
  }
}

async function started(host: ChildProcess): Promise<ForeignHost> {
  const { stdin, stdout } = host;
  if (stdin === null || stdout === null) throw new Error("a host without pipes");
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => {
    const { value, done } = await lines.next();
    if (done) throw new Error("the host has ended");
    return JSON.parse(value);
  };
  const { port } = (await next()) as { readonly port: number };
  return {
    port,
    books: async () => {
      stdin.write("\n");
      return (await next()) as readonly Booked[];
    },
    stop: async () => {
      if (host.exitCode !== null) return;
      const ended = once(host, "exit");
      host.kill();
      await ended;
    },
  };
}
