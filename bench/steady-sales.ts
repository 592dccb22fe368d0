// A process of its own that sends sales at a steady rate, whether or not earlier ones were answered, and tells how long
// those of each phase took from the moment they were due, also those that were answered after it. The parent names the phases.

import { Agent, request } from "node:http";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { approved, type SaleRequest, saleRequests } from "./sale.ts";
import { percentile } from "./statistics.ts";

/** What the parent sends: first where to, in turn, then each phase as it begins, at the end the wish for the figures. */
export type Told =
  | {
      readonly urls: readonly string[];
      readonly token: string;
      readonly processorId: string;
      readonly salesPerSecond: number;
    }
  | { readonly phase: string }
  | "tell";

export interface Phase {
  /** Those that were approved. */
  readonly sales: number;
  /** Whatever else came of them, also no answer in time. */
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly mostMs: number;
}
export type Phases = Readonly<Record<string, Phase>>;

interface Counted {
  readonly latenciesMs: number[];
  sent: number;
}

type To = Extract<Told, { urls: unknown }>;

const TICK_MS = 1;
const LOOK_MS = 5;
const ANSWERED_WITHIN_MS = 30_000;
const agent = new Agent({ keepAlive: true });
const phases = new Map<string, Counted>();
const nothing = (): Counted => ({ latenciesMs: [], sent: 0 });
let now = nothing();
let inFlight = 0;
let to: To | undefined;
let sending: NodeJS.Timeout | undefined;

process.on("message", (told: Told) => {
  if (told === "tell") void tell();
  else if ("phase" in told) {
    now = nothing();
    phases.set(told.phase, now);
    if (to !== undefined) sending ??= start(to);
  } else to = told;
});
process.on("disconnect", () => process.exit());

/** With the first phase. */
function start({ urls, token, processorId, salesPerSecond }: To): NodeJS.Timeout {
  const next = saleRequests(token, processorId, `steady-${Date.now()}`);
  const gateways = urls.map((url) => new URL(`${url}/api/transactions/sale`));
  const everyMs = 1000 / salesPerSecond;
  let dueAt = performance.now();
  let nth = 0;
  return setInterval(() => {
    for (; dueAt <= performance.now(); dueAt += everyMs) {
      const url = gateways[nth++ % gateways.length];
      if (url !== undefined) send(url, next(), dueAt);
    }
  }, TICK_MS);
}

function send(url: URL, { headers, body }: SaleRequest, dueAt: number): void {
  const phase = now;
  phase.sent++;
  inFlight++;
  const sent = request(url, { method: "POST", headers, agent }, (answer) => {
    let text = "";
    answer.setEncoding("utf8").on("data", (part) => {
      text += part;
    });
    answer.on("end", () => {
      if (approved(text)) phase.latenciesMs.push(performance.now() - dueAt);
    });
  });
  sent.on("error", () => undefined); // what was not approved has failed
  sent.once("close", () => inFlight--);
  sent.end(body);
}

/** Sends no more. The slowest are in flight yet. */
async function tell(): Promise<void> {
  clearInterval(sending);
  for (const until = Date.now() + ANSWERED_WITHIN_MS; inFlight > 0 && Date.now() < until; ) await sleep(LOOK_MS);
  process.send?.(figures());
}

function figures(): Phases {
  return Object.fromEntries(
    [...phases].map(([name, { latenciesMs, sent }]) => {
      const sorted = latenciesMs.toSorted((a, b) => a - b);
      const at = (share: number) => Math.round(percentile(sorted, share) * 100) / 100;
      const failed = sent - sorted.length;
      return [name, { sales: sorted.length, failed, p50Ms: at(0.5), p99Ms: at(0.99), mostMs: at(1) }];
    }),
  );
}
