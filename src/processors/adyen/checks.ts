// What Adyen says of the billing address (AVS) and the CVC: a number of its own, the same for all brands, and where the account has
// it enabled the letter that came from the network.
//
// Sources: docs.adyen.com, "AVS responses" (point-of-sale/mail-and-telephone-order-moto/avs-responses-pos: 0 to 26) and the CVC
// results of risk-management (0 to 6).

import type { CardBrand } from "../../payment/card-brand.ts";
import { type AvsWord, avsWord, type CvvWord, cvvWord } from "../../payment/verification.ts";

const AVS: Readonly<Record<number, AvsWord>> = {
  1: "address_match", // and the postal code does not
  2: "no_match",
  3: "unavailable",
  4: "not_supported", // for this card type
  5: "unavailable", // no address was sent
  6: "postal_match", // and the address does not
  7: "match",
  8: "unavailable",
  9: "address_match", // postal code unknown
  10: "no_match", // postal code unknown
  11: "unavailable",
  12: "address_match", // postal code not checked
  13: "no_match", // postal code not checked
  14: "postal_match", // address unknown
  15: "postal_match", // address not checked
  16: "no_match", // address unknown
  17: "no_match", // address not checked
  18: "unavailable",
  // With the name, of which no word here speaks:
  19: "postal_match",
  20: "match",
  21: "address_match",
  22: "no_match", // the name alone
  23: "postal_match",
  24: "match",
  25: "address_match",
  26: "no_match",
};

const CVC: Readonly<Record<number, CvvWord>> = {
  1: "match",
  2: "no_match",
  3: "not_processed",
  4: "not_present", // and it was required
  5: "unsupported", // the issuer is not certified
  6: "not_present",
};

type Data = Readonly<Record<string, string | undefined>>;

/** The word by Adyen's number, else by the brand's letter; beside it what came, the letter first. */
export function checksOf(data: Data, brand: CardBrand) {
  const { avsResult, avsResultRaw, cvcResult, cvcResultRaw } = data;
  const rawAvs = shown(avsResultRaw) ?? shown(avsResult);
  const rawCvv = shown(cvcResultRaw) ?? shown(cvcResult);
  return {
    avs: AVS[numberOf(avsResult)] ?? (rawAvs === null ? null : avsWord(brand, rawAvs)),
    rawAvs,
    cvv: CVC[numberOf(cvcResult)] ?? (rawCvv === null ? null : cvvWord(brand, rawCvv)),
    rawCvv,
  };
}

/** `7 Both match` */
const numberOf = (result: string | undefined): number =>
  Number(/^\s*(\d{1,2})(?!\d)/.exec(result ?? "")?.[1] ?? Number.NaN);

const shown = (text: string | undefined): string | null => text?.trim().slice(0, 255) || null;
