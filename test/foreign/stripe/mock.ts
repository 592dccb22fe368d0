// Stripe's own mock server (github.com/stripe/stripe-mock): it holds each request against the OpenAPI document that Stripe publishes, and
// answers from Stripe's samples. Behind it a recorder, since its answers are about nobody's payment and the kind believes none of them.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { goModule, goProgram } from "../tools.ts";

const MODULE = "github.com/stripe/stripe-mock";
const VERSION = "v0.203.0";

export interface Exchange {
  readonly asked: string;
  readonly body: string;
  readonly status: number;
  readonly answer: string;
}

export interface StripeMock {
  readonly port: number;
  /** What was asked since it was taken last. */
  take(): readonly Exchange[];
  stop(): Promise<void>;
}

/** Listens on loopback. */
export async function startStripeMock(): Promise<StripeMock> {
  const program = await goProgram(MODULE, VERSION);
  const folder = await mkdtemp(join(tmpdir(), "stripe-mock-"));
  const socketPath = join(folder, "socket");
  const mock = spawn(program, ["-http-unix", socketPath], { stdio: "ignore" });
  let exchanges: Exchange[] = [];
  const recorder = createServer((incoming, response) => {
    const { method = "", url: path = "", headers } = incoming;
    const sent: Buffer[] = [];
    incoming.on("data", (piece: Buffer) => sent.push(piece));
    const passed = request({ socketPath, method, path, headers }, (answer) => {
      const got: Buffer[] = [];
      answer.on("data", (piece: Buffer) => got.push(piece));
      answer.on("end", () => {
        const { statusCode: status = 0 } = answer;
        exchanges.push({
          asked: `${method} ${path}`,
          body: Buffer.concat(sent).toString(),
          status,
          answer: Buffer.concat(got).toString(),
        });
        response.writeHead(status, answer.headers).end(Buffer.concat(got));
      });
    });
    passed.on("error", () => response.destroy());
    incoming.pipe(passed);
  });
  recorder.listen(0, "127.0.0.1");
  await once(recorder, "listening");
  const { port } = recorder.address() as AddressInfo;
  await untilItAnswers(`http://127.0.0.1:${port}/v1/balance`);
  exchanges = [];
  return {
    port,
    take: () => exchanges.splice(0),
    stop: async () => {
      recorder.close();
      recorder.closeAllConnections();
      mock.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const LONGEST_START_MS = 60_000;

/** It reads its document of eight megabytes first. */
async function untilItAnswers(url: string): Promise<void> {
  for (const until = Date.now() + LONGEST_START_MS; ; await pause(50)) {
    const answer = await fetch(url, { headers: { authorization: "Bearer sk_test_123" } }).catch(() => undefined);
    if (answer?.ok) return;
    if (Date.now() > until) throw new Error("stripe-mock does not answer");
  }
}

/** The documents that stripe-mock has in it: Stripe's OpenAPI document, and a sample of each object. */
export async function stripeDocument(name: "spec3" | "fixtures3"): Promise<unknown> {
  const folder = await goModule(MODULE, VERSION);
  return JSON.parse(await readFile(join(folder, `embedded/openapi/${name}.json`), "utf8"));
}
