// What is worth telling to other nodes and to the operator of groups that look like card testing, until it is taken.

import type { Evidence } from "../payment/card-testing.ts";
import type { ChargeGroup } from "./charge-groups.ts";

/** What nodes tell each other of a group. */
export type Told = Omit<Evidence, "pending">;

/** A group of cards that looks like card testing. */
export interface Report extends Evidence, Omit<ChargeGroup, "refusals"> {
  /** Charges since the last report. */
  readonly slowed: number;
  readonly refused: number;
}

export interface Reports {
  /** Replaces the evidence and adds what happened. */
  add(group: ChargeGroup, evidence: Evidence, happened?: "slowed" | "refused"): void;
  take(): Report[];
}

/** @param most groups; of more, the rest is told when they are touched again */
export function openReports(most: number): Reports {
  const reports = new Map<string, Report>();
  return {
    add({ refusals: _, ...group }, evidence, happened) {
      const before = reports.get(group.name);
      if (before === undefined && reports.size >= most) return;
      const slowed = (before?.slowed ?? 0) + (happened === "slowed" ? 1 : 0);
      const refused = (before?.refused ?? 0) + (happened === "refused" ? 1 : 0);
      reports.set(group.name, { ...group, ...evidence, slowed, refused });
    },
    take() {
      const taken = [...reports.values()];
      reports.clear();
      return taken;
    },
  };
}
