// A real Prometheus of its own, in a folder of its own, that reads one gateway every second.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../bench/free-port.ts";
import type { Query, Series } from "./panels.ts";

const READY_WITHIN_MS = 60_000;
const LOOK_MS = 100;
const STEP_SECONDS = 2;

export interface Rule {
  readonly name: string;
  readonly health: string;
  /** `inactive`, `pending` or `firing`. */
  readonly state: string;
}

export interface Prometheus {
  range(query: Query, from: number, to: number): Promise<readonly Series[]>;
  rules(): Promise<readonly Rule[]>;
  stop(): Promise<void>;
}

/** @param port at which the gateway tells its figures @param rules a file of alerts */
export async function startPrometheus(folder: string, port: number, rules: string): Promise<Prometheus> {
  const config = {
    global: { scrape_interval: "1s", evaluation_interval: "2s" },
    rule_files: [rules],
    scrape_configs: [{ job_name: "faregate", static_configs: [{ targets: [`127.0.0.1:${port}`] }] }],
  };
  const file = join(folder, "prometheus.yml");
  writeFileSync(file, JSON.stringify(config)); // JSON is YAML
  const address = `127.0.0.1:${await freePort()}`;
  const log = openSync(join(folder, "prometheus.log"), "a");
  const words = [
    `--config.file=${file}`,
    `--storage.tsdb.path=${join(folder, "data")}`,
    `--web.listen-address=${address}`,
  ];
  const child = spawn("prometheus", words, { stdio: ["ignore", log, log] });
  closeSync(log);
  const ended = once(child, "exit");
  const get = async (path: string, query: Record<string, string> = {}): Promise<unknown> => {
    const response = await fetch(`http://${address}${path}?${new URLSearchParams(query)}`);
    const { status, data, error } = (await response.json()) as { status: string; data: unknown; error?: string };
    if (status !== "success") throw new Error(`${query.query}: ${error}`);
    return data;
  };
  for (const since = Date.now(); ; await sleep(LOOK_MS)) {
    const { status } = await fetch(`http://${address}/-/ready`).catch(() => ({ status: 0 }));
    if (status === 200) break;
    if (child.exitCode !== null || Date.now() - since > READY_WITHIN_MS)
      throw new Error(`Prometheus does not start: ${folder}`);
  }
  return {
    range: async ({ expression, legend }, from, to) => {
      const times = { start: `${from}`, end: `${to}`, step: `${STEP_SECONDS}` };
      const { result } = (await get("/api/v1/query_range", { query: expression, ...times })) as {
        result: readonly Found[];
      };
      return result.map((found) => seriesOf(found, legend)).filter(({ points }) => points.length > 0);
    },
    rules: async () => {
      const { groups } = (await get("/api/v1/rules")) as { groups: readonly { rules: readonly Rule[] }[] };
      return groups.flatMap((group) => group.rules);
    },
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

interface Found {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [at: number, value: string])[];
}

const seriesOf = ({ metric, values }: Found, legend: string): Series => ({
  name: legend.replace(/\{\{(\w+)\}\}/g, (_, label: string) => metric[label] ?? ""),
  points: values.map(([at, value]) => [at, Number(value)] as const).filter(([, value]) => Number.isFinite(value)),
});
