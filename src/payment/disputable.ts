// Whether an operator's words about a dispute can be true: money that never moved is not withdrawn. Pure. What a processor reports by a
// signed message is never judged here: it is recorded.

import { balances } from "./balances.ts";
import type { DisputeSummary } from "./dispute.ts";
import { type Amount, amountOf, minus, sum, ZERO } from "./money.ts";
import { type Refused, refuse } from "./refusal.ts";
import { chargeOf, type Transaction } from "./transaction.ts";

export interface Entered {
  readonly transaction: Transaction;
  /** Undefined: the dispute is new. What was so before is not judged again. */
  readonly before: DisputeSummary | undefined;
  readonly after: DisputeSummary;
  /** Of the same payment. */
  readonly others: readonly Pick<DisputeSummary, "withdrawn" | "currency">[];
}

/** Undefined: it may be entered. */
export function judgeDispute(entered: Entered, now: Date): Refused | undefined {
  const { transaction, before, after } = entered;
  const { createdAt } = transaction.events[0];
  if (before === undefined && !mayHaveCharged(transaction))
    return refuse("disputed-charge-not-approved", "transaction_id");
  const due = after.respondBy?.getTime();
  if (due !== undefined && due !== before?.respondBy?.getTime() && due < createdAt.getTime())
    return refuse("dispute-before-charge", "respond_by");
  return judgeWithdrawn(entered, now);
}

function judgeWithdrawn({ transaction, before, after, others }: Entered, now: Date): Refused | undefined {
  const { withdrawn, currency, amount, stage } = after;
  if (withdrawn === ZERO) return undefined;
  const more = before === undefined || withdrawn > before.withdrawn || currency !== before.currency;
  if (stage === "inquiry" && (more || before?.stage !== "inquiry"))
    return refuse("inquiry-moves-no-money", "amount_withdrawn");
  if (withdrawn > amount && (more || amount < before.amount))
    return refuse("withdrawn-exceeds-disputed", "amount_withdrawn", amount);
  if (!more) return undefined;
  if (currency !== transaction.currency) return refuse("withdrawn-in-other-currency", "currency");
  const captured = mayBeCaptured(transaction, now);
  if (captured === ZERO) return refuse("nothing-captured-to-withdraw", "amount_withdrawn");
  const elsewhere = sum(others.filter((one) => one.currency === currency).map((one) => one.withdrawn));
  const most = elsewhere < captured ? minus(captured, elsewhere) : ZERO;
  return withdrawn > most ? refuse("withdrawn-exceeds-captured", "amount_withdrawn", most) : undefined;
}

/** Silence is no decline: a charge without an answer may have been approved, and the bank's dispute says so. */
function mayHaveCharged(transaction: Transaction): boolean {
  const { outcome } = chargeOf(transaction);
  return outcome === null || outcome.kind === "approved" || outcome.kind === "unanswered";
}

/**
 * What may have been taken from the payer and not voided. Refunds are not subtracted: a bank may take back what was refunded already. That
 * money is gone twice, and has to be in the books twice.
 */
function mayBeCaptured(transaction: Transaction, now: Date): Amount {
  const known = balances(transaction, now, "failed").captures.map(({ amount, voided }) => minus(amount, voided));
  const inDoubt = transaction.events.filter(
    ({ type, outcome }) =>
      (type === "capture" && outcome === null) ||
      (type === "sale" && (outcome === null || outcome.kind === "unanswered")),
  );
  return amountOf(sum([...known, ...inDoubt.map(({ amount }) => amount)]));
}
