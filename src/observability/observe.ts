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

/** @param name of this process: requests are looked at where the door is */
export async function observe(
  { metrics: wanted, accessLog: isLogged }: Settings,
  name: "main" | "heavy",
  log: FastifyBaseLogger,
): Promise<Observed> {
  const logged = isLogged && name === "main" ? [accessLog(log)] : [];
  if (wanted === undefined) return { onlookers: logged };
  const { openMetrics } = await import("./metrics.ts");
  const metrics = openMetrics(name);
  const { watch, groupsOf, parsed } = metrics;
  return { metrics, watch, groupsOf, parsed, onlookers: name === "main" ? [...logged, metrics.requests()] : [] };
}
