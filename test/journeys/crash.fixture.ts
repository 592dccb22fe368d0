// Gateways in processes of their own on a data folder of their own, and requests that are repeated until they are answered,
// as a careful client does.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import type { SuiteContext, TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type RunningGateway, startGateway } from "../../bench/gateway.ts";
import { clusterOf, existingPlace } from "../../src/journal/embedded/place.ts";
import { postmasterOf } from "../../src/journal/embedded/postmaster.ts";
import { compiledForTests } from "../compiled.ts";
import { type Answer, callers } from "./gateway.ts";
import { type Callable, type Json, sale } from "./merchant.fixture.ts";
import { patient } from "./room.ts";
import { atEnd } from "./used-folder.ts";

export type GatewayProcess = Callable & Pick<RunningGateway, "pid" | "url" | "stop">;

/** Stopped, if it still runs, when the test has ended. */
export async function startProcess(
  test: TestContext,
  folder: string,
  program = "test/journeys/impatient-gateway.ts",
  ...words: readonly string[]
): Promise<GatewayProcess> {
  const { url, sandbox, pid, stop } = await startGateway([compiledForTests(program), ...words], folder);
  atEnd(test, async () => {
    await stop();
    tellLogIfFailed(test, folder);
  });
  return { sandbox, pid, stop, ...patient(callers(url, sandbox.api_token, sandbox.operator_token)) };
}

const LAST_LINES = 30;

/** What the gateway on this folder said last, if the rule failed. */
export function tellLogIfFailed(test: TestContext | SuiteContext, folder: string): void {
  if (!hasFailed(test)) return;
  const lines = readFileSync(`${folder}/gateway.log`, "utf8").trimEnd().split("\n").slice(-LAST_LINES);
  test.diagnostic(`The gateway's log ended with:\n${lines.join("\n")}`);
}

/** To be asked after the test. Node's types do not know it of a test. */
const hasFailed = (test: TestContext | SuiteContext): boolean => !(test as Pick<SuiteContext, "passed">).passed;

/** As the system does it, without a word. */
export const kill = (pid: number): void => void process.kill(pid, "SIGKILL");

/** Of the server that all processes of this folder's database descend from. */
export function databasePidOf(folder: string): number {
  const pid = serverPidOf(folder);
  assert.ok(pid, "its database runs");
  return pid;
}

/** Undefined while none runs. */
export function serverPidOf(folder: string): number | undefined {
  const place = existingPlace(folder)?.folder;
  return place === undefined ? undefined : postmasterOf(clusterOf(place))?.pid;
}

/** One request under a key of its own. */
export interface Attempt {
  readonly path: string;
  readonly body: Json;
  readonly key: string;
  /** Undefined: the connection broke, or nothing has come yet. */
  first?: Answer;
}

export const attempt = (path: string, body: Json): Attempt => ({ path, body, key: randomUUID() });
/** An order number of its own, by which it can be looked up. */
export const saleAttempt = (over: Json = {}): Attempt =>
  attempt("/api/transactions/sale", sale({ merchant_transaction_id: `crash-${randomUUID()}`, ...over }));

/** Sends it once, and keeps what is answered, if anything is. */
export async function tryOnce(gateway: Callable, one: Attempt): Promise<void> {
  const headers = { "idempotency-key": one.key };
  const answer = await gateway.post(one.path, one.body, { headers }).catch(() => undefined);
  if (answer !== undefined) one.first = answer;
}

const PATIENCE_MS = 120_000;

/** Repeats it while it is in flight or nothing was sent. */
export async function answered(gateway: Callable, { path, body, key }: Attempt): Promise<Answer> {
  for (let waited = 0; ; waited += 100) {
    const answer = await gateway.post(path, body, { headers: { "idempotency-key": key } }).catch(() => undefined);
    if (answer !== undefined && answer.status !== 409 && answer.status !== 500 && !canBeRepeated(answer)) return answer;
    assert.ok(waited < PATIENCE_MS, `no answer: ${answer?.status} ${answer?.text}`);
    await sleep(100);
  }
}

/** A 503 that was kept under the key says what became of the attempt; any other says that there was none. */
const canBeRepeated = ({ status, headers }: Answer): boolean =>
  status === 503 && headers.get("idempotent-replayed") !== "true";

export async function until(what: string, isSo: () => Promise<boolean> | boolean): Promise<void> {
  for (let waited = 0; !(await isSo()); waited += 50) {
    assert.ok(waited < PATIENCE_MS, `waited in vain: ${what}`);
    await sleep(50);
  }
}
