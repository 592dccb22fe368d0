// The card of a charge as its processor gets it: the number that was sent, or that of a card on file, which is opened here. A card on file also
// brings names and address where the request has none.

import type { KeyClaim } from "../journal/journal.ts";
import type { SealedStoredCard } from "../journal/stored-cards.ts";
import { cardBrand } from "../payment/card-brand.ts";
import type { PresentedCard } from "../payment/instrument.ts";
import { fieldsHolding, type Texts } from "../payment/own-number.ts";
import { type Refused, refuse, refuseAll } from "../payment/refusal.ts";
import type { CardNumber, Cvv } from "../payment/secret.ts";
import { withCardholder } from "../payment/stored-card.ts";
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
}

export interface Presented<Request> {
  readonly kind: "presented";
  readonly card: PresentedCard;
  /** With what the card brings. */
  readonly request: Request;
}

/** @throws CardNotOpened */
export async function presentedCard<Request extends WithCard>(
  parts: Pick<Parts, "storedCards" | "vault">,
  merchantId: string,
  request: Request,
  claim: KeyClaim | null,
): Promise<Presented<Request> | Refused> {
  const { card } = request;
  if (!("cardId" in card)) {
    return { kind: "presented", card: { kind: "card", ...card, brand: cardBrand(card.number) }, request };
  }
  const stored = await parts.storedCards.find(merchantId, card.cardId);
  if (stored === undefined) return refuse("stored-card-unknown", "card_id");
  const number = await opened(parts, stored);
  // Its own number is known only now: what was sent elsewhere was looked through for others.
  const holding = fieldsHolding(number, request, claim?.key).map(
    (field) => ({ name: "own-card-number", field }) as const,
  );
  const refused = refuseAll(holding);
  if (refused !== undefined) return refused;
  const { brand, expiryMonth, expiryYear } = stored.card;
  return {
    kind: "presented",
    card: { kind: "card", number, cvv: card.cvv, brand, expiryMonth, expiryYear },
    request: { ...request, fields: withCardholder(request.fields, stored.cardholder) },
  };
}

async function opened(
  { vault }: Pick<Parts, "vault">,
  { merchantId, id, sealed }: SealedStoredCard,
): Promise<CardNumber> {
  if (vault === undefined) throw new CardNotOpened("there is no master key");
  try {
    return await vault.open(sealed, { merchantId, cardId: id });
  } catch (fault) {
    throw new CardNotOpened(`card ${id} on file could not be opened`, { cause: fault });
  }
}
