// The parts of an airline's fares that each payment of a plan is charged with.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fitsCurrency } from "./currency.ts";
import { fareParts } from "./fare-parts.ts";
import { amountOf, sum } from "./money.ts";
import type { Leg, Passenger } from "./transaction.ts";

const of = (hundredths: bigint | number) => amountOf(BigInt(hundredths));
const booked = (...fares: readonly (readonly bigint[])[]): Omit<Passenger, "id">[] =>
  fares.map((legs, index) => ({
    ...{
      passenger_name: `P${index}`,
      ticket_number: "1",
      ticket_issuing_carrier_name: "A",
      ticket_issuing_carrier_code: "AC",
    },
    ...{ ticket_issuing_city: "Y", ticket_issuing_date: "2031-01-01", restricted_ticket_indicator: false },
    legs: legs.map((fare) => ({ fare: of(fare) }) as Leg),
    fares: sum(legs.map(of)),
  }));

const faresOf = (passengers: readonly Omit<Passenger, "id">[] | undefined) =>
  passengers?.map(({ legs }) => legs.map(({ fare }) => fare));

test("each payment has a part of each fare, in proportion, and the largest remainders get what does not divide", () => {
  const parts = fareParts(booked([10_000n, 5_025n], [5_000n]), [of(5_000), of(15_025)], "USD");
  assert.deepEqual(parts?.map(faresOf), [
    [[2_497n, 1_255n], [1_248n]],
    [[7_503n, 3_770n], [3_752n]],
  ]);
});

test("one payment alone has the fares as they are", () => {
  const passengers = booked([1n, 2n], [3n]);
  assert.deepEqual(fareParts(passengers, [of(6)], "USD"), [passengers]);
});

test("a payment in which a leg would have no part is none", () => {
  assert.equal(fareParts(booked([10_000n, 1n]), [of(5_000), of(5_001)], "USD"), undefined);
  assert.equal(fareParts(booked([100n], [100n], [100n]), [of(2), of(298)], "USD"), undefined);
});

test("yen are divided into whole yen", () => {
  const parts = fareParts(booked([10_000n, 5_000n]), [of(5_000), of(10_000)], "JPY");
  assert.deepEqual(parts?.map(faresOf), [[[3_300n, 1_700n]], [[6_700n, 3_300n]]]);
});

test("parts add up to the payments and to the fares, whatever the fares, the payments and the currency", () => {
  const fares = fc.array(fc.array(fc.bigInt(1n, 50_000n), { minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 6,
  });
  const cuts = fc.array(fc.double({ min: 0.05, max: 1, noNaN: true }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(fares, cuts, fc.constantFrom("USD", "JPY", "KWD"), (all, weights, currency) => {
      const unit = currency === "JPY" ? 100n : 1n;
      const passengers = booked(...all.map((legs) => legs.map((fare) => fare * unit)));
      const total = sum(passengers.map((one) => one.fares));
      const amounts = divided(total / unit, weights).map((one) => of(one * unit));
      if (amounts.some((one) => one === 0n)) return;
      const parts = fareParts(passengers, amounts, currency);
      if (parts === undefined) return;
      for (const [index, part] of parts.entries()) {
        assert.equal(sum(part.map((one) => one.fares)), amounts[index]);
        for (const { legs } of part) for (const { fare } of legs) assert.ok(fare > 0n && fitsCurrency(fare, currency));
      }
      for (const [nth, { legs }] of passengers.entries())
        for (const [leg, { fare }] of legs.entries())
          assert.equal(sum(parts.map((part) => part[nth]?.legs[leg]?.fare ?? of(0))), fare);
    }),
  );
});

function divided(total: bigint, weights: readonly number[]): bigint[] {
  const all = weights.reduce((one, other) => one + other, 0);
  const parts = weights.slice(1).map((weight) => (total * BigInt(Math.floor((weight / all) * 1e6))) / 1_000_000n);
  return [total - parts.reduce((one, other) => one + other, 0n), ...parts];
}
