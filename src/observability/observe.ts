// Who looks on in a process, by its settings. What is off is never loaded, and costs nothing.

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
export async function observe({ metrics: wanted }: Settings, name: "main" | "heavy"): Promise<Observed> {
  if (wanted === undefined) return {};
  const { openMetrics } = await import("./metrics.ts");
  const metrics = openMetrics(name);
  const { watch, groupsOf, parsed } = metrics;
  return { metrics, watch, groupsOf, parsed, onlookers: name === "main" ? [metrics.requests()] : [] };
}
