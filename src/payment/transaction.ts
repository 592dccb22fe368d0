// What a transaction is: one charge (sale or auth), the fields that came with it, and the events that followed.
// Types and their smallest questions only; what the events add up to is in balances.ts.

import type { CardBrand } from "./card-brand.ts";
import type { Challenge } from "./challenge.ts";
import type { Amount } from "./money.ts";
import type { Outcome } from "./outcome.ts";
import type { Initiation, OnFile } from "./stored-credential.ts";
import type { ThreeDSecure } from "./three-d-secure.ts";

export type ChargeType = "sale" | "auth";
export type FollowUpType = "capture" | "void" | "refund";
export type EventType = ChargeType | FollowUpType;
export const EVENT_TYPES: readonly EventType[] = ["sale", "auth", "capture", "void", "refund"];

/** Fields of a charge that are kept and come back as they were sent, under their names in the API. */
export const ECHOED_FIELDS = [
  "first_name",
  "last_name",
  "email",
  "mobile_phone",
  "street_address_1",
  "street_address_2",
  "city",
  "state",
  "country",
  "zip",
  "shipping_street_address_1",
  "shipping_street_address_2",
  "shipping_city",
  "shipping_state",
  "shipping_country",
  "shipping_zip",
  "currency",
  "document_number",
  "dynamic_descripton",
  "dynamic_descriptor",
] as const;
export type EchoedField = (typeof ECHOED_FIELDS)[number];
export type EchoedFields = { readonly [field in EchoedField]?: string };

/** What is kept of a card. Neither the full number nor the CVV is here, ever. */
export interface KeptCard {
  readonly mask: string;
  readonly firstSix: string;
  readonly brand: CardBrand;
  readonly expiryMonth: string;
  readonly expiryYear: string;
}

export interface Transaction {
  readonly merchantId: string;
  readonly id: string;
  readonly userId: string;
  readonly createdAt: Date;
  /** ISO 4217; of every amount in this transaction. */
  readonly currency: string;
  readonly merchantTransactionId: string;
  readonly card: KeptCard;
  readonly fields: EchoedFields;
  /** The merchant's JSON object, as its text. */
  readonly meta: string | null;
  readonly threeDSecure: ThreeDSecure | null;
  /** The request said `threeds_enabled: false`. */
  readonly threeDSecureOff?: true;
  readonly passengers: readonly Passenger[] | null;
  readonly onFile?: OnFile;
  /** Absent where the request said nothing of it: then the payer initiates it. */
  readonly initiation?: Initiation;
  readonly ofPlan?: OfPlan;
  /** To where the payer comes back from a challenge: the request allows one. */
  readonly returnUrl?: string;
  /** Oldest first; the first is the charge, or its first attempt. `sequence` counts from 1 without gaps. */
  readonly events: readonly [Event, ...Event[]];
}

/** The plan of which it charges a payment. */
export interface OfPlan {
  readonly planId: string;
  readonly payment: number;
}

export interface Passenger {
  readonly id: string;
  readonly passenger_name: string;
  readonly ticket_number: string;
  readonly ticket_issuing_carrier_name: string;
  readonly ticket_issuing_carrier_code: string;
  readonly ticket_issuing_city: string;
  readonly ticket_issuing_date: string;
  readonly restricted_ticket_indicator: boolean;
  readonly legs: readonly Leg[];
  /** The sum of the legs' fares. */
  readonly fares: Amount;
}

export interface Leg {
  readonly carrier_code: string;
  readonly service_class: string;
  readonly departure_airport: string;
  readonly destination_airport: string;
  readonly departure_date: string;
  readonly flight_number?: string;
  readonly fare_basis: string;
  readonly fare: Amount;
}

/** One passenger's part of an event's amount. */
export interface Share {
  readonly passengerId: string;
  readonly amount: Amount;
}

export interface Event {
  readonly id: string;
  readonly sequence: number;
  readonly type: EventType;
  readonly amount: Amount;
  /** Null on a charge (its shares are the fares) and where there are no passengers. */
  readonly shares: readonly Share[] | null;
  readonly processorId: string;
  readonly ipAddress: string | null;
  /** A void that is the first step of a reversal: if it fails, the refund follows. Or the refund that followed. */
  readonly reversal: boolean;
  /** Of the request that added it; none where the gateway did by itself. */
  readonly requestId?: string;
  /**
   * The processor did this without being asked, or contrary to what is on record: its name for what it did, of which there is one event
   * in a transaction.
   */
  readonly byProcessor?: string;
  /** Of a charge whose payer has to authenticate, or had to. */
  readonly challenge?: Challenge;
  readonly createdAt: Date;
  /** Null: the intent is durable and nobody knows the outcome yet. */
  readonly outcome: Outcome | null;
}

export interface Challenged {
  readonly event: Event;
  readonly challenge: Challenge;
}

/** The charge whose payer has to authenticate; undefined once it has an outcome. */
export function challengedIn({ events }: Transaction): Challenged | undefined {
  for (const event of events)
    if (event.outcome === null && event.challenge) return { event, challenge: event.challenge };
  return undefined;
}

/** Its newest outcome is an approval. */
export const succeeded = (event: Event): boolean => event.outcome?.kind === "approved";

/** A sale or auth, and no follow-up. */
export const isChargeType = (type: EventType): type is ChargeType => type === "sale" || type === "auth";

/** A sale or auth, and no follow-up. */
export const isCharge = <E extends { readonly type: EventType }>(
  event: E,
): event is E & { readonly type: ChargeType } => isChargeType(event.type);

/** A follow-up that the processor made by itself, and that names no passengers. */
export const isOfNoPassenger = (event: Event): boolean =>
  event.byProcessor !== undefined && event.shares === null && !isCharge(event);

/** The last event so far. */
export const newestOf = ({ events }: Transaction): Event => events.at(-1) ?? events[0];

/** Not known not to have been: while there is no outcome, it may have been. */
export const wasSent = ({ outcome }: Event): boolean => outcome?.kind !== "not-sent";

/** The charge that counts: the approved one, or else the last that was sent, or else the last. */
export function chargeOf(transaction: Transaction): Event & { readonly type: ChargeType } {
  const charges = transaction.events.filter(isCharge);
  const charge = charges.find(succeeded) ?? charges.findLast(wasSent) ?? charges.at(-1);
  if (charge === undefined) throw new Error(`transaction ${transaction.id} has no charge`);
  return charge;
}

/** The other charges, oldest first: not sent, or declined before another processor was asked (decisions A9, F4). */
export function attemptsOf(transaction: Transaction): readonly Event[] {
  const charge = chargeOf(transaction);
  return transaction.events.filter((event) => isCharge(event) && event !== charge);
}

/** `updated_at`: when an event was added, or its outcome became known, last (specification 2.1, decision A14). */
export const updatedAt = ({ events }: Transaction): Date =>
  events.reduce(
    (last, { createdAt, outcome }) => later(later(last, createdAt), outcome?.at ?? createdAt),
    events[0].createdAt,
  );

const later = (one: Date, other: Date): Date => (one < other ? other : one);

/** The transaction with this event in its place by sequence, and nothing after it. */
export function withEvent(transaction: Transaction, event: Event): Transaction {
  const [first = event, ...rest] = [...transaction.events.slice(0, event.sequence - 1), event];
  return { ...transaction, events: [first, ...rest] };
}
