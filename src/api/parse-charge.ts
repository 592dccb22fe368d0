// Parses a charge's body into a valid request, or lists all wrong fields.

import type { AllowedChallenge, ChargeRequest } from "../gateway/charge.ts";
import type { CardOfRequest } from "../gateway/presented-card.ts";
import { parseCardNumber, parseCvv } from "../payment/card.ts";
import { type ReturnRules, wrongWithReturnUrl } from "../payment/challenge.ts";
import { type Amount, parseAmount, sum } from "../payment/money.ts";
import { type Initiation, type Initiator, mayInitiate, type Reason } from "../payment/stored-credential.ts";
import { isDirectoryServerId, type ThreeDSecure } from "../payment/three-d-secure.ts";
import { type ChargeType, ECHOED_FIELDS, type EchoedFields, type Leg, type Passenger } from "../payment/transaction.ts";
import { noProblems, type Problems } from "../validation/problems.ts";
import type { BodyTree, BodyValue } from "./body/tree.ts";
import { booleanOr, checker } from "./check.ts";
import { consentOf, wrongConsent } from "./parse-consent.ts";
import { RequestFault } from "./request-fault.ts";
import { AuthBody, ChargeBody, type ChargeFields, type PassengerFields, SaleBody } from "./schema/charge.ts";
import { exactAmount, fareSum, WrongCharge } from "./wrong-charge.ts";

export interface Parsed<T> {
  readonly request: T;
  readonly ignored: readonly string[];
}

const checkSale = checker(SaleBody);
const checkAuth = checker(AuthBody);
const checkCharge = checker(ChargeBody);

/** A merchant's settings that bear on what a charge may be. */
export interface ChargeRules {
  /** Identifiers may hold no number that looks like a card's. */
  readonly strictIdentifiers: boolean;
  /** A sale must name the customer's address. */
  readonly requireIpAddress: boolean;
  /** Only cards on file are charged. */
  readonly cardNumbersForbidden: boolean;
  /** Where payers may be sent to challenges, and back from them. */
  readonly challenges?: Challenges;
}

export interface Challenges extends ReturnRules, Pick<AllowedChallenge, "expiresInMs"> {
  /** Undefined: the gateway does not know its own address. */
  readonly publicUrl: string | undefined;
}
const NO_CHALLENGES: Challenges = { hosts: [], loopback: false, publicUrl: undefined, expiresInMs: 0 };
const DEFAULT_RULES: ChargeRules = { strictIdentifiers: false, requireIpAddress: true, cardNumbersForbidden: false };

export const parseSale = (body: BodyTree, rules = DEFAULT_RULES): Parsed<ChargeRequest> =>
  // Without its address a sale is checked as an auth, of which none is required (decision R8). Nobody is there if the merchant initiates it.
  parseCharge("sale", rules.requireIpAddress && body.initiator !== "merchant" ? checkSale : checkAuth, body, rules);
export const parseAuth = (body: BodyTree, rules = DEFAULT_RULES): Parsed<ChargeRequest> =>
  parseCharge("auth", checkAuth, body, rules);

/** An operation, also as others call it: `preauth`, `authorization`. */
const OPERATION = /sale|auth|capture|void|refund|revers/i;

/** What names no operation (clients echo the `card` of our answers) is ignored like any unknown field. */
function saysOtherwise(type: ChargeType, { transaction_type: said }: BodyTree): Problems {
  const [operation = type] = (typeof said === "string" && OPERATION.exec(said)) || [];
  if (operation.toLowerCase() === type) return {};
  return { transaction_type: [`must be ${type} at this path, or left out`] };
}

/** The path without an operation: a sale unless the body says auth (decision R11). */
export function parseEither(body: BodyTree, rules = DEFAULT_RULES): Parsed<ChargeRequest> {
  const { transaction_type: type, ...rest } = body;
  const isType = type === undefined || type === null || type === "" || type === "sale" || type === "auth";
  if (!isType) checkTypeAmongOthers(body);
  return type === "auth" ? parseAuth(rest, rules) : parseSale(rest, rules);
}

function checkTypeAmongOthers(body: BodyTree): never {
  throw new RequestFault(422, checkCharge(body).problems);
}

function parseCharge(
  type: ChargeType,
  check: typeof checkCharge,
  body: BodyTree,
  { strictIdentifiers, cardNumbersForbidden, challenges = NO_CHALLENGES }: ChargeRules,
): Parsed<ChargeRequest> {
  const { tree, unused } = withoutUnusedThreeDSecure(withShortStates(withoutEmptyList(body)));
  const { value, problems, ignored } = check(tree, strictIdentifiers);
  const all = {
    ...fareSum(value),
    ...wrongInitiation(value),
    ...wrongConsent(value.consent, problems),
    ...consentWithoutCard(value),
    ...cardOrItsId(value, cardNumbersForbidden),
    ...wrongReturn(value, challenges),
    ...problems,
    ...exactAmount(problems, value),
    ...missingThreeDSecure(value),
    ...idOfOtherVersion(value, problems),
    ...saysOtherwise(type, body),
  };
  if (!noProblems(all)) throw new WrongCharge(all, value);
  // The path has said it already: nothing is lost.
  const lost = body.transaction_type === type ? ignored.filter((name) => name !== "transaction_type") : ignored;
  return { request: chargeRequest(type, value, challenges), ignored: [...lost, ...unused] };
}

/** PHP writes no passengers as a list without any. */
export function withoutEmptyList(body: BodyTree): BodyTree {
  const passengers = body.passenger_transport;
  if (!Array.isArray(passengers) || passengers.length > 0) return body;
  const { passenger_transport: _none, ...others } = body;
  return others;
}

const WITH_COUNTRY = /^([A-Z]{2})-([A-Z0-9]{1,3})$/i;
const PLACES = [
  ["state", "country"],
  ["shipping_state", "shipping_country"],
] as const;

/**
 * Some shops send a state with its country before it, as in ISO 3166-2: `TH-37` is the state 37 of TH. Only where the country of the same
 * address is the one that the state names: anything else would be a guess.
 */
export function withShortStates(body: BodyTree): BodyTree {
  const short: Record<string, string> = {};
  for (const [state, country] of PLACES) {
    const [, named, rest] = WITH_COUNTRY.exec(textOf(body[state])) ?? [];
    if (named !== undefined && rest !== undefined && named.toUpperCase() === textOf(body[country]).toUpperCase())
      short[state] = rest;
  }
  return Object.keys(short).length === 0 ? body : { ...body, ...short };
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const OF_CARD = ["card_number", "card_expiry_month", "card_expiry_year"] as const;

/** A card, or the id of one on file: one of the two. */
function cardOrItsId(fields: ChargeFields, cardNumbersForbidden: boolean): Problems {
  const sent = OF_CARD.filter((field) => fields[field] !== undefined);
  if (fields.card_id === undefined && cardNumbersForbidden) return { card_id: [ONLY_BY_ID] };
  if (fields.card_id === undefined)
    return Object.fromEntries(
      OF_CARD.filter((field) => !sent.includes(field)).map((field) => [field, ["is required"]]),
    );
  const twice = sent.length === 0 ? [] : ["card_id", ...sent];
  return {
    ...Object.fromEntries(twice.map((field) => [field, [EITHER]])),
    ...(fields.store_card === true && { store_card: ["must be left out with card_id: that card is on file"] }),
  };
}

const ONLY_BY_ID = "is required: card numbers are forbidden for this merchant";
const EITHER = "must not be sent together: either card_id, or card_number with its expiry";

/** Each of these may also be wrong by itself: then that is told. */
function wrongInitiation({
  initiator,
  reason,
  card_id: cardId,
  network_transaction_id: networkId,
}: ChargeFields): Problems {
  if (initiator === "merchant")
    return cardId === undefined && networkId === undefined ? { card_id: [NEEDS_STORED_CARD] } : {};
  return reason === undefined || mayInitiate("payer", reason as Reason) ? {} : { reason: [OF_MERCHANT_ONLY] };
}

/** It is stored with the card that the charge stores. */
const consentWithoutCard = ({ consent, store_card: stores }: ChargeFields): Problems =>
  consent === undefined || stores === true ? {} : { consent: ["is for a charge with store_card only"] };

const NEEDS_STORED_CARD =
  "is required with initiator merchant, unless network_transaction_id names the first charge of the card";
const OF_MERCHANT_ONLY = "is for a charge with initiator merchant only";

const THREE_D_SECURE = ["threeds_xid", "threeds_eci", "threeds_cavv", "threeds_status"] as const;
const THREE_D_SECURE_ALL = [...THREE_D_SECURE, "threeds_version"];

/** Without `threeds_enabled` the other fields are ignored, whatever is in them (decisions 5). */
function withoutUnusedThreeDSecure(body: BodyTree): { readonly tree: BodyTree; readonly unused: readonly string[] } {
  const unused = THREE_D_SECURE_ALL.filter((field) => body[field] !== undefined);
  if (unused.length === 0 || !isOff(body.threeds_enabled)) return { tree: body, unused: [] };
  const kept = Object.entries(body).filter(([field]) => !unused.includes(field));
  return { tree: Object.fromEntries(kept), unused };
}

const isOff = (flag: BodyValue = null): boolean => flag === null || flag === "" || booleanOr(flag) === false;

function missingThreeDSecure(fields: ChargeFields): Problems {
  if (fields.threeds_enabled !== true) return {};
  const missing = THREE_D_SECURE.filter((field) => fields[field] === undefined);
  return Object.fromEntries(missing.map((field) => [field, ["is required with threeds_enabled"]]));
}

/** A UUID is an id of version 2, and without a version it is 1 (specification 4.4). */
function idOfOtherVersion(fields: ChargeFields, problems: Problems): Problems {
  const { threeds_enabled: enabled, threeds_xid: xid, threeds_version: version } = fields;
  if (enabled !== true || typeof xid !== "string" || !isDirectoryServerId(xid)) return {};
  if (problems.threeds_version !== undefined || version?.startsWith("2")) return {};
  return { threeds_xid: ["is a UUID, which is an id of version 2: send threeds_version 2 too"] };
}

function wrongReturn({ return_url: url, initiator }: Partial<ChargeFields>, challenges: Challenges): Problems {
  if (typeof url !== "string") return {};
  if (initiator === "merchant") return { return_url: ["must be left out with initiator merchant: no payer is there"] };
  const wrong = wrongWithReturnUrl(url, challenges);
  if (wrong !== undefined) return { return_url: [wrong] };
  return challenges.publicUrl === undefined
    ? { return_url: ["needs the gateway's own address, for payers: an operator sets PUBLIC_URL"] }
    : {};
}

function challengeOf(
  returnUrl: string | undefined,
  { publicUrl, expiresInMs }: Challenges,
): Pick<ChargeRequest, "challenge"> {
  return returnUrl === undefined || publicUrl === undefined ? {} : { challenge: { returnUrl, publicUrl, expiresInMs } };
}

function chargeRequest(type: ChargeType, fields: ChargeFields, challenges: Challenges): ChargeRequest {
  const amount = amountOf(fields.amount);
  const passengers = fields.passenger_transport?.map(passengerOf) ?? null;
  return {
    type,
    amount,
    processorId: fields.processor_id?.toLowerCase(),
    card: cardOf(fields),
    ...(fields.store_card === true && { storesCard: true }),
    ...initiationIn(fields),
    ...(fields.consent !== undefined && { consent: consentOf(fields.consent) }),
    merchantTransactionId: fields.merchant_transaction_id,
    ipAddress: fields.ip_address ?? null,
    fields: echoedFields(fields),
    meta: fields.meta === undefined ? null : JSON.stringify(fields.meta),
    threeDSecure: threeDSecureOf(fields),
    ...(fields.threeds_enabled === false && { threeDSecureOff: true }),
    passengers,
    ...challengeOf(fields.return_url, challenges),
  };
}

function cardOf(fields: ChargeFields): CardOfRequest {
  const { card_id: cardId, card_number = "", card_cvv, card_expiry_month = "", card_expiry_year = "" } = fields;
  const cvv = card_cvv === undefined ? undefined : parseCvv(card_cvv);
  if (cardId !== undefined) return { cardId: cardId.toLowerCase(), cvv };
  const number = parseCardNumber(card_number);
  if (number === undefined) throw new Error("broken invariant: a card number that its schema let through");
  return { number, cvv, expiryMonth: card_expiry_month, expiryYear: card_expiry_year };
}

/** Of fields that their schema has let through. */
function initiationIn({ initiator, reason, network_transaction_id: networkTransactionId }: ChargeFields) {
  if (initiator === undefined && reason === undefined && networkTransactionId === undefined) return {};
  const initiation: Initiation = {
    ...(initiator !== undefined && { initiator: initiator as Initiator }),
    ...(reason !== undefined && { reason: reason as Reason }),
    ...(networkTransactionId !== undefined && { networkTransactionId }),
  };
  return { initiation };
}

function echoedFields(fields: ChargeFields): EchoedFields {
  const echoed: { -readonly [Field in keyof EchoedFields]: EchoedFields[Field] } = {};
  for (const field of ECHOED_FIELDS) if (fields[field] !== undefined) echoed[field] = fields[field];
  return echoed;
}

function threeDSecureOf(fields: ChargeFields): ThreeDSecure | null {
  const { threeds_xid: xid, threeds_eci: eci, threeds_cavv: cavv, threeds_status: status } = fields;
  if (fields.threeds_enabled !== true || xid === undefined || eci === undefined || cavv === undefined) return null;
  return { xid, eci, cavv, status: status as ThreeDSecure["status"], ...versionIn(fields.threeds_version) };
}

function versionIn(text: string | undefined): Pick<ThreeDSecure, "version" | "protocol"> {
  if (text === undefined) return {};
  return { version: text.startsWith("2") ? 2 : 1, ...(text.length > 1 && { protocol: text }) };
}

/** Of fields that their schema has let through. */
export function passengerOf(fields: PassengerFields): Omit<Passenger, "id"> {
  const legs = fields.legs.map((leg): Leg => ({ ...leg, fare: amountOf(leg.fare) }));
  return {
    ...fields,
    restricted_ticket_indicator: fields.restricted_ticket_indicator ?? false,
    legs,
    fares: sum(legs.map(({ fare }) => fare)),
  };
}

/** Of a text that its schema has let through. */
export function amountOf(text: string): Amount {
  const parsed = parseAmount(text);
  if (!parsed.ok) throw new Error("broken invariant: an amount that its schema let through");
  return parsed.amount;
}
