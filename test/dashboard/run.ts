// `node bin/run.mjs test/dashboard/run.ts [--seconds 120] [--picture]`: a real Prometheus reads a gateway that sells, refunds and lists. Every query of the dashboard must give data, and every alert be understood. With `--picture` the panels are
// drawn into docs/images/dashboard.webp, by the project's chart library and not by Grafana. `prometheus` and `promtool` are looked for in
// PATH. Ends by itself.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { newFolder } from "../../bench/data.ts";
import { freePort } from "../../bench/free-port.ts";
import { launchGateway } from "../../bench/gateway.ts";
import { undoing } from "../../bench/undo.ts";
import { openTraffic } from "../rolling/traffic.ts";
import { drawn } from "./draw.ts";
import { type Panel, panelsOf } from "./panels.ts";
import { startPrometheus } from "./prometheus.ts";

const DOCS = join(import.meta.dirname, "../../docs");
const RULES = join(DOCS, "prometheus/faregate.rules.yml");

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "120" }, picture: { type: "boolean" } },
});

await undoing(async (undo) => {
  for (const words of [
    ["check", "rules", RULES],
    ["test", "rules", RULES.replace(".yml", ".test.yml")],
  ])
    console.log(execFileSync("promtool", words, { encoding: "utf8" }).trim());
  const port = await freePort();
  const settings = { RATE_LIMIT_PER_MINUTE: "0", METRICS_PORT: `${port}` };
  const gateway = await (await undo.started(launchGateway(["src/main.ts"], newFolder(undo), [], settings))).ready;
  const prometheus = await undo.started(startPrometheus(newFolder(undo), port, RULES));
  const traffic = openTraffic([gateway.url], gateway.sandbox);
  undo.add(traffic.stop);
  traffic.phase("all");
  const from = Date.now() / 1000;
  await sleep(Number(values.seconds) * 1000);
  const to = Date.now() / 1000;
  const panels = panelsOf(readFileSync(join(DOCS, "grafana/faregate.json"), "utf8"));
  const empty: string[] = [];
  const shown: Panel[] = [];
  for (const panel of panels) {
    const series = (await Promise.all(panel.queries.map((query) => prometheus.range(query, from, to)))).flat();
    if (series.length === 0 && !panel.maybeEmpty) empty.push(panel.title);
    shown.push({ ...panel, series });
  }
  const rules = await prometheus.rules();
  const broken = rules.filter(({ health }) => health !== "ok");
  console.log(`${panels.length} panels, ${empty.length} without data: ${empty.join(", ") || "none"}`);
  console.log(
    `${rules.length} alerts, ${broken.length} that Prometheus cannot evaluate: ${broken.map(({ name }) => name).join(", ") || "none"}`,
  );
  for (const { name, state } of rules) console.log(`  ${state.padEnd(9)} ${name}`);
  if (empty.length + broken.length > 0 || rules.length === 0) process.exitCode = 1;
  if (values.picture) writeFileSync(join(DOCS, "images/dashboard.webp"), await drawn(shown, from, to));
});
