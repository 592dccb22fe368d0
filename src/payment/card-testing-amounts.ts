// What a small amount is in each currency. Card testers charge little: 10.00 US dollars, 2,000 yen, 5 dinars. A merchant's setting is in US
// dollars, and other currencies follow by the magnitude of their rate. It converts no money, so a rate that has moved by a half does no harm.

import { type Amount, amountOf } from "./money.ts";

/**
 * So many units are about a US dollar: the rate, rounded to the nearest of 1, 2, 5 and 10 times a power of ten. Source: market rates of
 * 2026-09-29 (npm: @fawazahmed0/currency-api 2026.9.29, public domain). Look at them again when a currency is redenominated.
 */
const UNITS_PER_DOLLAR: Readonly<Record<string, string>> = {
  "0.2": "KWD",
  "0.5": "BHD JOD OMR",
  "1": "AUD BMD BND BSD CAD CHF CUC EUR FKP GBP GIP KYD PAB SGD SHP USD",
  "2": "ANG AWG AZN BAM BBD BGN BYN BZD FJD GEL ILS NZD PEN TMT TND TOP WST XCD XCG",
  "5": "AED BRL CNY DKK HRK LYD MYR PGK PLN QAR RON SAR TTD",
  "10": "BOB BWP GHS GTQ HKD MAD MOP NOK SBD SCR SEK SVC TJS",
  "20": "CUP CZK ERN HNL LSL MDL MVR MXN NAD SLE STN SZL THB TWD ZAR ZMW ZWG",
  "50": "AFN DOP EGP GMD MKD MRU MUR MZN NIO PHP SRD TRY UAH UYU",
  "100": "ALL BDT BTN CVE DZD HTG INR ISK KES KGS RSD RUB VUV XPF",
  "200": "DJF ETB GYD HUF JMD JPY LKR LRD NPR PKR YER",
  "500": "AMD CRC KMF KZT SDG SOS XAF XOF",
  "1000": "AOA CLP IQD KPW KRW NGN RWF VES",
  "2000": "ARS BIF CDF COP MMK MWK TZS",
  "5000": "KHR MGA MNT PYG SSP UGX",
  "10000": "GNF SYP UZS",
  "20000": "IDR LAK SLL VND",
  "50000": "ZWL",
  "100000": "LBP",
  "1000000": "IRR",
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
