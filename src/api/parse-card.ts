// Parses the body of a card that is stored or changed, or lists all wrong fields. The rules and words are those of a charge's card fields.

import type { CardToStore } from "../gateway/cards-on-file.ts";
import type { TokenToStore } from "../gateway/token-on-file.ts";
import type { VerificationRequest } from "../gateway/verify-card.ts";
import { parseCardNumber, parseCvv } from "../payment/card.ts";
import { type CardNumber, Secret } from "../payment/secret.ts";
import { CARDHOLDER_FIELDS, cardholderIn, type StoredCardChange } from "../payment/stored-card.ts";
import { noProblems, type Problems } from "../validation/problems.ts";
import type { BodyTree } from "./body/tree.ts";
import { checker } from "./check.ts";
import { type Parsed, withShortStates } from "./parse-charge.ts";
import { consentOf, wrongConsent } from "./parse-consent.ts";
import { RequestFault } from "./request-fault.ts";
import { CardBody, CardChangeBody, type CardFields, VerificationBody } from "./schema/card.ts";

const checkCard = checker(CardBody);
const checkChange = checker(CardChangeBody);
const checkVerification = checker(VerificationBody);

export type CardRequest = (CardToStore | TokenToStore) & {
  /** For card testing only. */
  readonly ipAddress: string | null;
};

/** @param cardNumbersForbidden of the merchant: only tokens are stored */
export function parseCard(body: BodyTree, cardNumbersForbidden = false): Parsed<CardRequest> {
  const { value, problems, ignored } = checkCard(withShortStates(body));
  const all = { ...cardOrToken(value, cardNumbersForbidden), ...wrongConsent(value.consent, problems), ...problems };
  if (!noProblems(all)) throw new RequestFault(422, all);
  const common = {
    cardholder: cardholderIn(value),
    consent: consentOf(value.consent),
    ipAddress: value.ip_address ?? null,
  };
  const { card_number = "", card_expiry_month = "", card_expiry_year = "", processor_token: token } = value;
  const { network_transaction_id } = value;
  if (token === undefined)
    return {
      request: {
        number: numberOf(card_number),
        expiryMonth: card_expiry_month,
        expiryYear: card_expiry_year,
        ...(network_transaction_id !== undefined && { networkTransactionId: network_transaction_id }),
        cvv: value.card_cvv === undefined ? undefined : parseCvv(value.card_cvv),
        ...common,
      },
      ignored,
    };
  const { processor_id = "", processor_customer: customer } = value;
  const kept = { token: new Secret("processor token", token), customer };
  return { request: { processorId: processor_id.toLowerCase(), ...kept, ...common }, ignored };
}

export function parseVerification(body: BodyTree): Parsed<VerificationRequest> {
  const { value, problems, ignored } = checkVerification(body);
  if (!noProblems(problems)) throw new RequestFault(422, problems);
  const { processor_id: processorId, card_cvv: cvv, ip_address: ipAddress = null } = value;
  const request = {
    processorId: processorId?.toLowerCase(),
    cvv: cvv === undefined ? undefined : parseCvv(cvv),
    ipAddress,
  };
  return { request, ignored };
}

const OF_CARD = ["card_number", "card_expiry_month", "card_expiry_year"] as const;
const OF_TOKEN = ["processor_id", "processor_customer"] as const;

/** A card, or a processor's token for one: one of the two. */
function cardOrToken(fields: CardFields, cardNumbersForbidden: boolean): Problems {
  const missing = (names: readonly (keyof CardFields)[]) =>
    Object.fromEntries(names.filter((name) => fields[name] === undefined).map((name) => [name, ["is required"]]));
  if (fields.processor_token === undefined && cardNumbersForbidden)
    return { ...missing(["processor_id"]), processor_token: [ONLY_TOKENS] };
  if (fields.processor_token === undefined) {
    const alone = OF_TOKEN.filter((name) => fields[name] !== undefined);
    return {
      ...missing(OF_CARD),
      ...Object.fromEntries(alone.map((name) => [name, ["is for a processor_token only"]])),
    };
  }
  const twice = [...OF_CARD, "card_cvv" as const].filter((name) => fields[name] !== undefined);
  const both = twice.length === 0 ? [] : ["processor_token", ...twice];
  return {
    ...missing(["processor_id"]),
    ...(fields.network_transaction_id !== undefined && { network_transaction_id: [PROCESSOR_KNOWS] }),
    ...Object.fromEntries(both.map((name) => [name, [EITHER]])),
  };
}

const PROCESSOR_KNOWS = "must be left out with processor_token: the processor itself knows it";

const ONLY_TOKENS = "is required: card numbers are forbidden for this merchant";
const EITHER = "must not be sent together: either processor_token, or card_number with its expiry";

function numberOf(text: string): CardNumber {
  const number = parseCardNumber(text);
  if (number === undefined) throw new Error("broken invariant: a card number that its schema let through");
  return number;
}

/** What is said of a card once and for all, or never stored: whoever sends it means something that would not happen. */
const UNCHANGEABLE: Problems = {
  card_number: ["cannot be changed: store the other card, and delete this one"],
  card_cvv: ["is never stored"],
};

export function parseCardChange(body: BodyTree): Parsed<StoredCardChange> {
  const wrong = Object.entries(UNCHANGEABLE).filter(([field]) => (body[field] ?? "") !== "");
  const rest = Object.fromEntries(Object.entries(body).filter(([field]) => !Object.hasOwn(UNCHANGEABLE, field)));
  const { value, problems, ignored } = checkChange(withShortStates(rest));
  const { base: nothing, ...others } = problems;
  const all = {
    ...wrongConsent(value.consent ?? undefined, problems),
    ...(wrong.length === 0 && nothing && { base: nothing }),
    ...others,
    ...Object.fromEntries(wrong),
  };
  if (!noProblems(all)) throw new RequestFault(422, all);
  const { card_expiry_month: month, card_expiry_year: year } = value;
  const cardholder = Object.fromEntries(
    CARDHOLDER_FIELDS.filter((field) => value[field] !== undefined).map((field) => [field, value[field]]),
  );
  const expiry = {
    ...(month !== undefined && { expiryMonth: month }),
    ...(year !== undefined && { expiryYear: year }),
  };
  const consent = value.consent === undefined ? {} : { consent: consentOf(value.consent ?? undefined) };
  return { request: { ...expiry, cardholder, ...consent }, ignored };
}
