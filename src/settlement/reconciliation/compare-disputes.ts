// What a processor's report says of the disputes of one transaction, against the disputes on record. Pure: lines, operations and disputes
// come in, findings come out. A report has some of a dispute's movements, never more than happened.

import { type Amount, amountOf, ZERO } from "../../payment/money.ts";
import { isChargeType } from "../../payment/transaction.ts";
import { type Exact, exactOf } from "../../processors/exact-amount.ts";
import type { Operation } from "./operations.ts";
import type { DisputeFindingKind, KnownDispute, KnownMovement, OurLine, ReportFinding } from "./report-finding.ts";

/**
 * @param lines those about disputes, of one transaction
 * @param operations of this transaction
 * @param disputes of this transaction
 * @param currency of the payment
 * @param archived the payment is in an archive, so how much was captured is not known here; its disputes are on record as before
 */
export function compareDisputes(
  lines: readonly OurLine[],
  operations: readonly Operation[],
  disputes: readonly KnownDispute[],
  currency: string,
  archived = false,
): readonly ReportFinding[] {
  const charge = chargeAmong(operations);
  if (charge === null && !archived) return lines.map((there) => ({ kind: "dispute-of-no-payment", here: null, there }));
  const captured = exactOf(capturedOf(operations));
  const isTooMuch = (amount: Exact) => !archived && amount > captured;
  const named = new Set(lines.flatMap(({ dispute }) => dispute ?? []));
  const movements = new Map(disputes.map((dispute) => [dispute, [...dispute.movements]]));
  let taken = 0n;
  let unknown = 0n;
  return lines.map((there): ReportFinding => {
    if (there.currency === currency) taken -= there.gross;
    const dispute = disputeOf(there, disputes, named);
    const found = (kind: ReportFinding["kind"], movement?: KnownMovement): ReportFinding => ({
      ...{ kind, here: charge, there, dispute: dispute ?? null },
      ...(movement && { movement }),
    });
    if (there.currency === currency && isTooMuch(-there.gross)) return found("dispute-exceeds-payment");
    if (dispute === undefined) {
      if (archived) return found("archived");
      unknown -= there.gross;
      return found(there.gross < 0n && unknown > captured ? "dispute-doubled" : "unknown-dispute");
    }
    const { movement, kind } = moved(there, dispute, movements.get(dispute) ?? [], lines);
    if (kind !== undefined) return found(kind, movement);
    return found(isTooMuch(taken) ? "dispute-exceeds-payment" : "chargeback", movement);
  });
}

/** By the processor's name. One that was entered without a name is taken for the only one. */
function disputeOf(
  { dispute: name }: OurLine,
  disputes: readonly KnownDispute[],
  named: ReadonlySet<string>,
): KnownDispute | undefined {
  const same = name === undefined ? undefined : disputes.find(({ reference }) => reference === name);
  if (same !== undefined) return same;
  const nameless = disputes.filter(
    ({ reference }) => reference === null || (name === undefined && !named.has(reference)),
  );
  return nameless.length === 1 ? nameless[0] : undefined;
}

/** Takes the movement on record that this line is, or says why there is none. */
function moved(
  line: OurLine,
  dispute: KnownDispute,
  open: KnownMovement[],
  lines: readonly OurLine[],
): { readonly movement?: KnownMovement | undefined; readonly kind?: DisputeFindingKind | undefined } {
  const out = line.gross < 0n;
  const alike = (one: { readonly amount: bigint }) => one.amount < 0n === out;
  const at = open.findIndex((one) => one.currency === line.currency && exactSigned(one.amount) === line.gross);
  if (at >= 0) {
    const [movement] = open.splice(at, 1);
    const stays =
      dispute.withdrawn > ZERO && !lines.some((other) => other.gross > 0n && other.dispute === line.dispute);
    return { movement, kind: out && dispute.state === "won" && stays ? "dispute-won-and-withdrawn" : undefined };
  }
  if (line.currency !== dispute.currency) return { kind: "dispute-other-currency" };
  const known = dispute.movements.filter(alike);
  if (known.length === 0) {
    if (!out) return { kind: "dispute-not-returned" };
    return { kind: dispute.state === "won" ? "dispute-won-and-withdrawn" : "dispute-not-withdrawn" };
  }
  // What is on record has been met already, or it is of another amount.
  return { kind: open.some(alike) ? "dispute-other-amount" : "dispute-doubled" };
}

const exactSigned = (hundredths: bigint): Exact => hundredths * 10_000n;

/** The approved charge, or the last one. */
function chargeAmong(operations: readonly Operation[]): Operation | null {
  const charges = operations.filter(({ type }) => isChargeType(type));
  return charges.find(({ outcome }) => outcome === "approved") ?? charges.at(-1) ?? null;
}

/** What may have been taken from the payer: without what was voided, and with what has no answer. Refunds may be taken again. */
function capturedOf(operations: readonly Operation[]): Amount {
  const sum = (types: readonly Operation["type"][], ...outcomes: readonly Operation["outcome"][]) =>
    operations.reduce(
      (all, one) => (types.includes(one.type) && outcomes.includes(one.outcome) ? all + one.amount : all),
      0n,
    );
  const captured = sum(["sale", "capture"], "approved", null, "unanswered");
  // A void takes what was only held first.
  const held = sum(["auth"], "approved") - sum(["capture"], "approved", null);
  const voided = sum(["void"], "approved") - (held > 0n ? held : 0n);
  return amountOf(voided > 0n ? (voided < captured ? captured - voided : 0n) : captured);
}
