// Opens `/metrics` for a gateway: its own figures, and those of its process for heavy requests while there is one.

import type { Log } from "../gateway/parts.ts";
import type { MetricsSettings } from "../metrics-settings.ts";
import { reasonOf, StartFault } from "../start-fault.ts";
import { inText, METRICS_TYPE, type Metrics, type Reading } from "./metrics.ts";
import { type MetricsDoor, metricsDoor } from "./metrics-door.ts";

/** Another process of the gateway; undefined if it is not there, or too busy to tell. */
export type ReadOther = () => Promise<Reading | undefined>;

/** @throws StartFault if it cannot listen there */
export async function serveMetrics(
  settings: MetricsSettings,
  metrics: Metrics,
  readOther: ReadOther,
  log: Log,
): Promise<MetricsDoor> {
  const read = async () => {
    const readings = await Promise.all([metrics.read(), readOther()]);
    return inText(readings.filter((reading) => reading !== undefined));
  };
  try {
    const door = await metricsDoor(settings, METRICS_TYPE, read);
    log.info({ url: door.url }, "figures for Prometheus");
    return door;
  } catch (fault) {
    const where = `${settings.host}:${settings.port}`;
    throw new StartFault(
      `Cannot listen on ${where} for /metrics: ${reasonOf(fault)}. Look at METRICS_HOST and METRICS_PORT.`,
    );
  }
}
