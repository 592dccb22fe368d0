// The fees that a report's lines about disputes have. A processor that does not tell of them as they happen reports them here, so the
// dispute on record gets them from here.

import type { DisputeFee } from "../../payment/dispute.ts";
import { lineFault, movedBy } from "./check-line.ts";
import type { ReportFinding } from "./report-finding.ts";

export interface FeeOfDispute {
  readonly disputeId: string;
  readonly fee: DisputeFee;
}

/** Millionths in a hundredth. */
const HUNDREDTH = 10_000n;

/** At most one: none of a line that is not as on record, does not add up or has no name, and none that hundredths cannot say. */
export function feesOf({ kind, there, dispute }: ReportFinding): readonly FeeOfDispute[] {
  if (kind !== "chargeback" || there === null || there.id === null || !dispute || lineFault(there) !== undefined)
    return [];
  const { id: name, net, netCurrency: currency } = there;
  const moved = movedBy(there);
  const fee = moved === undefined ? 0n : moved - net;
  if (fee === 0n || fee % HUNDREDTH !== 0n) return [];
  return [{ disputeId: dispute.id, fee: { name, amount: fee / HUNDREDTH, currency } }];
}
