// Generated airline charges and follow-ups, and a book kept passenger by passenger that says what each of them may do. The
// book is simple on purpose: whatever the gateway shows has to agree with it.

import fc from "fast-check";
import { type Json, leg, money, passenger, sale } from "./merchant.fixture.ts";

const PLAIN = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 /-.'é漢\u{1f600}\"\\<&=%+[]"];
const textOf = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...PLAIN), minLength, maxLength });
const dateText = fc
  .date({ min: new Date("2026-01-01"), max: new Date("2035-12-31"), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
/** Minor units. */
const fare = fc.oneof(fc.integer({ min: 1, max: 500_00 }), fc.constantFrom(1, 33_33, 100_00));
const codeOf = (length: number) => textOf(length, length);

const anyLeg = fc.record(
  {
    carrier_code: codeOf(2),
    service_class: codeOf(1),
    departure_airport: codeOf(3),
    destination_airport: codeOf(3),
    departure_date: dateText,
    flight_number: textOf(1, 4),
    fare_basis: textOf(1, 15),
    fare,
  },
  {
    requiredKeys: [
      "carrier_code",
      "service_class",
      "departure_airport",
      "destination_airport",
      "departure_date",
      "fare_basis",
      "fare",
    ],
  },
);
const anyPassenger = fc.record({
  ticket_number: textOf(1, 13),
  ticket_issuing_carrier_name: textOf(1, 25),
  ticket_issuing_carrier_code: codeOf(2),
  ticket_issuing_city: textOf(1, 18),
  ticket_issuing_date: dateText,
  passenger_name: textOf(1, 20),
  restricted_ticket_indicator: fc.boolean(),
  legs: fc.array(anyLeg, { minLength: 1, maxLength: 4 }),
});

/** The body of a charge with 1 to 8 passengers whose texts are anything that the tables take. */
export const airlineBodies: fc.Arbitrary<Json> = fc
  .array(anyPassenger, { minLength: 1, maxLength: 8 })
  .map((passengers) => {
    const fares = passengers.flatMap(({ legs }) => legs.map((one) => one.fare));
    const inMoney = passengers.map((one) => ({
      ...one,
      legs: one.legs.map((of) => ({ ...of, fare: money(of.fare) })),
    }));
    return sale({ amount: money(sumOf(fares)), passenger_transport: inMoney });
  });

/** Each passenger's fares, leg by leg, in minor units. */
export const faresOfPassengers: fc.Arbitrary<readonly (readonly number[])[]> = fc.array(
  fc.array(fare, { minLength: 1, maxLength: 3 }),
  { minLength: 1, maxLength: 8 },
);

export const airlineCharge = (fares: readonly (readonly number[])[]): Json =>
  sale({
    amount: money(sumOf(fares.flat())),
    passenger_transport: fares.map((legs) => passenger({ legs: legs.map((one) => leg({ fare: money(one) })) })),
  });

export type Share = "some" | "all" | "a cent too much";
export interface Step {
  readonly type: "capture" | "void" | "refund" | "reversal";
  /** By passenger; who is undefined is not named. */
  readonly shares: readonly (Share | undefined)[];
}

export const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    type: fc.constantFrom("capture", "capture", "void", "refund", "refund", "reversal"),
    shares: fc.array(
      fc.option(fc.constantFrom<Share>("some", "some", "all", "all", "all", "a cent too much"), { nil: undefined }),
      {
        minLength: 8,
        maxLength: 8,
      },
    ),
  }),
  { minLength: 1, maxLength: 7 },
);

export interface Account {
  authorized: number;
  captured: number;
  voided: number;
  refunded: number;
  /** Authorized, and neither captured nor voided. */
  held: number;
  /** Captured, and neither voided nor refunded. */
  kept: number;
}

export const accountsOf = (type: "sale" | "auth", fares: readonly (readonly number[])[]): Account[] =>
  fares.map((legs) => {
    const all = sumOf(legs);
    const none = { authorized: all, voided: 0, refunded: 0 };
    return type === "sale"
      ? { ...none, captured: all, held: 0, kept: all }
      : { ...none, captured: 0, held: all, kept: 0 };
  });

/** What is left of this passenger's for such an operation. */
export function leftFor(type: Step["type"], { held, kept }: Account): number {
  if (type === "capture") return held;
  return type === "refund" ? kept : held + kept;
}

export function amountOf(share: Share, left: number): number {
  if (share === "a cent too much") return left + 1;
  return share === "all" ? left : Math.ceil(left / 2);
}

export function enter(type: Step["type"], account: Account, amount: number): void {
  if (type === "capture") {
    account.captured += amount;
    account.held -= amount;
    account.kept += amount;
  } else if (type === "refund") {
    account.refunded += amount;
    account.kept -= amount;
  } else {
    account.voided += amount;
    const released = Math.min(amount, account.held);
    account.held -= released;
    account.kept -= amount - released;
  }
}

export const sumOf = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);
