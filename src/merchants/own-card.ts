// What an operator enters about a charge: its references may look like a card number by chance, but not hold the number of its own card.

import { holdsMasked } from "../payment/kept-response.ts";
import type { Problems } from "../validation/problems.ts";

/** @param texts fields, of which only texts are looked at */
export function problemsOfOwnCard(texts: object, cardMask: string | undefined): Problems {
  const found = Object.entries(texts).filter(
    ([, text]) => typeof text === "string" && cardMask !== undefined && holdsMasked(text, cardMask),
  );
  return Object.fromEntries(found.map(([field]) => [field, ["must not hold the number of the charge's card"]]));
}
