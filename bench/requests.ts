// Sends requests of any kind, as fast as they are answered, and tells the rate and how long each took. An answer with another status
// than was expected makes it a failure.

import { performance } from "node:perf_hooks";
import autocannon, { type Request } from "autocannon";
import { ascending, percentile } from "./statistics.ts";

export interface Requests {
  readonly url: string;
  readonly connections: number;
  /** In turn. */
  readonly requests: readonly Request[] | (() => Request);
  readonly status: number;
  /** Whether an answer of this status is what was asked for; any is, unless told otherwise. */
  readonly isRight?: (body: string) => boolean;
  readonly until: { readonly seconds: number } | { readonly count: number };
}

export interface Sent {
  readonly count: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const TIMEOUT_SECONDS = 30;
const MOST_REQUESTS = 2_000_000;

export async function sendRequests({ url, connections, requests, status, isRight, until }: Requests): Promise<Sent> {
  let sent = 0;
  const next = typeof requests === "function" ? requests : () => requests[sent++ % requests.length];
  const latenciesMs: number[] = [];
  const others = new Map<number, number>();
  const startedAt = performance.now();
  let endedAt = startedAt;
  const options: autocannon.Options = {
    url,
    connections,
    timeout: TIMEOUT_SECONDS,
    requests: [{ setupRequest: (request) => Object.assign(request, next()) }],
    ...("seconds" in until ? { duration: until.seconds, maxOverallRequests: MOST_REQUESTS } : { amount: until.count }),
    ...(isRight && { verifyBody: (body) => isRight(String(body)) }),
  };
  const { errors, timeouts, mismatches } = await new Promise<autocannon.Result>((resolve, reject) => {
    const running = autocannon(options, (fault, result) => (fault ? reject(fault) : resolve(result)));
    running.on("response", (_client, was, _bytes, tookMs) => {
      if (was !== status) others.set(was, (others.get(was) ?? 0) + 1);
      latenciesMs.push(tookMs);
      endedAt = performance.now();
    });
  });
  if (errors + timeouts + mismatches + others.size > 0)
    throw new Error(
      `${url}: ${errors} errors, ${timeouts} timeouts, ${mismatches} wrong answers, not ${status}: ${JSON.stringify([...others])}`,
    );
  if (latenciesMs.length === 0) throw new Error(`${url}: no answer in time; measure for longer`);
  const sorted = ascending(latenciesMs);
  return {
    count: sorted.length,
    perSecond: (sorted.length * 1_000) / (endedAt - startedAt),
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
  };
}
