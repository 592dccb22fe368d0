// Field 48 of a charge: CVV, address, 3-D Secure, references, and travel data as far as there is room.

import type { Limit, ToExpress } from "../../../payment/expressible.ts";
import type { Initiation, Reason, StoredCredential } from "../../../payment/stored-credential.ts";
import type { ThreeDSecure } from "../../../payment/three-d-secure.ts";
import type { Leg, Passenger } from "../../../payment/transaction.ts";
import type { CardChargeQuestion } from "../../processor.ts";
import { transliterate } from "../../transliterate.ts";
import { type Dialect, tagOf } from "../codec/dialect.ts";
import { renderTagged, type Tagged } from "../codec/tagged.ts";
import { TAGS } from "../dialect/standard.ts";
import { amountField, padded } from "./envelope.ts";

const MOST = 999;

/** @param sendsStored whether the host takes the tags of stored cards */
export function privateData(question: CardChargeQuestion, sendsStored: boolean): string {
  const { instrument, fields, threeDSecure, passengers, transactionId, merchantTransactionId, ipAddress } = question;
  const { storedCredential } = question;
  const rest = renderTagged([
    ...tag("CV", instrument.cvv?.reveal()),
    ...tag("ST", fields.street_address_1),
    ...tag("ZP", fields.zip),
    ...secure(threeDSecure),
    ...tag("TI", transactionId),
    ...tag("MR", merchantTransactionId),
    ...tag("IP", ipAddress ?? undefined),
    ...(sendsStored ? stored(storedCredential) : []),
  ]);
  return (
    rest + (passengers === null ? "" : renderTagged(airlineData(passengers, question.currency, MOST - rest.length)))
  );
}

/** What does not fit its tag. A cryptogram that is cut is another one, and so is a number of passengers. */
export function inexpressibleIn(
  dialect: Dialect,
  sendsStored: boolean,
  { threeDSecure, passengers = 0, initiation = {} }: ToExpress,
): readonly Limit[] {
  const longest = (tag: keyof typeof TAGS) => tagOf(dialect, tag)?.most ?? Number.POSITIVE_INFINITY;
  const texts = [
    ["threeds_cavv", threeDSecure?.cavv, longest("3C")],
    ["threeds_xid", threeDSecure?.xid, longest("3X")],
  ] as const;
  const tooLong = texts.flatMap(([field, text = "", most]) =>
    text.length > most ? [{ field, limit: `at most ${most} characters` }] : [],
  );
  const mostPassengers = 10 ** longest("AN") - 1;
  const tooMany = { field: "passenger_transport", limit: `at most ${mostPassengers} passengers` };
  return [...tooLong, ...(sendsStored ? [] : unsaid(initiation)), ...(passengers > mostPassengers ? [tooMany] : [])];
}

/** That the payer initiates it needs not be told. */
function unsaid({ initiator, reason, networkTransactionId }: Initiation): readonly Limit[] {
  const said = [
    ...(initiator === "merchant" ? ["initiator"] : []),
    ...(reason === undefined ? [] : ["reason"]),
    ...(networkTransactionId === undefined ? [] : ["network_transaction_id"]),
  ];
  return said.map((field) => ({
    field,
    limit: "its host is told nothing of stored cards (setting stored_credentials)",
  }));
}

const REASONS: Readonly<Record<Reason, string>> = {
  ...{ unscheduled: "U", recurring: "R", installment: "I", deposit: "D" },
  ...{ "no-show": "N", "delayed-charge": "A", resubmission: "S" },
};

function stored(given: StoredCredential | undefined): Tagged {
  if (given === undefined) return [];
  const { initiator, use, reason, networkTransactionId } = given;
  const who = initiator === "merchant" ? "M" : "C";
  const why = reason === undefined ? "0" : REASONS[reason];
  return [["SC", who + (use === "first" ? "F" : "L") + why], ...tag("NT", networkTransactionId)];
}

const secure = (given: ThreeDSecure | null): Tagged =>
  given === null
    ? []
    : [
        ["3C", given.cavv],
        ["3E", given.eci],
        ["3S", given.status],
        ["3V", String(given.version ?? 1)],
        ["3X", given.xid],
      ];

/** Left out where nothing of the text can be written. */
function tag(name: keyof typeof TAGS, value = ""): Tagged {
  const text = transliterate(value, TAGS[name].most);
  return text === "" ? [] : [[name, text]];
}

/** @param room characters, of which every tag takes five beside its value */
function airlineData(passengers: readonly Passenger[], currency: string, room: number): Tagged {
  const tagged: [...Tagged] = [["AN", String(passengers.length)]];
  let left = room - lengthOf(tagged);
  for (const passenger of passengers) {
    const one = [passengerTag(passenger), ...passenger.legs.map((leg) => legTag(leg, currency))];
    left -= lengthOf(one);
    if (left < 0) break;
    tagged.push(...one);
  }
  return tagged;
}

const lengthOf = (tagged: Tagged): number => tagged.reduce((total, [, value]) => total + 5 + value.length, 0);

/** 2030-05-15 → 300515 */
const yymmdd = (date: string): string => date.slice(2).replaceAll("-", "");

const passengerTag = (passenger: Passenger): Tagged[number] => [
  "AP",
  padded(passenger.passenger_name, 20) +
    padded(passenger.ticket_number, 13) +
    padded(passenger.ticket_issuing_carrier_code, 2) +
    padded(passenger.ticket_issuing_carrier_name, 25) +
    padded(passenger.ticket_issuing_city, 18) +
    padded(yymmdd(passenger.ticket_issuing_date), 6) +
    (passenger.restricted_ticket_indicator ? "R" : " "),
];

const legTag = (leg: Leg, currency: string): Tagged[number] => [
  "AL",
  padded(leg.carrier_code, 2) +
    padded(leg.service_class, 1) +
    padded(leg.departure_airport, 3) +
    padded(leg.destination_airport, 3) +
    padded(yymmdd(leg.departure_date), 6) +
    padded(leg.flight_number ?? "", 4) +
    padded(leg.fare_basis, 15) +
    amountField(leg.fare, currency),
];
