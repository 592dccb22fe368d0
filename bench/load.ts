// A process of its own that sends sales, as many at once as it is told, to one gateway or in equal parts to several, and tells how long
// each took. An answer that is anything but an approved sale makes the load a failure.

import { performance } from "node:perf_hooks";
import autocannon from "autocannon";
import { approved, saleRequests } from "./sale.ts";
import { percentile } from "./statistics.ts";

/** What the parent sends. */
export interface Load {
  readonly urls: readonly string[];
  readonly token: string;
  readonly processorId: string;
  /** Unique among all loads on the same data. */
  readonly run: string;
  /** To all of them together. */
  readonly connections: number;
  /** How long, or how many. */
  readonly until: { readonly seconds: number } | { readonly sales: number };
}

/** What it gets back. */
export interface LoadResult {
  readonly sales: number;
  readonly salesPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU time that the sending itself took; on a small machine it competes with what is measured. */
  readonly senderMicrosPerSale: number;
}

export type LoadReply = { readonly result: LoadResult } | { readonly failure: string };

const MOST_SALES = 1_000_000;
const TIMEOUT_SECONDS = 30;
const SAMPLE_MS = 50;

process.on("message", (load: Load) => {
  send(load).then(
    (result) => process.send?.({ result } satisfies LoadReply),
    (fault) => process.send?.({ failure: String(fault) } satisfies LoadReply),
  );
});
process.on("disconnect", () => process.exit());

async function send(load: Load): Promise<LoadResult> {
  const latenciesMs: number[] = [];
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  let endedAt = startedAt;
  const faults = load.urls.map((_, nth) =>
    run(load, nth, (responseTimeMs) => {
      latenciesMs.push(responseTimeMs);
      endedAt = performance.now();
    }),
  );
  const fault = (await Promise.all(faults)).find((one) => one !== undefined);
  if (fault !== undefined) throw new Error(fault);
  const sales = latenciesMs.length;
  const { user, system } = process.cpuUsage(cpuBefore);
  latenciesMs.sort((a, b) => a - b);
  return {
    sales,
    salesPerSecond: (sales * 1000) / (endedAt - startedAt),
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    senderMicrosPerSale: (user + system) / sales,
  };
}

/** @param nth of the gateways @returns what went wrong, if anything did */
function run(load: Load, nth: number, onAnswer: (responseTimeMs: number) => void): Promise<string | undefined> {
  const next = saleRequests(load.token, load.processorId, `${load.run}-${nth}`);
  const share = (all: number) => Math.ceil(all / load.urls.length);
  let unapproved = "";
  const verifyBody = (body: unknown): boolean => {
    const text = String(body);
    if (approved(text)) return true;
    unapproved ||= text;
    return false;
  };
  const options: autocannon.Options = {
    url: `${load.urls[nth]}/api/transactions/sale`,
    method: "POST",
    connections: share(load.connections),
    timeout: TIMEOUT_SECONDS,
    sampleInt: SAMPLE_MS,
    ...("seconds" in load.until
      ? { duration: load.until.seconds, maxOverallRequests: MOST_SALES }
      : { amount: share(load.until.sales) }),
    requests: [{ setupRequest: (request) => Object.assign(request, next()) }],
    verifyBody,
  };
  return new Promise((resolve) => {
    const running = autocannon(options, (fault, { requests, non2xx, mismatches, errors, timeouts }) => {
      if (fault) return resolve(String(fault));
      if (requests.total > 0 && non2xx + mismatches + errors + timeouts === 0) return resolve(undefined);
      resolve(
        `${requests.total} answers, of them ${non2xx} without status 200 and ${mismatches} not approved; ` +
          `${errors} errors, ${timeouts} without an answer in ${TIMEOUT_SECONDS} s. ${unapproved}`,
      );
    });
    running.on("response", (_client, _status, _bytes, responseTimeMs) => onAnswer(responseTimeMs));
  });
}
