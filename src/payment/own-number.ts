// Where a charge of a card on file holds the card's own number: its request did not send the number, so that it could not be looked for there.
// Pure.

import type { CardNumber } from "./secret.ts";
import type { Initiation } from "./stored-credential.ts";
import { holdsCardNumber } from "./stray-card-number.ts";
import type { EchoedFields, Passenger } from "./transaction.ts";

/** What of a charge is kept as it was sent. */
export interface Texts {
  readonly merchantTransactionId: string;
  readonly fields: EchoedFields;
  readonly meta: string | null;
  readonly initiation?: Initiation;
  readonly passengers: readonly Omit<Passenger, "id">[] | null;
}

/** @param key the request's idempotency key @returns names of fields, dotted; `base`: the key */
export function fieldsHolding(number: CardNumber, texts: Texts, key?: string): readonly string[] {
  const { merchantTransactionId, fields, meta, initiation, passengers } = texts;
  const all: readonly (readonly [string, unknown])[] = [
    ["base", key],
    ["merchant_transaction_id", merchantTransactionId],
    ...Object.entries(fields),
    ["meta", meta],
    ["network_transaction_id", initiation?.networkTransactionId],
    ...(passengers ?? []).flatMap((passenger, nth) =>
      Object.entries(passenger).map(([name, value]) => [`passenger_transport.${nth}.${name}`, value] as const),
    ),
  ];
  return all.filter(([, text]) => typeof text === "string" && holds(text, number)).map(([field]) => field);
}

/** As in an identifier, where no other number is looked for: others were before. */
const holds = (text: string, own: CardNumber): boolean => holdsCardNumber(text, { own, purpose: "identifier" });
