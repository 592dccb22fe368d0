// A card is verified: its issuer is asked about it without money, by the processor that would charge it. No money moves and nothing is held,
// so this is no transaction, nothing of it is in doubt, and a question without an answer is simply asked again.

import type { KeyClaim, StoredResponse } from "../journal/journal.ts";
import { claimKeyOfRecord, insertResponseOfRecord } from "../journal/record-keys.ts";
import { audited } from "../merchants/audit.ts";
import type { DeclineCategory } from "../payment/decline.ts";
import type { Instrument } from "../payment/instrument.ts";
import { keptResponse } from "../payment/kept-response.ts";
import { ZERO } from "../payment/money.ts";
import type { ProcessorResponse } from "../payment/outcome.ts";
import { type Refused, refuse } from "../payment/refusal.ts";
import { chooseProcessor, type Routable, type Route } from "../payment/routing.ts";
import type { Cvv } from "../payment/secret.ts";
import type { Cardholder, StoredCard } from "../payment/stored-card.ts";
import { holdsCardNumber } from "../payment/stray-card-number.ts";
import type { Verified } from "../processors/processor.ts";
import { ask } from "./ask.ts";
import type { Ended } from "./card-groups.ts";
import { type Admitted, UNWATCHED } from "./card-testing.ts";
import { type CardCaller, type CardsOnFile, replayed } from "./cards-on-file.ts";
import type { Charged } from "./charge.ts";
import type { Parts } from "./parts.ts";
import { instrumentOf } from "./presented-card.ts";
import type { ProcessorAtWork } from "./processors-at-work.ts";
import type { Result } from "./result.ts";

/** What the issuer said, by this processor. */
export interface Verification {
  readonly kind: "verification";
  readonly processorId: string;
  /** Whether the card is good. */
  readonly success: boolean;
  readonly processorResponse: ProcessorResponse;
  readonly category?: DeclineCategory;
}

/** How the card testing watch sees a verification: as a small charge. */
export type AdmitVerification = (charged: Charged, currency: string) => Promise<Admitted | undefined>;

export interface VerificationRequest {
  readonly processorId: string | undefined;
  readonly cvv: Cvv | undefined;
  readonly ipAddress: string | null;
}

interface Verifying extends CardsOnFile {
  readonly parts: CardsOnFile["parts"] & Pick<Parts, AsksIssuers | "storedCards">;
}

type AsksIssuers = "processors" | "chancesOf" | "failing" | "newId" | "log" | "halted";

/**
 * Of a card on file.
 * @throws CardNotOpened
 */
export async function verifyCard(
  cards: Verifying,
  { merchantId, author, requestId, cardNumbersForbidden = false }: CardCaller,
  cardId: string,
  { processorId, cvv, ipAddress }: VerificationRequest,
  claim: KeyClaim | null,
  render: (verification: Verification) => StoredResponse,
  admit?: AdmitVerification,
): Promise<Result> {
  const { parts } = cards;
  const before = await replayed(cards, merchantId, claim, noCard);
  if (before !== undefined) return before;
  const stored = await parts.storedCards.find(merchantId, cardId);
  if (stored === undefined) return refuse("card-unknown");
  if (stored.keptBy === null && cardNumbersForbidden) return refuse("card-numbers-forbidden");
  const keeper = stored.keptBy?.processorId;
  if (keeper !== undefined && (processorId ?? keeper) !== keeper)
    return refuse("card-of-another-processor", "processor_id");
  const instrument = await instrumentOf(parts, stored, cvv);
  if (
    instrument.kind === "card" &&
    holdsCardNumber(claim?.key ?? "", { own: instrument.number, purpose: "identifier" })
  )
    return refuse("own-card-number");
  const { cardholder, card } = stored;
  const issuer = { merchantId, instrument, cardholder, mask: card.mask, cardId, ipAddress, requestId };
  const verification = await askIssuer(parts, { ...issuer, processorId: keeper ?? processorId }, admit);
  if (verification.kind === "refused") return verification;
  const response = render(verification);
  const keyed = claim === null ? undefined : { claim, response };
  const written = await noteVerification(cards, { merchantId, author }, cardId, verification, keyed);
  if (written === "noted") return { kind: "responded", response, replayed: false };
  return (await replayed(cards, merchantId, claim, noCard)) ?? refuse("key-in-use");
}

/** The key of a verification is written with its response, which goes with the card. */
const noCard = (): never => {
  throw new Error("broken invariant: a verification's key without its response");
};

/**
 * Of a card that is about to be stored.
 * @returns the verification if the card is good
 */
export async function verifyNewCard(
  cards: Verifying,
  caller: CardCaller,
  { id: cardId, merchantId, card, cardholder, keptBy }: StoredCard,
  instrument: Instrument,
  ipAddress: string | null,
  admit?: AdmitVerification,
): Promise<Verification | Refused> {
  const { requestId } = caller;
  const issuer = { merchantId, instrument, cardholder, mask: card.mask, cardId, ipAddress, requestId };
  const verification = await askIssuer(cards.parts, { ...issuer, processorId: keptBy?.processorId }, admit);
  if (verification.kind === "refused") return verification;
  await noteVerification(cards, caller, cardId, verification);
  if (verification.success) return verification;
  const { code, message } = verification.processorResponse;
  const field = keptBy === null ? "card_number" : "processor_token";
  return { kind: "refused", refusals: [{ name: "card-declined", field, limit: `${code} ${message}` }] };
}

/** Its entry in the audit log, with the key of its request and the response. */
function noteVerification(
  { office, parts }: CardsOnFile,
  { merchantId, author }: Pick<CardCaller, "merchantId" | "author">,
  cardId: string,
  verification: Verification,
  keyed?: { readonly claim: KeyClaim; readonly response: StoredResponse },
): Promise<"noted" | "key-taken"> {
  const place = { merchantId, id: cardId, createdAt: parts.clock.now() };
  return audited<"noted" | "key-taken">(office, author, async (sql) => {
    if (keyed !== undefined) {
      if (!(await claimKeyOfRecord(sql, place, keyed.claim))) return { result: "key-taken" };
      await insertResponseOfRecord(sql, place, { key: keyed.claim.key, ...keyed.response });
    }
    const after = shownInAudit(verification);
    return { result: "noted", entry: { action: "card.verify", merchantId, subject: ["card", cardId], after } };
  });
}

const shownInAudit = ({ processorId, success, processorResponse }: Verification) => ({
  ...{ processor_id: processorId, success, processor_code: processorResponse.code },
  ...{ avs_response: processorResponse.avs, cvv_response: processorResponse.cvv },
});

interface CardToVerify {
  readonly merchantId: string;
  readonly instrument: Instrument;
  readonly cardholder: Cardholder;
  readonly mask: string;
  /** Its id on file, or the one that it would get. */
  readonly cardId: string;
  readonly ipAddress: string | null;
  readonly requestId: string | undefined;
  /** Undefined: one is drawn. */
  readonly processorId: string | undefined;
}

const endedOf = ({ success, processorResponse, category }: Verification): Ended => ({
  ...{ kind: success ? "approved" : "declined", processorResponse },
  ...(category !== undefined && { category }),
});

/** Writes nothing. Refused also where there is no answer: then nothing is known, and it can be asked again. */
async function askIssuer(
  parts: Pick<Parts, AsksIssuers>,
  card: CardToVerify,
  admit?: AdmitVerification,
): Promise<Verification | Refused> {
  if (parts.halted()) return refuse("verification-not-answered");
  const route = await routeOf(parts, card);
  if (route.kind === "refused") return route;
  const [{ record }] = route.candidates;
  const { instrument, cardId, ipAddress } = card;
  const watched = instrument.kind === "card" ? instrument.number : { cardId };
  const admitted = admit ? await admit({ amount: ZERO, ipAddress, card: watched }, record.currency) : UNWATCHED;
  if (admitted === undefined) return refuse("card-testing-suspected");
  let verification: Verification | undefined;
  try {
    verification = await asked(parts, card, route.candidates);
    return verification ?? refuse("verification-not-answered");
  } finally {
    admitted.ended(verification && endedOf(verification));
  }
}

async function routeOf(
  { processors, chancesOf, failing, newId }: Pick<Parts, AsksIssuers>,
  { merchantId, instrument, cardholder, processorId }: CardToVerify,
): Promise<Route<ProcessorAtWork> | Refused> {
  const all = await processors.of(merchantId);
  const able = all.filter(({ processor }) => processor.verify !== undefined);
  const named = all.find(({ record }) => record.id === processorId);
  if (named !== undefined && !able.includes(named)) return refuse("processor-cannot-verify", "processor_id");
  if (able.length === 0 && all.length > 0) return refuse("processor-cannot-verify", "processor_id");
  const routing = await processors.routingOf(merchantId);
  const draw = { chance: chancesOf(newId()), routing, admits: failing.admits };
  const routable: Routable = {
    ...{ processorId, currency: undefined, brand: instrument.brand, hasCvv: instrument.cvv !== undefined },
    ...{ firstName: cardholder.first_name, lastName: cardholder.last_name, documentNumber: undefined },
    ...{ amounts: [{ field: "amount", amount: ZERO }], country: cardholder.country, threeDSecure: null },
    ...{ number: instrument.kind === "card" ? instrument.number : undefined, passengers: 0, meta: null },
  };
  const chosen = chooseProcessor(routable, able, draw);
  const isAmbiguous = chosen.kind === "refused" && chosen.refusals[0].name === "currency-ambiguous";
  if (!isAmbiguous) return chosen;
  // Nothing is charged, so any currency will do: that of the first.
  const first = able.find((one) => one.record.enabled && one.record.inRotation && one.takes(instrument.brand));
  return chooseProcessor({ ...routable, currency: first?.record.currency }, able, draw);
}

/** The next is asked only where nothing was sent to the one before. Undefined: nobody answered. */
async function asked(
  { newId, log }: Pick<Parts, AsksIssuers>,
  { merchantId, instrument, cardholder, mask, ipAddress, requestId }: CardToVerify,
  candidates: readonly ProcessorAtWork[],
): Promise<Verification | undefined> {
  for (const { record, processor, timeoutMs } of candidates) {
    const question = {
      ...{ reference: newId(), currency: record.currency, instrument, ipAddress, fields: cardholder },
      ...(requestId !== undefined && { requestId }),
    };
    const verify = processor.verify?.bind(processor);
    if (verify === undefined) continue;
    const answer = await ask(timeoutMs, (signal) => verify(question, signal), mask);
    if (answer.kind === "verified") return verificationBy(record.id, answer, mask);
    log.warn({ merchant: merchantId, processor: record.id, why: answer.why }, "a card could not be verified");
    if (answer.kind !== "not-sent") return undefined;
  }
  return undefined;
}

const verificationBy = (processorId: string, { kind: _, ...answer }: Verified, mask: string): Verification => ({
  ...answer,
  ...{ kind: "verification", processorId },
  processorResponse: keptResponse(answer.processorResponse, mask),
});
