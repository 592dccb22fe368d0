// All figures of one process. They are counted where something happens, or read when somebody asks; a process without METRICS_PORT
// never loads this file.

import { createRequire } from "node:module";
import { AggregatorRegistry, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { Onlooker } from "../api/onlookers.ts";
import { type OperationMetrics, operationMetrics } from "./operation-metrics.ts";
import { requestMetrics } from "./request-metrics.ts";
import { type State, stateMetrics } from "./state-metrics.ts";

const { version } = createRequire(import.meta.url)("../../package.json") as { version: string };

/** What a process tells another one, or writes down. */
export type Reading = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;

export interface Metrics extends OperationMetrics {
  /** Of the process that has the door. */
  requests(): Onlooker;
  /** To be called once, when there is something to look at. */
  lookAt(state: State): void;
  read(): Promise<Reading>;
}

export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** @param name of this process among those of a gateway: each series has it as its label `process` */
export function openMetrics(name: string): Metrics {
  const register = new Registry();
  register.setDefaultLabels({ process: name });
  collectDefaultMetrics({ register });
  new Gauge({
    name: "faregate_build_info",
    help: "1, with the gateway's version.",
    ...{ labelNames: ["version"] as const, registers: [register] },
  }).set({ version }, 1);
  return {
    ...operationMetrics(register),
    requests: () => requestMetrics(register),
    lookAt: (state) => stateMetrics(register, state),
    read: () => register.getMetricsAsJSON(),
  };
}

/** As Prometheus reads it, of several processes. */
export const inText = (readings: readonly Reading[]): Promise<string> =>
  AggregatorRegistry.aggregate(readings.map(withNaN)).metrics();

/** JSON, by which processes tell each other, makes null of it. */
const withNaN = (reading: Reading): Reading =>
  reading.map((metric) => ({
    ...metric,
    values: metric.values.map((one) =>
      one.value === null ? { ...(one as object), labels: one.labels, value: Number.NaN } : one,
    ),
  }));
