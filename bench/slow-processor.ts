// Sales at a steady rate over a processor that takes its time: what the gateway adds to it, when the database is not what limits it.

import { setTimeout as sleep } from "node:timers/promises";
import type { RunningGateway } from "./gateway.ts";
import { steadySales } from "./sales-beside.ts";
import type { Undo } from "./undo.ts";
import { type Use, watch } from "./watch.ts";

export const PROCESSOR_MS = 50;
/** A gateway hears of a change of its processor within half a second, another one within a second. */
const CHANGE_HEARD_MS = 1_000;

/** The processor of the sales. @param gateways on one database: the first is told, the others hear of it */
export async function slowDown([gateway]: readonly RunningGateway[]): Promise<void> {
  if (gateway === undefined) throw new Error("there is no gateway to slow down");
  const { url, sandbox } = gateway;
  const headers = { authorization: `Bearer ${sandbox.operator_token}`, "content-type": "application/json" };
  const body = JSON.stringify({ settings: { latency_ms: PROCESSOR_MS } });
  const { status } = await fetch(`${url}/operator/processors/${sandbox.processors.usd}`, {
    ...{ method: "PATCH", headers, body },
  });
  if (status !== 200) throw new Error(`The processor does not become slow: ${status}`);
  await sleep(CHANGE_HEARD_MS);
}

/** What a steady rate of sales costs a server that approves each at once: for the ratio. */
export async function overBareServer(
  undo: Undo,
  url: string,
  sandbox: RunningGateway["sandbox"],
  salesPerSecond: number,
  seconds: number,
): Promise<Pick<Added, "p50Ms" | "p99Ms">> {
  const load = steadySales(undo, { url: `${url}/approved`, sandbox }, salesPerSecond);
  load.phase("warm-up");
  await sleep(WARM_UP_MS);
  load.phase("measured");
  await sleep(seconds * 1_000);
  const { measured } = await load.tell();
  load.stop();
  if (measured === undefined || measured.failed > 0) throw new Error("The bare server did not answer every sale.");
  return measured;
}

export interface Added {
  /** Approved, of those that were due in the time. */
  readonly perSecond: number;
  readonly sales: number;
  readonly failed: number;
  /** Beyond the processor's time, from the moment a sale was due. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly use: Use;
}

const WARM_UP_MS = 1_000;

/** However late the answers are. @param gateways with a slow processor, on one database */
export async function overSlowProcessor(
  undo: Undo,
  gateways: readonly RunningGateway[],
  salesPerSecond: number,
  seconds: number,
): Promise<Added> {
  const load = steadySales(undo, gateways, salesPerSecond);
  load.phase("warm-up");
  await sleep(WARM_UP_MS);
  const use = watch(gateways, load.pid);
  load.phase("measured");
  await sleep(seconds * 1_000);
  const used = use();
  const { measured } = await load.tell();
  load.stop();
  if (measured === undefined) throw new Error("nothing was measured");
  const { sales, failed, p50Ms, p99Ms } = measured;
  return {
    ...{ sales, failed, use: used, perSecond: sales / seconds },
    ...{ p50Ms: p50Ms - PROCESSOR_MS, p99Ms: p99Ms - PROCESSOR_MS },
  };
}
