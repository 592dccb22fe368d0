// What would be adopted of what a comparison found, and what of it cannot be. Pure.

import { cardNumber } from "../payment/card.ts";
import { CARD_BRANDS, cardBrand } from "../payment/card-brand.ts";
import { keptWords } from "../payment/kept-response.ts";
import { type EventType, isChargeType, type KeptCard } from "../payment/transaction.ts";
import type { BookedCard, BookingsReader } from "../processors/bookings.ts";
import { idOfName } from "../uuid.ts";
import type { LostOperation, LostTransaction } from "./adopt-lost.ts";
import { type Finding, isToDecide, type Placed } from "./comparison.ts";

export interface Plan {
  /** Each with its operation here and what the processor has. */
  readonly open: readonly (Finding & {
    readonly here: NonNullable<Finding["here"]>;
    readonly there: Placed;
  })[];
  readonly lost: readonly LostTransaction[];
  /** Left for somebody to decide. */
  readonly left: readonly Finding[];
}

/** @param userId whose the lost charges were */
export function planOf(
  findings: readonly Finding[],
  processorId: string,
  reader: BookingsReader,
  userId: string,
): Plan {
  const open: Plan["open"][number][] = [];
  const lost: Placed[] = [];
  const left: Finding[] = [];
  for (const finding of findings) {
    const { kind, here, there } = finding;
    if ((kind === "open-booked" || kind === "open-declined") && here && there) open.push({ ...finding, here, there });
    else if (kind === "lost" && there) lost.push(there);
    else if (isToDecide(kind)) left.push(finding);
  }
  return { open, lost: transactionsOf(lost, processorId, reader, userId), left };
}

function transactionsOf(
  lost: readonly Placed[],
  processorId: string,
  reader: BookingsReader,
  userId: string,
): readonly LostTransaction[] {
  const charges = new Map(lost.flatMap((one) => (isCharge(one) ? [[one.reference, one] as const] : [])));
  const idOf = (one: Placed): string => {
    const charge = isCharge(one) ? one : charges.get(one.ofCharge ?? "");
    return one.transactionId ?? charge?.transactionId ?? idOfCharge(processorId, charge?.reference ?? "");
  };
  return [...Map.groupBy(lost, idOf)].map(([id, some]): LostTransaction => {
    const inTurn = some.toSorted((one, other) => rankOf(one) - rankOf(other) || one.line - other.line);
    const charge = inTurn.find(isCharge);
    return {
      id,
      opening: charge && {
        userId,
        merchantTransactionId: charge.merchantTransactionId ?? "",
        card: keptCard(charge.card),
      },
      operations: inTurn.map((one) => operationOf(one, processorId, reader)),
    };
  });
}

/** Of a charge of which the records have no name of ours: the same, however often it is adopted. */
export const idOfCharge = (processorId: string, reference: string): string =>
  idOfName(`${processorId} ${reference}`, new Date(0));

const isCharge = ({ operation }: Placed): boolean => isChargeType(operation as EventType);

/** The charge comes first, then what followed, by its time. */
const rankOf = (one: Placed): number => (isCharge(one) ? Number.NEGATIVE_INFINITY : (one.at?.getTime() ?? 0));

function operationOf(one: Placed, processorId: string, reader: BookingsReader): LostOperation {
  const { operation, amount, reference, processorTransactionId, authCode, code, trace } = one;
  const at = one.at ?? new Date(0);
  if (operation === "reversal" || amount === null) throw new Error("broken invariant: it cannot be adopted");
  return {
    ...{ type: operation, amount, at, reference, processorTransactionId, authCode, code, trace },
    eventId: reader.eventIdOf(one) ?? idOfName(`${processorId} ${operation} ${reference}`, at),
    evidence: evidenceOf(one),
    isOf: (eventId) => reader.isOf(eventId, one),
  };
}

/** For the audit log. */
export const evidenceOf = ({ file, line, reference }: Placed): string =>
  keptWords(file === null ? `asked at the processor: ${reference}` : `line ${line} of ${file}`).slice(0, 255);

/** In place of an expiry date that nobody knows. */
const NO_EXPIRY = { expiryMonth: "00", expiryYear: "0000" };
const NO_DIGITS = "*".repeat(16);

export function keptCard(card: BookedCard | null): KeptCard {
  const mask = card?.mask ?? NO_DIGITS;
  const firstSix = /^\d*/.exec(mask)?.[0].slice(0, 6) ?? "";
  const brand = CARD_BRANDS.find((one) => one === card?.brand);
  const digits = cardNumber(mask.replaceAll("*", "0"));
  return {
    ...{ mask, firstSix, brand: brand ?? (firstSix === "" ? "unknown" : cardBrand(digits)) },
    expiryMonth: card?.expiryMonth ?? NO_EXPIRY.expiryMonth,
    expiryYear: card?.expiryYear ?? NO_EXPIRY.expiryYear,
  };
}
