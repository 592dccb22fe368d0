// What speaks for or against a number being a card's, besides the number: the name of its field, the word before it, and
// what it is a part of. Looks at some dozen characters around it, however long the text.

const CARD_WORDS = new Set([
  ...[
    "card",
    "cards",
    "cardnumber",
    "cardno",
    "creditcard",
    "creditcardnumber",
    "cc",
    "ccn",
    "ccnum",
    "ccnumber",
    "pan",
  ],
  ...["visa", "mastercard", "amex", "maestro", "kreditkarte", "karte", "kartennummer", "tarjeta", "carte"],
]);
const NUMBERED = new Set([
  ...["id", "ids", "uid", "uuid", "guid", "key", "no", "nr", "num", "number", "numbers", "ref", "reference", "code"],
]);
const IDENTIFIERS = new Set([
  ...["orderid", "ordernumber", "orderno", "customerid", "customernumber", "userid", "usernumber", "serial", "sku"],
  ...[
    "imei",
    "imsi",
    "iccid",
    "meid",
    "iban",
    "ean",
    "gtin",
    "upc",
    "sscc",
    "isbn",
    "barcode",
    "uuid",
    "guid",
    "snowflake",
  ],
  ...["tracking", "trackingnumber", "awb", "waybill", "parcel", "shipment", "ticket", "eticket", "invoice"],
  ...[
    "phone",
    "mobile",
    "tel",
    "telephone",
    "fax",
    "msisdn",
    "timestamp",
    "ts",
    "lat",
    "lng",
    "lon",
    "latitude",
    "longitude",
  ],
]);

/** `cardNumber`, `card_number` → card, number */
const wordsOf = (name: string): readonly string[] =>
  name
    .slice(0, 64)
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== "");

export type Said = "card" | "identifier" | undefined;

/** What a field's name says that its value is. `order_id` is an identifier; `order` and `reference` may be anything. */
export function saidByName(name: string): Said {
  const words = wordsOf(name);
  if (words.some((word) => CARD_WORDS.has(word))) return "card";
  const numbered = words.length > 1 && NUMBERED.has(words.at(-1) ?? "");
  return numbered || words.some((word) => IDENTIFIERS.has(word)) ? "identifier" : undefined;
}

const CVV =
  /^(?:(?:credit)?card|cc)?(?:cvv2?|cvc2?|cvn2?|cav2?|cid|csc|(?:security|verification|validation)(?:code|value|number|digits)?|securitycode)$/;
const CVV_PARTS = /(?:code|value|number|num|no|nr)$/;

/** What a CVV is called where it is put into fields of the merchant's own (PCI DSS 3.3.1.2: it is never kept). */
export function namesCvv(name: string): boolean {
  if (name.length > 64) return false;
  const joined = name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  return CVV.test(joined) ? joined !== "security" && joined !== "validation" : CVV.test(joined.replace(CVV_PARTS, ""));
}

const CARD_BEFORE =
  /(?<!\p{L})(?:card|visa|mastercard|amex|american express|diners|maestro|uatp|pan|kreditkarte|karte|carte|tarjeta|cc)[ _-]?(?:number|num|no|nr|nummer)?[\s.:#=-]*$/iu;
const OTHER_BEFORE = new RegExp(
  "(?<!\\p{L})(?:(?:tracking|track|fedex|ups|usps|dhl|gls|dpd|awb|waybill|parcel|shipment|sendung|paket|colis|imei|iccid|" +
    "iban|ean|gtin|upc|sscc|isbn|barcode|e-?ticket|ticket|phone|tel|mobile|fax)(?:[ _-]?(?:number|num|no|nr|id|code))?" +
    "|(?:order|invoice|booking|reservation|customer|user|article|item|product|bestell|auftrags?|rechnungs?|kunden|commande|" +
    "pedido)[ _-]?(?:number|num|no|nr|id|nummer))\\p{L}{0,7}[\\s.:#=№-]*$",
  "iu",
);

/** What the words say that stand right before a number in a text. */
export function saidBefore(text: string, from: number): Said {
  const before = text.slice(Math.max(0, from - 40), from);
  if (CARD_BEFORE.test(before)) return "card";
  return OTHER_BEFORE.test(before) ? "identifier" : undefined;
}

/** `0.4111…`: the decimals of a number. Behind a comma only after a nought: lists have commas too. */
export function isDecimals(text: string, from: number, to: number): boolean {
  const before = text.slice(Math.max(0, from - 6), from);
  return /(?:(?<![0-9.])[0-9]{1,4}\.|(?<![0-9])0,)$/.test(before) && !/^\.[0-9]/.test(text.slice(to, to + 2));
}

/** `1Z999AA10123456784`: a parcel of UPS. */
export const isOfParcel = (text: string, from: number): boolean =>
  /(?<![0-9a-z])1Z$/i.test(text.slice(Math.max(0, from - 3), from));

/** Ids and hashes, in which such a row of digits comes about by chance. */
export function isInHexadecimal(text: string, from: number, to: number): boolean {
  const before = /[0-9a-f]*$/i.exec(text.slice(Math.max(0, from - 64), from))?.[0] ?? "";
  const after = /^[0-9a-f]*/i.exec(text.slice(to, to + 64))?.[0] ?? "";
  const letters = (before + after).replaceAll(/[0-9]/g, "").length;
  return before.length + (to - from) + after.length >= 32 && letters >= 4;
}

/** ISO 13616, the registry of SWIFT: how long a country's IBANs are. */
const IBAN_LENGTHS: ReadonlyMap<string, number> = new Map(
  (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 " +
    "FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 " +
    "LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 " +
    "RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
  )
    .split(" ")
    .map((row) => [row.slice(0, 2), Number(row.slice(2))]),
);

/** Whether these digits lie in an IBAN with right check digits, in one piece or printed in groups. */
export function isInIban(text: string, from: number, to: number): boolean {
  const start = Math.max(0, from - 48);
  const around = text.slice(start, to + 48).toUpperCase();
  for (const { 0: found, index, 1: country = "" } of around.matchAll(IBAN_START)) {
    const first = index + found.length - 4;
    if (start + first > from) return false;
    const end = endOfIban(around, first, IBAN_LENGTHS.get(country) ?? 0);
    if (end !== undefined && start + end > from) return true;
  }
  return false;
}

const IBAN_START = /(?<![A-Z0-9])([A-Z]{2})[0-9]{2}/g;

function endOfIban(text: string, first: number, length: number): number | undefined {
  let letters = "";
  for (let at = first; at < text.length && letters.length < length; at++) {
    const char = text[at] ?? "";
    if (/[A-Z0-9]/.test(char)) letters += char;
    else if (!/[\s.-]/.test(char)) return undefined;
    if (letters.length === length) return hasIbanDigits(letters) ? at + 1 : undefined;
  }
  return undefined;
}

/** ISO 7064, MOD 97-10: the first four characters behind the others, letters as two digits. */
function hasIbanDigits(iban: string): boolean {
  let rest = 0;
  for (const char of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(char, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}
