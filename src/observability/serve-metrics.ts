// Opens `/metrics` for a gateway: the figures of the process that opens it, and those of its other processes while they are there.

import type { Log } from "../gateway/parts.ts";
import type { MetricsSettings } from "../metrics-settings.ts";
import { reasonOf, StartFault } from "../start-fault.ts";
import { inText, METRICS_TYPE, type Metrics, type Reading } from "./metrics.ts";
import { type MetricsDoor, metricsDoor } from "./metrics-door.ts";

/** The other processes of the gateway; undefined for one that is not there, or too busy to tell. */
export type ReadOthers = () => Promise<readonly (Reading | undefined)[]>;

/** @throws StartFault if it cannot listen there */
export async function serveMetrics(
  settings: MetricsSettings,
  metrics: Metrics,
  readOthers: ReadOthers,
  log: Log,
): Promise<MetricsDoor> {
  const read = async () => {
    const [own, others] = await Promise.all([metrics.read(), readOthers()]);
    const readings = [own, ...others];
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
