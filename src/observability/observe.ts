// Who looks on in a process, by its settings. What is off is never loaded, and costs nothing.

import type { FastifyBaseLogger } from "fastify";
import { accessLog } from "../api/access-log.ts";
import type { Onlooker } from "../api/onlookers.ts";
import type { Settings } from "../settings.ts";
import type { Metrics } from "./metrics.ts";
import type { OperationMetrics } from "./operation-metrics.ts";
import type { Watch } from "./watch.ts";

export interface Observed extends Partial<Pick<OperationMetrics, "groupsOf" | "parsed">> {
  readonly watch?: Watch;
  readonly onlookers?: readonly Onlooker[];
  readonly metrics?: Metrics;
}

/** Of a process among those of a gateway. `main` is the gateway itself, or the first of its processes. */
export type ProcessName = "main" | "heavy" | `worker-${number}`;

/** Requests are looked at where the door is. */
export async function observe(
  { metrics: wanted, accessLog: isLogged }: Settings,
  name: ProcessName,
  log: FastifyBaseLogger,
): Promise<Observed> {
  const hasDoor = name !== "heavy";
  const logged = isLogged && hasDoor ? [accessLog(log)] : [];
  if (wanted === undefined) return { onlookers: logged };
  const { openMetrics } = await import("./metrics.ts");
  const metrics = openMetrics(name);
  const { watch, groupsOf, parsed } = metrics;
  return { metrics, watch, groupsOf, parsed, onlookers: hasDoor ? [...logged, metrics.requests()] : [] };
}
