// Transactions for tests of the rules, told in words: `told("CAD auth 100=60+40", "capture 60=60+0 at 1 21:59", "void 40
// pending")`. Amounts are minor units, after `=` each passenger's part of them.

import { type Amount, amountOf } from "../src/payment/money.ts";
import type { Outcome, ProcessorResponse } from "../src/payment/outcome.ts";
import { defaultSchedule, settlementTimes } from "../src/payment/settlement.ts";
import {
  type Event,
  type EventType,
  type Passenger,
  type Share,
  type Transaction,
  withEvent,
} from "../src/payment/transaction.ts";
import { NOTHING_CHECKED } from "../src/payment/verification.ts";

const CHARGE = /^([A-Z]{3}) (sale|auth) (.+)$/;
const STEP =
  /^(sale|auth|capture|void|refund) ([0-9]+)(?:=([0-9+]+))?( reversal)?( by-processor(?:-(?:[0-9]+|again))?)?(?: (pending|declined|already-settled|unanswered|not-sent|failed-after-all))?(?: at ([0-9]+ [0-9:]+))?$/;
const NOON = "1 12:00";

/**
 * @param charge currency, then a step: `USD sale 100 declined`
 * @param steps type, amount, then as they apply `reversal`, `by-processor`, `by-processor-2` or `by-processor-again`, how it ended unless it was approved, `at` a day and a time
 */
export function told(charge: string, ...steps: readonly string[]): Transaction {
  const [, currency = "", type = "", rest = ""] = CHARGE.exec(charge) ?? [];
  const [first, ...others] = [`${type} ${rest}`, ...steps].map((step, index) => eventOf(step, index + 1, currency));
  if (first === undefined) throw new TypeError("A transaction has a charge.");
  const fares = first.shares?.map(({ amount }) => amount);
  const bare: Transaction = {
    merchantId: "01970000-0000-7000-8000-00000000000a",
    id: "01970000-0000-7000-8000-00000000000b",
    userId: "01970000-0000-7000-8000-00000000000c",
    createdAt: first.createdAt,
    currency,
    merchantTransactionId: "order 1",
    card: { mask: "411111******1111", firstSix: "411111", brand: "visa", expiryMonth: "12", expiryYear: "2039" },
    fields: {},
    meta: null,
    threeDSecure: null,
    passengers: fares?.map(passenger) ?? null,
    // A charge names no shares: its passengers' are their fares.
    events: [{ ...first, shares: null }],
  };
  return others.reduce(withEvent, bare);
}

/** `at("2 02:20")`: an instant of the second day of the tests' month, UTC. */
export function at(dayAndTime: string): Date {
  const [day = "", time = ""] = dayAndTime.split(" ");
  const instant = new Date(`2030-05-${day.padStart(2, "0")}T${time.length === 5 ? `${time}:00` : time}Z`);
  if (Number.isNaN(instant.getTime())) throw new TypeError(`No instant: ${dayAndTime}`);
  return instant;
}

/** The id of the first, second … passenger. */
export const passengerId = (nth: number): string =>
  `01970000-0000-7000-8000-0000000001${nth.toString().padStart(2, "0")}`;

/** `shares(60n, 40n)`: of the first and of the second passenger; zero leaves one out. */
export const shares = (...minor: readonly bigint[]): readonly Share[] =>
  minor.flatMap((part, index) =>
    part === 0n ? [] : [{ passengerId: passengerId(index + 1), amount: amountOf(part) }],
  );

export const PROCESSOR_RESPONSE: ProcessorResponse = {
  code: "00",
  message: "APPROVED",
  transactionId: null,
  authCode: null,
  ...NOTHING_CHECKED,
};

function eventOf(step: string, sequence: number, currency: string): Event {
  const [match, type, minor = "", parts, reversal, by, ending, time = NOON] = STEP.exec(step) ?? [];
  if (match === undefined) throw new TypeError(`No step of a transaction: ${step}`);
  const createdAt = at(time);
  const eventType = type as EventType;
  return {
    id: `01970000-0000-7000-8000-0000000002${sequence.toString().padStart(2, "0")}`,
    sequence,
    type: eventType,
    amount: amountOf(BigInt(minor)),
    shares: parts === undefined ? null : shares(...parts.split("+").map(BigInt)),
    processorId: "01970000-0000-7000-8000-00000000000d",
    ipAddress: null,
    reversal: reversal !== undefined,
    ...(by !== undefined && { byProcessor: by.trim().replace("-again", " again") }),
    createdAt,
    outcome: ending === "pending" ? null : outcomeOf(eventType, ending as Outcome["kind"], createdAt, currency),
  };
}

function outcomeOf(type: EventType, kind: Outcome["kind"] = "approved", at: Date, currency: string): Outcome {
  const processorResponse = PROCESSOR_RESPONSE;
  const settles = type !== "auth" && type !== "void";
  const settlement = settles ? settlementTimes(defaultSchedule(currency), at) : null;
  const approval = { kind: "approved", at, processorResponse, settlement } as const;
  if (kind === "failed-after-all") return { kind, at, processorResponse, category: "refused", approval };
  return kind === "approved" ? approval : { kind, at, processorResponse };
}

const passenger = (fares: Amount, index: number): Passenger => ({
  id: passengerId(index + 1),
  ...ticket(fares, index),
});

/** As a charge names them, before they are given ids. */
export const passengersFor = (fares: readonly Amount[]): readonly Omit<Passenger, "id">[] => fares.map(ticket);

function ticket(fares: Amount, index: number): Omit<Passenger, "id"> {
  return {
    passenger_name: `PASSENGER ${index + 1}`,
    ticket_number: "1234567890123",
    ticket_issuing_carrier_name: "EXAMPLE AIR",
    ticket_issuing_carrier_code: "EX",
    ticket_issuing_city: "MONTREAL",
    ticket_issuing_date: "2030-04-01",
    restricted_ticket_indicator: false,
    legs: [leg(fares)],
    fares,
  };
}

const leg = (fare: Amount) => ({
  carrier_code: "EX",
  service_class: "Y",
  departure_airport: "YUL",
  destination_airport: "YYZ",
  departure_date: "2030-06-01",
  fare_basis: "YEX",
  fare,
});
