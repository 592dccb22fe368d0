// The card of a charge as its processor gets it: the number that was sent, or that of a card on file, which is opened here. A card on file also
// brings names and address where the request has none.

import type { KeyClaim } from "../journal/journal.ts";
import type { SealedStoredCard } from "../journal/stored-cards.ts";
import { firstSix, maskCard } from "../payment/card.ts";
import { cardBrand } from "../payment/card-brand.ts";
import type { Instrument } from "../payment/instrument.ts";
import { fieldsHolding, type Texts } from "../payment/own-number.ts";
import { type Refused, refuse, refuseAll } from "../payment/refusal.ts";
import type { CardNumber, Cvv } from "../payment/secret.ts";
import { withCardholder } from "../payment/stored-card.ts";
import type { KeptCard } from "../payment/transaction.ts";
import type { Vault } from "../vault/vault.ts";
import type { Parts } from "./parts.ts";

/** What a request says of its card. */
export type CardOfRequest = SentCard | CardOnFile;

export interface SentCard {
  readonly number: CardNumber;
  readonly cvv: Cvv | undefined;
  readonly expiryMonth: string;
  readonly expiryYear: string;
}

export interface CardOnFile {
  readonly cardId: string;
  readonly cvv: Cvv | undefined;
}

/** The number of a card on file could not be opened, so nothing was written and nothing sent. */
export class CardNotOpened extends Error {}

/** What of a charge's request the card bears on. */
interface WithCard extends Texts {
  readonly card: CardOfRequest;
  readonly processorId: string | undefined;
}

export interface Presented<Request> {
  readonly kind: "presented";
  readonly instrument: Instrument;
  /** What the transaction has of it. */
  readonly kept: KeptCard;
  /** The scheme's, of the first charge of a card on file. Of one that its processor keeps, the processor knows it. */
  readonly networkTransactionId?: string;
  /** What the payer agreed to is to be looked at. */
  readonly hasConsent: boolean;
  /** With what the card brings. */
  readonly request: Request;
}

/** Whose card it is. */
interface Presenter {
  readonly merchantId: string;
  /** Of the merchant: only cards that their processor keeps are charged. */
  readonly cardNumbersForbidden?: boolean;
}

/** @throws CardNotOpened */
export async function presentedCard<Request extends WithCard>(
  parts: Pick<Parts, "storedCards" | "vault">,
  { merchantId, cardNumbersForbidden = false }: Presenter,
  request: Request,
  claim: KeyClaim | null,
): Promise<Presented<Request> | Refused> {
  const { card } = request;
  if (!("cardId" in card)) {
    const { number, expiryMonth, expiryYear } = card;
    const brand = cardBrand(number);
    const kept = { mask: maskCard(number), firstSix: firstSix(number), brand, expiryMonth, expiryYear };
    return { kind: "presented", instrument: { kind: "card", ...card, brand }, kept, hasConsent: false, request };
  }
  const stored = await parts.storedCards.find(merchantId, card.cardId);
  if (stored === undefined) return refuse("stored-card-unknown", "card_id");
  // It was stored while numbers were being forbidden.
  if (stored.keptBy === null && cardNumbersForbidden) return refuse("card-numbers-forbidden", "card_id");
  const withHolder = { ...request, fields: withCardholder(request.fields, stored.cardholder) };
  const processorId = stored.keptBy?.processorId;
  if (processorId !== undefined && (request.processorId ?? processorId) !== processorId)
    return refuse("card-of-another-processor", "processor_id");
  const instrument = await instrumentOf(parts, stored, card.cvv);
  const hasConsent = stored.consent !== null;
  if (instrument.kind === "processor-token")
    return { kind: "presented", instrument, kept: stored.card, hasConsent, request: { ...withHolder, processorId } };
  // Its own number is known only now: what was sent elsewhere was looked through for others.
  const holding = fieldsHolding(instrument.number, request, claim?.key).map(
    (field) => ({ name: "own-card-number", field }) as const,
  );
  const refused = refuseAll(holding);
  if (refused !== undefined) return refused;
  return {
    ...{ kind: "presented", instrument, kept: stored.card, hasConsent, request: withHolder },
    ...(stored.networkTransactionId !== null && { networkTransactionId: stored.networkTransactionId }),
  };
}

/**
 * What a card on file is charged with.
 * @throws CardNotOpened
 */
export async function instrumentOf(
  parts: Pick<Parts, "vault">,
  stored: SealedStoredCard,
  cvv: Cvv | undefined,
): Promise<Instrument> {
  const { merchantId, id: cardId, keptBy, sealed } = stored;
  const { brand, expiryMonth, expiryYear } = stored.card;
  if (keptBy !== null) {
    const token = await opened(parts, stored, (vault) => vault.openToken(sealed, { merchantId, cardId }));
    return { kind: "processor-token", token, customer: keptBy.customer ?? undefined, cvv, brand };
  }
  const number = await opened(parts, stored, (vault) => vault.open(sealed, { merchantId, cardId }));
  return { kind: "card", number, cvv, brand, expiryMonth, expiryYear };
}

async function opened<T>(
  { vault }: Pick<Parts, "vault">,
  { id }: SealedStoredCard,
  open: (vault: Vault) => Promise<T>,
): Promise<T> {
  if (vault === undefined) throw new CardNotOpened("there is no master key");
  try {
    return await open(vault);
  } catch (fault) {
    throw new CardNotOpened(`card ${id} on file could not be opened`, { cause: fault });
  }
}
