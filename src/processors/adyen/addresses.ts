// Billing and delivery addresses as Adyen wants them: whole, with the house number apart. What the charge did not bring is `N/A`.

import type { EchoedFields } from "../../payment/transaction.ts";
import { cut } from "../transliterate.ts";
import type { AddressJson } from "./types.ts";

const MISSING = "N/A";
/** API reference: "if you don't know the country". */
const NO_COUNTRY = "ZZ";

/** Null where nothing of it is there that could be verified. */
export function billingAddress(fields: EchoedFields): AddressJson | null {
  const { street_address_1, street_address_2, city, state, country, zip } = fields;
  if (street_address_1 === undefined && zip === undefined) return null;
  return addressOf({ line1: street_address_1, line2: street_address_2, city, state, country, zip });
}

/** Null where there is none. */
export function deliveryAddress(fields: EchoedFields): AddressJson | null {
  const { shipping_street_address_1: line1, shipping_street_address_2: line2, shipping_zip: zip } = fields;
  if (line1 === undefined && zip === undefined) return null;
  const { shipping_city: city, shipping_state: state, shipping_country: country } = fields;
  return addressOf({ line1, line2, city, state, country, zip });
}

type Given = { readonly [part in "line1" | "line2" | "city" | "state" | "country" | "zip"]: string | undefined };

function addressOf({ line1, line2, city, state, country, zip }: Given): AddressJson {
  const land = /^[A-Za-z]{2}$/.test(country ?? "") ? (country ?? "").toUpperCase() : NO_COUNTRY;
  const { house, street } = streetOf(line1);
  return {
    houseNumberOrName: house,
    street: [street, line2].filter((line) => line).join(", "),
    city: city || MISSING,
    postalCode: postalCodeOf(zip, land),
    country: land,
    // Of the United States and Canada only, as two letters.
    ...(/^[A-Za-z]{2}$/.test(state ?? "") && { stateOrProvince: (state ?? "").toUpperCase() }),
  };
}

/** `1 Main St` and `Hauptstr. 5b`; a line without a number, or with one inside, is the street. */
function streetOf(line: string | undefined): { readonly house: string; readonly street: string } {
  const text = line?.trim() ?? "";
  const [, first, after] = /^(\d+[A-Za-z]?(?:[-/]\d+)?),?\s+(\D.*)$/.exec(text) ?? [];
  if (first && after) return { house: first, street: after };
  const [, before, last] = /^(\D+?),?\s+(\d+\s?[A-Za-z]?(?:[-/]\d+)?)$/.exec(text) ?? [];
  if (before && last) return { house: last, street: before };
  return { house: MISSING, street: text || MISSING };
}

/** Five digits in the United States, ten characters elsewhere. */
const postalCodeOf = (zip: string | undefined, country: string): string =>
  (country === "US" ? /^\d{5}/.exec(zip ?? "")?.[0] : cut(zip ?? "", 10)) || MISSING;
