// What is wrong with a follow-up by itself, as far as it can be read: whom it names, its currency, and amounts finer than that.

import { fitsCurrency, notInCurrency } from "./currency.ts";
import type { Amount } from "./money.ts";
import type { Refusal } from "./refusal.ts";
import { chargeOf, type Share, type Transaction } from "./transaction.ts";

/** A request as far as it can be read: what could not be read is undefined. */
export interface Readable {
  readonly currency?: string | undefined;
  /** Whether there is an amount, readable or not. */
  readonly hasAmount: boolean;
  readonly amount: Amount | undefined;
  readonly shares: readonly { readonly [Field in keyof Share]: Share[Field] | undefined }[] | undefined;
}

/** Specification 4.5: on airline data the passengers are named, and they are this transaction's. */
export function wrongPassengers(transaction: Transaction, { hasAmount, shares }: Readable): Refusal[] {
  if (transaction.passengers === null && shares === undefined) return [];
  const refusals: Refusal[] = [];
  if (transaction.passengers !== null) {
    if (shares === undefined) refusals.push({ name: "passengers-required", field: "passenger_transport" });
    if (!hasAmount) refusals.push({ name: "amount-required", field: "amount" });
  }
  const known = new Set(transaction.passengers?.map(({ id }) => id));
  const named = new Set<string>();
  for (const [index, { passengerId: id }] of (shares ?? []).entries()) {
    if (id === undefined) continue;
    const field = `passenger_transport.${index}.passenger_id`;
    if (!known.has(id)) refusals.push({ name: "passenger-unknown", field });
    else if (named.has(id)) refusals.push({ name: "passenger-repeated", field });
    named.add(id);
  }
  return refusals;
}

/** Decision R6: a currency is that of the processor record, which the charge was made in. */
export function otherCurrency({ currency: own }: Transaction, { currency }: Pick<Readable, "currency">): Refusal[] {
  return currency === undefined || currency === own
    ? []
    : [{ name: "currency-differs", field: "currency", currency: own }];
}

/** In a currency without hundredths an amount is whole; but for a charge from before that was asked of it. */
export function finerThanCurrency(transaction: Transaction, { amount, shares }: Readable): Refusal[] {
  const { currency } = transaction;
  if (shares === undefined && (amount === undefined || fitsCurrency(amount, currency))) return [];
  if (!fitsCurrency(chargeOf(transaction).amount, currency)) return [];
  const parts = (shares ?? []).map((share, index) => ({ ...share, field: `passenger_transport.${index}.amount` }));
  const amounts = [{ field: "amount", amount }, ...parts];
  return notInCurrency(
    amounts.flatMap(({ field, amount }) => (amount === undefined ? [] : [{ field, amount }])),
    currency,
  );
}
