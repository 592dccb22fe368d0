// A process of its own that sends sales at a steady rate, whether or not earlier ones were answered, and tells how long
// those of each phase took from the moment they were due. The parent names the phases.

import { Agent, request } from "node:http";
import { performance } from "node:perf_hooks";
import { approved, type SaleRequest, saleRequests } from "./sale.ts";
import { percentile } from "./statistics.ts";

/** What the parent sends: first where to, then each phase as it begins, at the end the wish for the figures. */
export type Told =
  | { readonly url: string; readonly token: string; readonly processorId: string; readonly salesPerSecond: number }
  | { readonly phase: string }
  | "tell";

export interface Phase {
  readonly sales: number;
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly mostMs: number;
}
export type Phases = Readonly<Record<string, Phase>>;

const TICK_MS = 1;
const agent = new Agent({ keepAlive: true });
const phases = new Map<string, { latenciesMs: number[]; failed: number }>();
let now = { latenciesMs: [] as number[], failed: 0 };

process.on("message", (told: Told) => {
  if (told === "tell") process.send?.(figures());
  else if ("phase" in told) {
    now = { latenciesMs: [], failed: 0 };
    phases.set(told.phase, now);
  } else begin(told);
});
process.on("disconnect", () => process.exit());

function begin(to: Extract<Told, { url: string }>): void {
  const next = saleRequests(to.token, to.processorId, `steady-${Date.now()}`);
  const url = new URL("/api/transactions/sale", to.url);
  const everyMs = 1000 / to.salesPerSecond;
  let dueAt = performance.now();
  setInterval(() => {
    for (; dueAt <= performance.now(); dueAt += everyMs) send(url, next(), dueAt);
  }, TICK_MS);
}

function send(url: URL, { headers, body }: SaleRequest, dueAt: number): void {
  const phase = now;
  const failed = () => void phase.failed++;
  const sent = request(url, { method: "POST", headers, agent }, (answer) => {
    let text = "";
    answer.setEncoding("utf8").on("data", (part) => {
      text += part;
    });
    answer.on("end", () => {
      if (approved(text)) phase.latenciesMs.push(performance.now() - dueAt);
      else failed();
    });
  });
  sent.on("error", failed);
  sent.end(body);
}

function figures(): Phases {
  return Object.fromEntries(
    [...phases].map(([name, { latenciesMs, failed }]) => {
      const sorted = latenciesMs.toSorted((a, b) => a - b);
      const at = (share: number) => Math.round(percentile(sorted, share) * 10) / 10;
      return [name, { sales: sorted.length, failed, p50Ms: at(0.5), p99Ms: at(0.99), mostMs: at(1) }];
    }),
  );
}
