// Airline data of an order that is charged in several payments: each payment is charged with all passengers and legs, and with its part of
// each fare. Exact: the parts of a payment add up to its amount, and the parts of a fare to that fare. Pure.

import { inMinorUnits, ofMinorUnits } from "./currency.ts";
import { type Amount, amountOf, sum } from "./money.ts";
import type { Passenger } from "./transaction.ts";

type Booked = Omit<Passenger, "id">;

/**
 * The passengers as each payment is charged with them. Each takes of what is left of the fares in proportion; what does not divide goes to
 * the largest remainders, the first among equal ones.
 * @param amounts of the payments, which add up to the fares
 * @returns undefined where a leg would have no part of a payment, since a fare is never nothing
 */
export function fareParts(
  passengers: readonly Booked[],
  amounts: readonly Amount[],
  currency: string,
): readonly (readonly Booked[])[] | undefined {
  let left = passengers.flatMap(({ legs }) => legs.map(({ fare }) => minor(fare, currency)));
  const parts: (readonly Booked[])[] = [];
  for (const amount of amounts) {
    const taken = apportioned(minor(amount, currency), left);
    if (taken.some((part) => part <= 0n)) return undefined;
    parts.push(
      withFares(
        passengers,
        taken.map((part) => major(part, currency)),
      ),
    );
    left = left.map((fare, index) => fare - (taken[index] ?? 0n));
  }
  return parts;
}

/** The largest-remainder method. No part is more than its weight, if the amount is no more than all weights. */
function apportioned(amount: bigint, weights: readonly bigint[]): bigint[] {
  const all = weights.reduce((total, weight) => total + weight, 0n);
  if (all === 0n) return weights.map(() => 0n);
  const parts = weights.map((weight) => (amount * weight) / all);
  const over = Number(amount - parts.reduce((total, part) => total + part, 0n));
  const byRemainder = weights
    .map((weight, index) => ({ index, remainder: (amount * weight) % all }))
    .sort((one, other) => Number(other.remainder - one.remainder) || one.index - other.index);
  for (const { index } of byRemainder.slice(0, over)) parts[index] = (parts[index] ?? 0n) + 1n;
  return parts;
}

function withFares(passengers: readonly Booked[], fares: readonly Amount[]): readonly Booked[] {
  let next = 0;
  return passengers.map((passenger) => {
    const legs = passenger.legs.map((leg) => ({ ...leg, fare: fares[next++] ?? amountOf(0n) }));
    return { ...passenger, legs, fares: sum(legs.map(({ fare }) => fare)) };
  });
}

/** Thousandths are no amounts here: such currencies are divided in hundredths. */
const minor = (amount: Amount, currency: string): bigint => {
  const units = inMinorUnits(amount, currency);
  return units === undefined || ofMinorUnits(1n, currency) === undefined ? amount : units;
};
const major = (units: bigint, currency: string): Amount =>
  ofMinorUnits(1n, currency) === undefined ? amountOf(units) : (ofMinorUnits(units, currency) ?? amountOf(units));
