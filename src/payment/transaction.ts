// What a transaction is: one charge (sale or auth), the fields that came with it, and the events that followed.
// Types and their smallest questions only; what the events add up to is in balances.ts.

import type { CardBrand } from "./card-brand.ts";
import type { DeclineCategory } from "./decline.ts";
import type { Amount } from "./money.ts";
import type { ThreeDSecure, ThreeDSecureOutcome } from "./three-d-secure.ts";
import type { AvsWord, CvvWord } from "./verification.ts";

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
  readonly passengers: readonly Passenger[] | null;
  /** Oldest first; the first is the charge, or its first attempt. `sequence` counts from 1 without gaps. */
  readonly events: readonly [Event, ...Event[]];
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
  readonly createdAt: Date;
  /** Null: the intent is durable and nobody knows the outcome yet. */
  readonly outcome: Outcome | null;
}

/** How an event ended. */
export type Outcome = FirstOutcome | FailedAfterAll;

/** Written once, on evidence, never changed; that an approved event failed after all is written beside it. */
export type FirstOutcome = Approved | Declined | AlreadySettled | ActionRequired | Unanswered | NotSent;
export const FIRST_OUTCOME_KINDS: readonly FirstOutcome["kind"][] = [
  "approved",
  "declined",
  "already-settled",
  "action-required",
  "unanswered",
  "not-sent",
];

export interface Approved {
  readonly kind: "approved";
  readonly at: Date;
  readonly processorResponse: ProcessorResponse;
  /** When this money settles; null for an auth and a void, which move none. */
  readonly settlement: SettlementTimes | null;
}

/** The processor approved it and told later that it failed. To all rules it has failed. */
export interface FailedAfterAll extends LateFailure {
  readonly kind: "failed-after-all";
  /** What was known before. */
  readonly approval: Approved;
}

export interface LateFailure {
  /** When the gateway knew. */
  readonly at: Date;
  readonly processorResponse: ProcessorResponse;
  readonly category: DeclineCategory;
}

export interface Declined {
  readonly kind: "declined";
  readonly at: Date;
  readonly processorResponse: ProcessorResponse;
  /** Absent on what was declined before categories were kept. */
  readonly category?: DeclineCategory;
}

/** A void that came too late: a refund is to be tried (specification 7). */
export interface AlreadySettled {
  readonly kind: "already-settled";
  readonly at: Date;
  readonly processorResponse: ProcessorResponse;
}

/** A charge that would need the payer in a browser: it failed, and is reversed until the processor confirms that. */
export interface ActionRequired {
  readonly kind: "action-required";
  readonly at: Date;
  readonly processorResponse: ProcessorResponse;
}

/** A charge that was sent and never answered: it is reversed until the processor confirms that. */
export interface Unanswered {
  readonly kind: "unanswered";
  readonly at: Date;
  readonly processorResponse: ProcessorResponse;
}

/** Nothing was sent: the processor refused the connection, or the gateway stopped before it asked. */
export interface NotSent {
  readonly kind: "not-sent";
  readonly at: Date;
  readonly processorResponse: ProcessorResponse;
}

/** The instants in force when the money was captured; a later change of the schedule does not move them. */
export interface SettlementTimes {
  readonly cutoffAt: Date;
  readonly settledAt: Date;
  readonly visibleAt: Date;
}

/** What the processor said, in its words and in ours. */
export interface ProcessorResponse {
  readonly code: string;
  readonly message: string;
  readonly transactionId: string | null;
  readonly authCode: string | null;
  readonly avs: AvsWord | null;
  readonly rawAvs: string | null;
  readonly cvv: CvvWord | null;
  readonly rawCvv: string | null;
  readonly threeDSecure: ThreeDSecureOutcome | null;
  readonly rawThreeDSecure: string | null;
  readonly detail: string | null;
}

/** What was known of an outcome at an instant at which there was one. */
export const outcomeAt = (outcome: Outcome, at: Date): Outcome =>
  outcome.kind === "failed-after-all" && at < outcome.at ? outcome.approval : outcome;

/** Its newest outcome is an approval. */
export const succeeded = (event: Event): boolean => event.outcome?.kind === "approved";

/** A sale or auth, and no follow-up. */
export const isChargeType = (type: EventType): type is ChargeType => type === "sale" || type === "auth";

/** A sale or auth, and no follow-up. */
export const isCharge = <E extends { readonly type: EventType }>(
  event: E,
): event is E & { readonly type: ChargeType } => isChargeType(event.type);

/** The last event so far. */
export const newestOf = ({ events }: Transaction): Event => events.at(-1) ?? events[0];

/** When the money of an approved event settles; null where it moved none. */
export const settlementOf = (outcome: Outcome | null | undefined): SettlementTimes | null =>
  outcome?.kind === "approved" ? outcome.settlement : null;

/** The charge that counts: the approved one, or else the last that was tried. */
export function chargeOf(transaction: Transaction): Event {
  const charges = transaction.events.filter(isCharge);
  return charges.find(succeeded) ?? charges.at(-1) ?? transaction.events[0];
}

/** Charges that were not sent and that another processor was asked for instead, oldest first (decision F4). */
export function attemptsOf(transaction: Transaction): readonly Event[] {
  const charge = chargeOf(transaction);
  return transaction.events.filter((event) => isCharge(event) && event !== charge);
}

/** `updated_at`: the transaction changes whenever an event is added (specification 2.1). */
export const updatedAt = (transaction: Transaction): Date => newestOf(transaction).createdAt;

/** The transaction with this event in its place by sequence, and nothing after it. */
export function withEvent(transaction: Transaction, event: Event): Transaction {
  const [first = event, ...rest] = [...transaction.events.slice(0, event.sequence - 1), event];
  return { ...transaction, events: [first, ...rest] };
}
