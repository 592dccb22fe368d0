// What a small amount is in each currency. Card testers charge little: 10.00 US dollars, 2,000 yen, 5 dinars. A merchant's setting is in US
// dollars, and other currencies follow by the magnitude of their rate. It converts no money, so a rate that has moved by a half does no harm.

import { type Amount, amountOf } from "./money.ts";

/**
 * So many units are about a US dollar, as 1, 2 or 5 times a power of ten; what is not here is about one (euro, pound, franc, Canadian
 * dollar). Rounded from market rates of mid-2024; look at it again when a currency is redenominated.
 */
const UNITS_PER_DOLLAR: Readonly<Record<string, string>> = {
  "0.2": "KWD",
  "0.5": "BHD JOD OMR",
  "2": "ANG AUD AWG AZN BAM BBD BGN BZD FJD GEL NZD TND TOP WST XCD XCG",
  "5": "AED BOB BRL BYN DKK ILS LYD MYR PEN PGK PLN QAR RON SAR TMT TTD",
  "10": "BWP CNY GTQ HKD MAD MOP NOK SBD SCR SEK SVC TJS ZWG",
  "20": "CUP CZK ERN GHS HNL LSL MDL MVR MXN NAD SLE SRD STN SZL ZAR ZMW",
  "50": "AFN DOP EGP ETB GMD MKD MRU MUR MZN NIO PHP THB TRY TWD UAH UYU VES",
  "100": "ALL BDT BTN CVE DZD HTG INR ISK KES KGS NPR RSD RUB VUV XPF",
  "200": "DJF GYD JMD JPY LKR LRD PKR YER",
  "500": "AMD CRC HUF KMF KZT SDG SOS XAF XOF",
  "1000": "AOA ARS CLP IQD KPW KRW RWF",
  "2000": "BIF CDF MMK MWK NGN SSP TZS",
  "5000": "COP KHR MGA MNT UGX",
  "10000": "GNF PYG SYP UZS",
  "20000": "IDR LAK SLL VND",
  "50000": "IRR ZWL",
  "100000": "LBP",
};

/** In tenths, so that they are whole. */
const TENTHS: ReadonlyMap<string, bigint> = new Map(
  Object.entries(UNITS_PER_DOLLAR).flatMap(([units, currencies]) =>
    currencies.split(" ").map((currency) => [currency, BigInt(Number(units) * 10)] as const),
  ),
);

/** @param inDollars a merchant's setting */
export const smallAmountIn = (inDollars: Amount, currency: string): Amount =>
  amountOf((inDollars * (TENTHS.get(currency) ?? 10n)) / 10n);
