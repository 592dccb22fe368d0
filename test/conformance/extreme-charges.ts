// Charges that the API takes, at their limits: the longest texts, letters of every script, values that are nothing but spaces, as many
// passengers as there may be. Whatever of them a processor cannot express it has to say, and all else it has to send.

import { isIP } from "node:net";
import fc from "fast-check";
import { parseCardNumber, parseCvv } from "../../src/payment/card.ts";
import { cardBrand } from "../../src/payment/card-brand.ts";
import { amountOf } from "../../src/payment/money.ts";
import type { StoredCredential } from "../../src/payment/stored-credential.ts";
import type { ThreeDSecure } from "../../src/payment/three-d-secure.ts";
import type { EchoedFields, Leg, Passenger } from "../../src/payment/transaction.ts";
import type { CardChargeQuestion } from "../../src/processors/processor.ts";
import { chargeQuestion } from "./questions.ts";
import { STORED } from "./stored-credentials.ts";
import type { TestCard } from "./subject.ts";

/** As src/api/schema/charge.ts has them: characters at least and at most. */
const LENGTHS = {
  ...{ first_name: [1, 255], last_name: [1, 255], email: [1, 255], mobile_phone: [1, 15] },
  ...{ street_address_1: [1, 255], street_address_2: [1, 255], city: [1, 255], zip: [2, 255] },
  ...{ shipping_street_address_1: [1, 255], shipping_city: [1, 255], shipping_zip: [2, 255] },
  ...{ document_number: [11, 20], dynamic_descripton: [1, 255], dynamic_descriptor: [1, 255] },
} as const satisfies Partial<Record<keyof EchoedFields, readonly [number, number]>>;

const STRANGE = [
  "ß",
  "Æ",
  "é",
  "\u0301",
  "ŉ",
  "ﷺ",
  "東",
  "Ж",
  "\u{1f600}",
  "\u200b",
  " ",
  "\t",
  "'",
  "|",
  "?",
  "A",
  "0",
];

/** Of so many characters, as the API counts them. */
const text = (least: number, most: number): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.oneof(fc.constantFrom(...STRANGE), fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 })),
      fc.string({ unit: "binary", maxLength: most }),
      fc.constantFrom(least, most),
      fc.boolean(),
    )
    .map(([one, others, length, same]) => {
      const characters = [...(same ? "" : others), ...one.repeat(most)].filter((each) => each !== "\0");
      return characters.slice(0, length).join("").toWellFormed();
    });

const base64 = fc.constantFrom(4, 28, 40, 100, 104, 252).map((length) => "A".repeat(length));
const letters = (length: number) =>
  fc.string({ unit: fc.constantFrom("a", "Z", "9"), minLength: 1, maxLength: length });
const date = fc.constantFrom("0001-01-01", "2031-05-01", "9999-12-31");
const amount = fc
  .oneof(fc.constantFrom(1n, 50n, 99n, 100n, 101n, 999_999_900n), fc.bigInt({ min: 1n, max: 999_999_900n }))
  .map(amountOf);

const fields: fc.Arbitrary<EchoedFields> = fc.record(
  {
    ...Object.fromEntries(Object.entries(LENGTHS).map(([name, [least, most]]) => [name, text(least, most)])),
    ...{ state: letters(3), shipping_state: letters(3) },
    ...{ country: fc.constantFrom("US", "us", "ZZ", "UK"), shipping_country: fc.constantFrom("CA", "zz") },
  },
  { requiredKeys: [] },
);

const threeDSecure: fc.Arbitrary<ThreeDSecure> = fc.record({
  xid: base64,
  cavv: base64,
  eci: fc.constantFrom("00", "05", "99"),
  status: fc.constantFrom("Y", "A", "N", "U"),
  version: fc.constantFrom(1, 2),
});

const leg: fc.Arbitrary<Leg> = fc.record({
  ...{
    carrier_code: text(2, 2),
    service_class: text(1, 1),
    departure_airport: text(3, 3),
    destination_airport: text(3, 3),
  },
  ...{ departure_date: date, flight_number: text(1, 4), fare_basis: text(1, 15), fare: fc.constant(amountOf(100n)) },
});

const passenger: fc.Arbitrary<Omit<Passenger, "id">> = fc.record({
  ...{ ticket_number: text(1, 13), ticket_issuing_carrier_name: text(1, 25), ticket_issuing_carrier_code: text(2, 2) },
  ...{ ticket_issuing_city: text(1, 18), ticket_issuing_date: date, passenger_name: text(1, 20) },
  restricted_ticket_indicator: fc.boolean(),
  legs: fc.array(leg, { minLength: 1, maxLength: 3 }),
  fares: fc.constant(amountOf(100n)),
});

const passengers = fc
  .tuple(fc.array(passenger, { minLength: 1, maxLength: 3 }), fc.constantFrom(1, 2, 999, 1_000))
  .map(([some, count]) =>
    Array.from({ length: count }, (_, index) => ({ id: `${index}`, ...some[index % some.length] }) as Passenger),
  );

const storedCredential: fc.Arbitrary<StoredCredential> = fc
  .tuple(
    fc.constantFrom(...STORED),
    fc.option(fc.constantFrom("1", "483297487231504", "MCC AB-C_1 0515", "Z".repeat(64)), { nil: undefined }),
  )
  .map(([said, networkTransactionId]) => ({
    ...said,
    ...(networkTransactionId !== undefined && said.use === "later" && { networkTransactionId }),
  }));

/** In one currency, of one card. */
export function extremeCharges(currency: string, { number, cvv: right }: TestCard): fc.Arbitrary<CardChargeQuestion> {
  const card = parseCardNumber(number);
  if (card === undefined) throw new TypeError("it is no card number");
  return fc
    .record({
      type: fc.constantFrom("sale", "auth"),
      amount,
      merchantTransactionId: text(1, 255),
      ipAddress: fc.option(fc.oneof(fc.ipV4(), fc.ipV6()).filter((address) => isIP(address) !== 0)),
      fields,
      threeDSecure: fc.option(threeDSecure),
      passengers: fc.option(passengers),
      storedCredential: fc.option(storedCredential, { nil: undefined }),
      requestId: fc.option(letters(64), { nil: undefined }),
      cvv: fc.option(fc.constant(right)),
      expiryMonth: fc.constantFrom("01", "12"),
    })
    .map(({ type, cvv, expiryMonth, requestId, storedCredential, ...given }) => ({
      ...chargeQuestion(type as "sale" | "auth", { currency }),
      ...given,
      ...(requestId !== undefined && { requestId }),
      ...(storedCredential && { storedCredential }),
      instrument: {
        kind: "card",
        number: card,
        cvv: cvv === null ? undefined : parseCvv(cvv),
        brand: cardBrand(card),
        expiryMonth,
        expiryYear: "2099",
      },
    }));
}
