// Money that disputes moved on a day by the record, and of which the day's report has no line. A report without a day says nothing by
// what it lacks.

import type { Sql } from "../../journal/database.ts";
import { disputesReported } from "./read-disputes.ts";
import type { Account } from "./read-operations.ts";
import { within } from "./reconcile.ts";
import type { KnownDispute, KnownMovement, ReportFinding } from "./report-finding.ts";

export interface DayOfReport {
  readonly from: number;
  readonly until: number;
  readonly over: boolean;
  readonly clockSkewMs: number;
}

/** What the lines of a report about disputes were. */
export class ReportedDisputes {
  readonly #met = new Set<string>();
  readonly #differing = new Set<string>();

  add({ there, dispute, movement }: ReportFinding): void {
    if (there === null || !dispute) return;
    if (movement === undefined) this.#differing.add(direction(dispute, there.gross));
    else this.#met.add(nameOf(dispute, movement));
  }

  /** A line that is not as on record is told of already: it may be this movement. */
  lacks(dispute: KnownDispute, movement: KnownMovement): boolean {
    return !this.#met.has(nameOf(dispute, movement)) && !this.#differing.has(direction(dispute, movement.amount));
  }
}

const nameOf = ({ id }: KnownDispute, { number, currency }: KnownMovement): string => `${id} ${number} ${currency}`;
const direction = ({ id }: KnownDispute, amount: bigint): string => `${id} ${amount < 0n ? "out" : "in"}`;

export async function* missingDisputes(
  sql: Sql,
  account: Account,
  day: DayOfReport,
  reported: ReportedDisputes,
): AsyncGenerator<ReportFinding> {
  for await (const disputes of disputesReported(sql, account, day.from - day.clockSkewMs, day.until + day.clockSkewMs))
    for (const dispute of disputes)
      for (const movement of dispute.movements) {
        const at = movement.happenedAt.getTime();
        const kind = within(at, at, day, "dispute-missing-there");
        if (kind !== undefined && reported.lacks(dispute, movement))
          yield { kind, here: null, there: null, dispute, movement };
      }
}
