// The health checks of whoever runs the gateway: each is to be answered with 200 in time. How long `/health/live`
// takes, asked ten times a second, is also what can be seen from outside of the event loop's delay.

import { Agent } from "node:http";
import { performance } from "node:perf_hooks";
import { ascending, percentile } from "../../bench/statistics.ts";
import { ADDRESSES } from "./ground.ts";
import { sendOn } from "./send.ts";

export interface HealthFigures {
  readonly asked: number;
  readonly failed: number;
  /** Of those, of whether the process is there: it asks nobody else. */
  readonly liveFailed: number;
  readonly liveP50Ms: number;
  readonly liveP99Ms: number;
  readonly liveMostMs: number;
  readonly readyMostMs: number;
}

export interface Health {
  phase(name: string): void;
  figures(): Readonly<Record<string, HealthFigures>>;
  readonly faults: readonly string[];
  stop(): void;
}

const LIVE_EVERY_MS = 100;
const READY_EVERY_MS = 1_000;
const MOST_FAULTS = 10;

interface Phase {
  readonly live: number[];
  readonly ready: number[];
  failed: number;
  liveFailed: number;
}
const newPhase = (): Phase => ({ live: [], ready: [], failed: 0, liveFailed: 0 });

export function watchHealth(port: number, withinMs: number): Health {
  const agent = new Agent({ keepAlive: true });
  const faults: string[] = [];
  const phases = new Map<string, Phase>();
  let now = newPhase();
  const probe = async (which: "live" | "ready") => {
    const phase = now;
    const since = performance.now();
    // Readiness on a connection of its own each time, as load balancers do.
    const by = { port, from: ADDRESSES.health, agent: which === "live" && agent, withinMs };
    const { status, text } = await sendOn(by, "GET", `/health/${which}`);
    phase[which].push(performance.now() - since);
    if (status === 200) return;
    phase.failed++;
    if (which === "live") phase.liveFailed++;
    if (faults.length < MOST_FAULTS) faults.push(`${new Date().toISOString()} ${which}: ${status} ${text}`);
  };
  const timers = [
    setInterval(() => void probe("live"), LIVE_EVERY_MS),
    setInterval(() => void probe("ready"), READY_EVERY_MS),
  ];
  return {
    phase: (name) => {
      now = newPhase();
      phases.set(name, now);
    },
    figures: () =>
      Object.fromEntries(
        [...phases].map(([name, { live, ready, failed, liveFailed }]) => {
          const sorted = ascending(live);
          const at = (share: number) => (sorted.length === 0 ? Number.NaN : percentile(sorted, share));
          const shown = { asked: live.length + ready.length, failed, liveFailed, readyMostMs: Math.max(0, ...ready) };
          return [name, { ...shown, liveP50Ms: at(0.5), liveP99Ms: at(0.99), liveMostMs: at(1) }];
        }),
      ),
    faults,
    stop: () => {
      for (const timer of timers) clearInterval(timer);
      agent.destroy();
    },
  };
}
