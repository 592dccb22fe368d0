// Sale and auth: choose a processor, write the intent, ask, write the outcome.

import type { KeyClaim, NewCard, OpeningIntent, SealedCard } from "../journal/journal.ts";
import type { Consent } from "../payment/consent.ts";
import type { NamedAmount } from "../payment/currency.ts";
import type { Instrument } from "../payment/instrument.ts";
import type { Amount } from "../payment/money.ts";
import type { ProcessorRecord } from "../payment/processor-record.ts";
import { type Refused, refuse } from "../payment/refusal.ts";
import { chooseProcessor, type Routable } from "../payment/routing.ts";
import type { CardNumber } from "../payment/secret.ts";
import type { Initiation } from "../payment/stored-credential.ts";
import type { ThreeDSecure } from "../payment/three-d-secure.ts";
import type { ChargeType, EchoedFields, Event, OfPlan, Passenger, Transaction } from "../payment/transaction.ts";
import { intentDurable, placeOf } from "./append.ts";
import { sealedCard } from "./card-numbers.ts";
import { type Admitted, UNWATCHED } from "./card-testing.ts";
import { sealedNumber } from "./cards-on-file.ts";
import type { Checkout } from "./carry-out.ts";
import { replay } from "./idempotency.ts";
import type { Parts } from "./parts.ts";
import { type CardOfRequest, type Presented, presentedCard } from "./presented-card.ts";
import type { Render, Result } from "./result.ts";
import { tryInTurn } from "./try-in-turn.ts";

export interface Caller {
  readonly merchantId: string;
  readonly userId: string;
  readonly requestId?: string;
  /** Of the merchant: a card whose number is stored here is not charged. */
  readonly cardNumbersForbidden?: boolean;
  /** Undefined: it looks like card testing. Without it nobody watches. */
  readonly admit?: (charge: Charged, currency: string) => Promise<Admitted | undefined>;
}

/** What is watched of a charge. */
export interface Charged extends Pick<ChargeRequest, "amount" | "ipAddress"> {
  /** Its number, or its id where the number is not here. */
  readonly card: CardNumber | { readonly cardId: string };
}

export interface ChargeRequest {
  readonly type: ChargeType;
  readonly amount: Amount;
  readonly processorId: string | undefined;
  readonly card: CardOfRequest;
  /** The card that was sent is stored if the charge is approved. */
  readonly storesCard?: true;
  /** Stored with the card. */
  readonly consent?: Consent | null;
  /** Absent: the payer initiates it. */
  readonly initiation?: Initiation;
  readonly merchantTransactionId: string;
  readonly ipAddress: string | null;
  readonly fields: EchoedFields;
  readonly meta: string | null;
  readonly threeDSecure: ThreeDSecure | null;
  readonly threeDSecureOff?: true;
  readonly passengers: readonly Omit<Passenger, "id">[] | null;
  /** It is a payment of a plan. */
  readonly ofPlan?: OfPlan;
  /** Of the transaction, where it was chosen before; with a claim, since there is one transaction with it. */
  readonly id?: string;
  /** The processor may send the payer to a challenge. */
  readonly challenge?: AllowedChallenge;
}

export interface AllowedChallenge {
  /** The merchant's address, to which the payer comes back in the end. */
  readonly returnUrl: string;
  /** The gateway's own, as payers' browsers reach it: without a slash at its end. */
  readonly publicUrl: string;
  readonly expiresInMs: number;
}

/** A sale or auth from its request to its response. */
export async function charge(
  parts: Parts,
  caller: Caller,
  asked: ChargeRequest,
  claim: KeyClaim | null,
  render: Render,
): Promise<Result> {
  const presented = await presentedCard(parts, caller, asked, claim);
  // The same request may have been answered before its card was deleted.
  if (presented.kind === "refused") return (await replay(parts, caller.merchantId, claim, render)) ?? presented;
  const { instrument, request } = presented;
  const number = instrument.kind === "card" ? instrument.number : undefined;
  const id = request.id ?? parts.newId({ merchantId: caller.merchantId, claim });
  const records = await parts.processors.of(caller.merchantId);
  const routing = await parts.processors.routingOf(caller.merchantId);
  const draw = { chance: parts.chancesOf(id), routing, admits: parts.failing.admits };
  const route = chooseProcessor(routable(request, instrument), records, draw);
  // The same request may have been answered before its processor was switched off.
  if (route.kind === "refused") return (await replay(parts, caller.merchantId, claim, render)) ?? route;

  // In the same turn as the choice, so that of many at once only one is let through.
  const { record } = route.candidates[0];
  const notSent = parts.failing.drawn(record.id);
  const { amount, ipAddress } = request;
  const charged: Charged = { amount, ipAddress, card: watchedCard(asked.card, number) };
  const admitted = caller.admit ? await caller.admit(charged, record.currency).catch(throwAfter(notSent)) : UNWATCHED;
  if (admitted === undefined) {
    notSent();
    return (await replay(parts, caller.merchantId, claim, render)) ?? refuse("card-testing-suspected");
  }
  const { attemptsAtMost = 1 } = routing;
  let opened: Transaction | "key-taken" | Refused | undefined;
  let tried: Transaction | undefined;
  try {
    const transaction = newTransaction(parts, id, caller, request, presented, route.candidates[0].record);
    // What cannot go on is not counted.
    const cardKey = number && attemptsAtMost > 1 ? parts.cardKeyOf(caller.merchantId, number) : undefined;
    const sealed = number ? await sealedCard(parts, transaction, number, route.candidates) : null;
    const newCard = request.storesCard && number && (await newCardOf(parts, transaction, number, request.consent));
    const byConsent = request.initiation?.initiator === "merchant" && presented.hasConsent;
    const brought = { ...(cardKey && { cardKey }), ...(newCard && { newCard }), ...(byConsent && { byConsent }) };
    opened = await open(parts, transaction, brought, claim, sealed);
    if (opened === "key-taken") return (await replay(parts, caller.merchantId, claim, render)) ?? refuse("key-in-use");
    if ("refusals" in opened) return opened;
    const checkout = request.challenge && checkoutOf(parts, opened, request.challenge);
    const trying = { instrument, claim, render, attemptsAtMost, checkout };
    const carriedOut = await tryInTurn(parts, opened, route.candidates, trying);
    tried = carriedOut.end.transaction;
    return { kind: "responded", response: carriedOut.response, replayed: false };
  } finally {
    if (opened === undefined || opened === "key-taken" || "refusals" in opened) notSent();
    // Each decline, also one after which another processor approved.
    for (const { outcome } of tried?.events ?? [{ outcome: undefined }]) admitted.ended(outcome);
  }
}

/** The address names the transaction, and is signed: nobody guesses it, and nothing of the card is in it. */
function checkoutOf(
  { checkoutTokens }: Parts,
  { merchantId, id, createdAt }: Transaction,
  { publicUrl, expiresInMs }: AllowedChallenge,
): Checkout {
  const checkoutUrl = `${publicUrl}/checkout/${checkoutTokens.of(merchantId, id)}`;
  return {
    checkoutUrl,
    comesBackTo: `${checkoutUrl}/return`,
    expiresAt: new Date(createdAt.getTime() + expiresInMs),
  };
}

const throwAfter = (undo: () => void) => (fault: unknown) => {
  undo();
  throw fault;
};

const routable = (request: ChargeRequest, instrument: Instrument): Routable => ({
  processorId: request.processorId,
  currency: request.fields.currency,
  brand: instrument.brand,
  hasCvv: instrument.cvv !== undefined,
  firstName: request.fields.first_name,
  lastName: request.fields.last_name,
  documentNumber: request.fields.document_number,
  amounts: amountsOf(request),
  number: instrument.kind === "card" ? instrument.number : undefined,
  country: request.fields.country,
  threeDSecure: request.threeDSecure,
  passengers: request.passengers?.length ?? 0,
  meta: request.meta,
  ...(request.initiation && { initiation: request.initiation }),
});

/** The amount and all fares, under the names of their fields. */
const amountsOf = ({ amount, passengers }: ChargeRequest): NamedAmount[] => [
  { field: "amount", amount },
  ...(passengers ?? []).flatMap(({ legs }, passenger) =>
    legs.map(({ fare }, leg) => ({ field: `passenger_transport.${passenger}.legs.${leg}.fare`, amount: fare })),
  ),
];

function newTransaction(
  { clock, newId }: Parts,
  id: string,
  { merchantId, userId, requestId }: Caller,
  request: ChargeRequest,
  { kept: card, networkTransactionId }: Pick<Presented<ChargeRequest>, "kept" | "networkTransactionId">,
  record: ProcessorRecord,
): Transaction {
  const createdAt = clock.now();
  const { type, amount, ipAddress } = request;
  const rest = { shares: null, reversal: false, ...(requestId !== undefined && { requestId }), outcome: null };
  const event: Event = {
    id: newId(),
    sequence: 1,
    type,
    amount,
    processorId: record.id,
    ipAddress,
    createdAt,
    ...rest,
  };
  return {
    merchantId,
    id,
    userId,
    createdAt,
    currency: record.currency,
    merchantTransactionId: request.merchantTransactionId,
    card,
    fields: request.fields,
    meta: request.meta,
    threeDSecure: request.threeDSecure,
    ...(request.threeDSecureOff && { threeDSecureOff: true }),
    passengers: request.passengers?.map((passenger) => ({ id: newId(), ...passenger })) ?? null,
    ...onFileOf(request, newId, networkTransactionId),
    ...(request.initiation && { initiation: request.initiation }),
    ...(request.ofPlan && { ofPlan: request.ofPlan }),
    ...(request.challenge && { returnUrl: request.challenge.returnUrl }),
    events: [event],
  };
}

function watchedCard(card: CardOfRequest, number: CardNumber | undefined): Charged["card"] {
  if (number !== undefined) return number;
  if (!("cardId" in card)) throw new Error("broken invariant: a card without its number or id");
  return { cardId: card.cardId };
}

function onFileOf(
  { card, storesCard }: ChargeRequest,
  newId: Parts["newId"],
  networkTransactionId: string | undefined,
): Pick<Transaction, "onFile"> {
  if ("cardId" in card)
    return { onFile: { cardId: card.cardId, ...(networkTransactionId !== undefined && { networkTransactionId }) } };
  return storesCard ? { onFile: { cardId: newId(), stores: true } } : {};
}

/** @throws CardNotSealed */
async function newCardOf(
  parts: Parts,
  { merchantId, onFile }: Transaction,
  number: CardNumber,
  consent: Consent | null = null,
): Promise<NewCard> {
  const sealed = await sealedNumber(parts, { merchantId, id: onFile?.cardId ?? "" }, number);
  return { fingerprint: parts.fingerprintOf(merchantId, number), sealed, ...(consent && { consent }) };
}

async function open(
  parts: Parts,
  transaction: Transaction,
  brought: Pick<OpeningIntent, "cardKey" | "newCard" | "byConsent">,
  claim: KeyClaim | null,
  sealed: SealedCard | null,
): Promise<Transaction | "key-taken" | Refused> {
  const intent: OpeningIntent = { ...transaction, ...brought };
  const [event] = transaction.events;
  const opened = await intentDurable(parts, intent, event, () => parts.journal.open(intent, claim, sealed));
  if (opened === "key-taken" || "refusal" in opened) {
    parts.inFlight.remove(placeOf(intent, event));
    return opened === "key-taken" ? opened : { kind: "refused", refusals: [opened.refusal] };
  }
  const { createdAt } = opened;
  return { ...transaction, createdAt, events: [{ ...event, createdAt }] };
}
