// Wishes become requests: amounts and targets are chosen by what the model knows when the step comes.

import { v7 as uuidv7 } from "uuid";
import type { ChargeRequest } from "../../src/gateway/charge.ts";
import { cardNumber } from "../../src/payment/card.ts";
import { amountOf } from "../../src/payment/money.ts";
import type { ProcessorRecord } from "../../src/payment/processor-record.ts";
import { passengersFor } from "../transactions.ts";
import type { Mirrored } from "./mirror.ts";
import { leftIn } from "./money.ts";
import { pursesOf, unitOf, type Wish } from "./rules.ts";
import { AMOUNTS_OF_CHARGES, type AmountChoice, CARDS, FARES, type SharesChoice, type Wished } from "./steps.ts";

export type Request =
  | { readonly is: "charge"; readonly charge: ChargeRequest; readonly refusedField: string | undefined }
  | { readonly is: "follow-up"; readonly transactionId: string; readonly wish: Wish }
  | { readonly is: "reversal"; readonly transactionId: string };

/** Undefined where there is nothing yet to follow up. */
export function requestFor(
  wished: Exclude<Wished, { does: "retry" }>,
  records: readonly ProcessorRecord[],
  transactions: readonly Mirrored[],
  now: number,
): Request | undefined {
  if (wished.does === "charge") return charge(wished, records);
  const target = transactions[wished.target % transactions.length];
  if (target === undefined) return undefined;
  if (wished.does === "reversal") return { is: "reversal", transactionId: target.id };
  const wish = { kind: wished.does, ...amounts(target, wished.does, wished.amount, wished.shares, now) };
  return { is: "follow-up", transactionId: target.id, wish };
}

function charge(wished: Wished & { does: "charge" }, records: readonly ProcessorRecord[]): Request {
  const fares = wished.fares === 0 ? undefined : FARES[wished.fares - 1];
  const amount = fares ? fares.reduce((sum: number, fare) => sum + fare, 0) : (AMOUNTS_OF_CHARGES[wished.amount] ?? 1);
  // One of the records; or drawn by currency; or yen; or one that there is not, or in no certain currency.
  const [yen, others] = [records.filter(isYen), records.filter((record) => !isYen(record))];
  const [named, currency, refusedField] = [
    ...others.map(({ id }) => [id, undefined, undefined] as const),
    [undefined, "USD", undefined] as const,
    [undefined, "CAD", undefined] as const,
    ...yen.map(({ id }) => [id, undefined, noWholeYen(amount, fares)] as const),
    ...([
      [uuidv7(), undefined, "processor_id"],
      [undefined, undefined, "currency"],
    ] as const),
  ][wished.processor] ?? [undefined, "USD", undefined];
  return {
    is: "charge",
    refusedField,
    charge: {
      type: wished.type,
      amount: amountOf(BigInt(amount)),
      processorId: named,
      card: {
        number: cardNumber(CARDS[wished.card] ?? CARDS[0]),
        cvv: undefined,
        expiryMonth: "12",
        expiryYear: "2039",
      },
      merchantTransactionId: "simulated",
      ipAddress: null,
      fields: currency === undefined ? {} : { currency },
      meta: null,
      threeDSecure: null,
      passengers: fares ? passengersFor(fares.map((fare) => amountOf(BigInt(fare)))) : null,
    },
  };
}

const isYen = ({ currency }: ProcessorRecord): boolean => currency === "JPY";

/** The fields at fault. */
function noWholeYen(amount: number, fares: readonly number[] = []): string | undefined {
  const named = [
    ["amount", amount],
    ...fares.map((fare, nth) => [`passenger_transport.${nth}.legs.0.fare`, fare]),
  ] as const;
  const wrong = named.filter(([, some]) => Number(some) % 100 > 0).map(([field]) => field);
  return wrong.length > 0 ? wrong.join() : undefined;
}

function amounts(
  target: Mirrored,
  kind: Wish["kind"],
  amount: AmountChoice,
  shares: SharesChoice,
  now: number,
): Pick<Wish, "amount" | "shares"> {
  const { of, all } = pursesOf(target, "gone");
  const leftOf = (purse: typeof all): number => {
    if (kind === "capture") return purse.held;
    const unsettled = leftIn(purse, now, "open", "window");
    return kind === "void" ? purse.held + unsettled : unsettled + leftIn(purse, now, "settled");
  };
  if (target.passengers.length === 0)
    return {
      amount: chosen(amount, leftOf(all), target),
      shares: shares === "a stranger" ? [[uuidv7(), 1]] : undefined,
    };

  const fitting = target.passengers
    .map((id): [string, number] => [id, chosen(amount, leftOf(of(id)), target) ?? leftOf(of(id))])
    .filter(([, part]) => part > 0);
  const [first = [target.passengers[0] ?? "", 1] as const, ...rest] = fitting;
  const lists: Readonly<Record<SharesChoice, readonly (readonly [string, number])[] | undefined>> = {
    fitting: [first, ...rest],
    "first only": [first],
    "one too much": [[first[0], first[1] + 1], ...rest],
    none: undefined,
    "a stranger": [first, [uuidv7(), 1]],
    twice: [first, first],
    "wrong sum": [first, ...rest],
  };
  const list = lists[shares];
  if (list === undefined) return { amount: chosen(amount, leftOf(all), target), shares: undefined };
  const sum = list.reduce((total, [, part]) => total + part, 0);
  return { amount: shares === "wrong sum" ? (amount === "none" ? undefined : sum + 1) : sum, shares: list };
}

function chosen(choice: AmountChoice, left: number, { currency }: Mirrored): number | undefined {
  const unit = unitOf(currency);
  switch (choice) {
    case "none":
      return undefined;
    case "all":
      return Math.max(left, 1);
    case "a cent":
      return 1;
    case "half":
      return Math.max(Math.floor(left / 2 / unit) * unit, unit);
    case "a cent less":
      return Math.max(left - 1, 1);
    case "a cent more":
      return left + 1;
    case "the limit":
      return AMOUNTS_OF_CHARGES.at(-1);
  }
}
