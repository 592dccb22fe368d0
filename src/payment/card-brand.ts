// Which brand a card number belongs to, by the published number ranges (ISO/IEC 7812 issuer identification numbers).
// Not a table of issuers: whether the range was given to a bank, and whether the card is real, the network knows.
//
// Sources, read against each other: Braintree's credit-card-type (src/lib/card-types.ts) and Active Merchant's
// credit_card_methods.rb, which transcribes Elo's BIN table (dev.elo.com.br, "tabela de BINs"), the Mastercard Rules,
// and Discover Global Network's "IPP VAR Enabler Compliance" for Discover, Diners Club, JCB and UnionPay.

import type { CardNumber } from "./secret.ts";

export const CARD_BRANDS = [
  "visa",
  "mastercard",
  "amex",
  "discover",
  "diners",
  "jcb",
  "unionpay",
  "maestro",
  "elo",
  "hipercard",
  "unknown",
] as const;

export type CardBrand = (typeof CARD_BRANDS)[number];

/** Prefixes and ranges of prefixes, both ends included. A longer prefix wins over a shorter one, whatever the order. */
export const BRAND_RANGES: readonly (readonly [CardBrand, string])[] = [
  ["visa", "4"],
  ["mastercard", "51-55 222100-272099"],
  ["amex", "34 37"],
  // 622126-622925, often listed here, are UnionPay cards that Discover's network accepts in North America by an
  // agreement of the two: they bear UnionPay's mark, so they are UnionPay's.
  ["discover", "6011 644-649 65"],
  // 54 and 55, once Diners Club of the United States and Canada, are Mastercard's and run on its network.
  ["diners", "300-305 3095 36 38 39"],
  ["jcb", "3528-3589 3088-3094 3096-3102 3112-3120 3158-3159 3337-3349 1800 2131"],
  ["unionpay", "62 8100-8171"],
  // 50, 56-59 and 67 are Mastercard's for Maestro; of 63 only what the Mastercard Rules list as a whole block, since
  // other schemes live there too. 493698 is an old Switch card of the United Kingdom in the middle of Visa.
  ["maestro", "50 56-59 67 6304 6390 493698"],
  // Inside Maestro's 50, and of no brand that this gateway names: Dankort, Verve (two blocks), RuPay (Wikipedia,
  // "Payment card number", table of issuing networks).
  ["unknown", "5019 506099-506198 507865-507964 508"],
  // Elo took blocks inside Visa, Maestro, UnionPay and Discover.
  ["elo", "401178-401179 431274 438935 451416 457393 457631-457632"],
  ["elo", "504175 506699-506778 509000-509999 627780 636297-636298 636368"],
  ["elo", "650031-650033 650035-650051 650057-650081 650405-650439 650485-650538 650541-650598 650700-650718"],
  ["elo", "650720-650727 650901-650978 651652-651704 655000-655019 655021-655058"],
  // Hipercard took blocks inside Diners Club; with it Hiper, the same issuer's card on the same network.
  ["hipercard", "606282 384100 384140 384160 637095 637568 637599 637609 637612 63737423 63743358"],
];

/** Maestro cards have 12 to 19 digits. The blocks are wide, so a shorter number in them is some other scheme's. */
const MAESTRO_DIGITS_AT_LEAST = 12;

type Range = { readonly brand: CardBrand; readonly from: string; readonly to: string };

const ranges: readonly Range[] = BRAND_RANGES.flatMap(([brand, text]) =>
  text.split(" ").map((range) => {
    const [from = range, to = from] = range.split("-");
    return { brand, from, to };
  }),
);

/** Both ends of a range begin with the same digit. Under each, those of longer prefixes first: most numbers are compared with a few. */
const byFirstDigit = Map.groupBy(
  ranges.toSorted((one, other) => other.from.length - one.from.length),
  ({ from }) => from.slice(0, 1),
);

/** By number range alone, except for Maestro: a Visa number of a wrong length is still Visa's to decline. */
export function cardBrand(number: CardNumber): CardBrand {
  const digits = number.reveal();
  const brand = rangeOf(digits)?.brand ?? "unknown";
  return brand === "maestro" && digits.length < MAESTRO_DIGITS_AT_LEAST ? "unknown" : brand;
}

const rangeOf = (digits: string): Range | undefined =>
  byFirstDigit.get(digits.slice(0, 1))?.find(({ from, to }) => {
    const prefix = digits.slice(0, from.length);
    return from <= prefix && prefix <= to;
  });
