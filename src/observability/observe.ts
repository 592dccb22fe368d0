// Who looks on in a process, by its settings. What is off is never loaded, and costs nothing.

import type { FastifyBaseLogger } from "fastify";
import { accessLog } from "../api/access-log.ts";
import type { Onlooker } from "../api/onlookers.ts";
import type { TracesSettings } from "../observability-settings.ts";
import type { Settings } from "../settings.ts";
import { StartFault } from "../start-fault.ts";
import type { Metrics } from "./metrics.ts";
import type { OperationMetrics } from "./operation-metrics.ts";
import type { Traces } from "./traces.ts";
import { together, type Watch } from "./watch.ts";

export interface Observed extends Partial<Pick<OperationMetrics, "groupsOf" | "parsed">> {
  readonly watch?: Watch;
  readonly onlookers?: readonly Onlooker[];
  readonly metrics?: Metrics;
  /** To be called last. */
  readonly close?: () => Promise<void>;
}

/** Of a process among those of a gateway. `main` is the gateway itself, or the first of its processes. */
export type ProcessName = "main" | "heavy" | `worker-${number}`;

/** Requests are looked at where the door is; traces begin in each process. */
export async function observe(
  { metrics: figures, accessLog: isLogged, traces: traced }: Settings,
  name: ProcessName,
  log: FastifyBaseLogger,
): Promise<Observed> {
  const metrics = figures && (await import("./metrics.ts")).openMetrics(name);
  const traces = traced && (await loadedTraces(traced, name));
  const watches = [metrics, traces].filter((one) => one !== undefined);
  const hasDoor = name !== "heavy";
  const onlookers = [
    ...(traces ? [traces.onlooker] : []),
    ...(isLogged && hasDoor ? [accessLog(log)] : []),
    ...(metrics && hasDoor ? [metrics.requests()] : []),
  ];
  if (watches.length === 0) return { onlookers };
  return {
    onlookers,
    watch: together(watches.map(({ watch }) => watch)),
    parsed: (seconds) => {
      for (const one of watches) one.parsed(seconds);
    },
    ...(metrics && { metrics, groupsOf: metrics.groupsOf }),
    ...(traces && { close: traces.close }),
  };
}

const PACKAGES = ["api", "core", "exporter-trace-otlp-http", "resources", "sdk-trace"].map(
  (name) => `@opentelemetry/${name}`,
);

/** @throws StartFault if the library is not installed: it is 20 MB that most do without */
async function loadedTraces(settings: TracesSettings, name: string): Promise<Traces> {
  try {
    const { openTraces } = await import("./traces.ts");
    return openTraces(settings, name);
  } catch (fault) {
    const isMissing = fault instanceof Error && "code" in fault && fault.code === "ERR_MODULE_NOT_FOUND";
    if (!isMissing) throw fault;
    throw new StartFault(
      `TRACES_ENDPOINT is set, but OpenTelemetry's library is not installed. Run: npm install ${PACKAGES.join(" ")}`,
    );
  }
}
