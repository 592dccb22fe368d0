// Asking a host's control port, which is away while the host is dead.

import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

/** @throws when it does not answer, or not with a success */
export type Call = (method: string, path: string, json?: object) => Promise<string>;

export function callsTo(port: number): Call {
  const call = async (method: string, path: string, json?: object, tries = 30): Promise<string> => {
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, ...body }).catch(async (fault) => {
      // It has died since the last call, or is about to: what may be asked twice is asked again.
      if (method === "POST" || tries === 1) throw fault;
      await sleep(200);
    });
    if (response === undefined) return call(method, path, json, tries - 1);
    if (!response.ok) throw new Error(`The host's control answered ${response.status} to ${method} ${path}`);
    return response.text();
  };
  return call;
}

/** Resolves when a host that was just started answers; rejects if it ends before. */
export async function answers(child: Pick<ChildProcess, "exitCode" | "signalCode">, port: number): Promise<void> {
  const url = `http://127.0.0.1:${port}/balance/none`;
  while (child.exitCode === null && child.signalCode === null) {
    if ((await fetch(url, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined))?.ok) return;
    await sleep(20);
  }
  throw new Error("it ended");
}
