// What a charge is made with. A processor says which instruments it takes; what is kept of one is a KeptCard.

import type { CardBrand } from "./card-brand.ts";
import type { CardNumber, Cvv, Secret } from "./secret.ts";
import type { KeptCard } from "./transaction.ts";

export type Instrument = PresentedCard | ProcessorToken;

/** A card number as it came with the request, which lives in memory only and only until the answer is there. */
export interface PresentedCard {
  readonly kind: "card";
  readonly number: CardNumber;
  readonly cvv: Cvv | undefined;
  readonly brand: CardBrand;
  readonly expiryMonth: string;
  readonly expiryYear: string;
}

/** What a processor gave for a card that it keeps. It means nothing to another processor. */
export interface ProcessorToken extends KeptToken {
  readonly kind: "processor-token";
  readonly cvv: Cvv | undefined;
  readonly brand: CardBrand;
}

export interface KeptToken {
  readonly token: Secret<"processor token">;
  /** Whose card it is there, by the processor's name for the payer; undefined where it needs none. */
  readonly customer: string | undefined;
}

/** As the processor describes a card that it keeps; its first digits are rarely among it. */
export interface DescribedCard {
  readonly brand: CardBrand;
  readonly lastFour: string;
  /** `01` to `12` */
  readonly expiryMonth: string;
  /** Four digits. */
  readonly expiryYear: string;
  /** Six digits. */
  readonly firstSix?: string;
}

/** What is shown of it. Of the number's length only the brand is known. */
export function keptFrom({ brand, lastFour, firstSix = "", expiryMonth, expiryYear }: DescribedCard): KeptCard {
  const hidden = LENGTHS[brand] ?? USUAL_LENGTH;
  const mask = firstSix + "*".repeat(hidden - firstSix.length - lastFour.length) + lastFour;
  return { mask, firstSix, brand, expiryMonth, expiryYear };
}

const USUAL_LENGTH = 16;
const LENGTHS: Partial<Record<CardBrand, number>> = { amex: 15, diners: 14 };
