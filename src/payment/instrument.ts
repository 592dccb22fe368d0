// What a charge is made with. A processor says which instruments it takes; what is kept of one is a KeptCard.

import type { CardBrand } from "./card-brand.ts";
import type { CardNumber, Cvv, Secret } from "./secret.ts";

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
export interface ProcessorToken {
  readonly kind: "processor-token";
  readonly token: Secret<"processor token">;
  readonly cvv: Cvv | undefined;
  readonly brand: CardBrand;
}
