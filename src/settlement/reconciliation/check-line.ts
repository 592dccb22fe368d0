// Whether a line of a report adds up by itself: what was asked for, less what was kept, is what it changed in the balance, and in the
// right direction. Pure. Currencies may differ, if the report says how one became the other.

import { smallAmountIn } from "../../payment/card-testing-amounts.ts";
import { exponentOf } from "../../payment/currency.ts";
import { amountOf } from "../../payment/money.ts";
import { type Exact, exactOf } from "../../processors/exact-amount.ts";
import type { Rate, Reported, ReportLine } from "../../processors/settlement-report.ts";

/**
 * - `wrong-sign` money went out where it should have come in, or the other way round
 * - `wrong-sum` the gross amount less the fees is not the net amount, or more is paid out than came in
 */
export type LineFault = "wrong-sign" | "wrong-sum";

/** The direction of each kind that is about a payment. */
const DIRECTION: Readonly<Partial<Record<Reported, 1n | -1n>>> = {
  ...{ captured: 1n, undone: 1n, "chargeback-reversed": 1n },
  ...{ refunded: -1n, chargeback: -1n, released: -1n, "capture-failed": -1n },
};

/** With these, fees that were kept before may come back. */
const RETURNS_FEES: readonly Reported[] = ["undone", "chargeback-reversed", "refunded", "released", "capture-failed"];

/** Undefined: it adds up, or the report does not say enough. */
export function lineFault(line: ReportLine): LineFault | undefined {
  const direction = DIRECTION[line.kind];
  if (direction === undefined) return undefined;
  if (line.gross * direction < 0n || (line.net * direction < 0n && !costsMore(line))) return "wrong-sign";
  const moved = movedBy(line);
  if (moved === undefined) return aboveRate(line) ? "wrong-sum" : undefined;
  const { fee = moved - line.net } = line;
  if (moved - fee !== line.net) return "wrong-sum";
  if (fee < 0n && (line.fee === undefined || !RETURNS_FEES.includes(line.kind)) && !mayReturnUnsaid(line))
    return "wrong-sum";
  return line.currency !== line.netCurrency && line.rate && !isAbout(moved, line.gross, line.rate, line.netCurrency)
    ? "wrong-sum"
    : undefined;
}

/** A fixed fee, such as 0.30, may be more than a payment of less than a dollar. */
const costsMore = ({ kind, gross, currency, fee }: ReportLine): boolean =>
  kind === "captured" && fee !== undefined && gross < exactOf(smallAmountIn(ONE_DOLLAR, currency));

const ONE_DOLLAR = amountOf(100n);

/** What was asked for, in the currency of the balance; undefined where the report does not say it. */
export function movedBy({
  gross,
  booked = gross,
  currency,
  net,
  netCurrency,
  converted,
  fee,
}: ReportLine): Exact | undefined {
  if (currency === netCurrency) return booked;
  return converted ?? (fee === undefined ? undefined : net + fee);
}

/** The fee of a dispute or refund that came to nothing may come back without a word. */
const mayReturnUnsaid = ({ kind, fee }: ReportLine): boolean =>
  fee === undefined && (kind === "undone" || kind === "chargeback-reversed");

/** More came in than the rate allows. */
function aboveRate({ kind, gross, net, rate, netCurrency }: ReportLine): boolean {
  if (kind !== "captured" || rate === undefined) return false;
  const { most } = limitsOf(gross, rate, netCurrency);
  return net > most;
}

function isAbout(moved: Exact, gross: Exact, rate: Rate, currency: string): boolean {
  const { least, most } = limitsOf(gross, rate, currency);
  return moved >= least && moved <= most;
}

/** A rate is rounded to its last digit, and its result to the currency's minor unit. */
function limitsOf(gross: Exact, { digits, decimals }: Rate, currency: string): { least: Exact; most: Exact } {
  const scale = 10n ** BigInt(decimals);
  const size = gross < 0n ? -gross : gross;
  const margin = size / (2n * scale) + 10n ** BigInt(6 - exponentOf(currency)) + 1n;
  const middle = (gross * digits) / scale;
  return { least: middle - margin, most: middle + margin };
}
