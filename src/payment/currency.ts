// The currencies of ISO 4217, and the minor unit of each: none for the yen, thousandths for the Kuwaiti dinar. The API
// counts every currency in hundredths (money.ts), so what it says is brought to a processor's unit and back here, exactly.
//
// Source: ISO 4217 list one as published on 2024-06-25, with XCG (amendment 176). Codes that were withdrawn lately stay
// (ANG, CUC, HRK, SLL, ZWL): records may be in them. Funds, metals and accounting units (XDR, XSU) are not here.

import { type Amount, amountOf } from "./money.ts";
import type { Refusal } from "./refusal.ts";

/** By the number of decimals of the minor unit: the alphabetic code and the numeric one. */
const CODES: Readonly<Record<0 | 2 | 3, string>> = {
  0: `BIF108 CLP152 DJF262 GNF324 ISK352 JPY392 KMF174 KRW410 PYG600 RWF646 UGX800 VND704 VUV548 XAF950 XOF952 XPF953`,
  2: `AED784 AFN971 ALL008 AMD051 ANG532 AOA973 ARS032 AUD036 AWG533 AZN944 BAM977 BBD052 BDT050 BGN975 BMD060 BND096
BOB068 BRL986 BSD044 BTN064 BWP072 BYN933 BZD084 CAD124 CDF976 CHF756 CNY156 COP170 CRC188 CUC931 CUP192 CVE132 CZK203
DKK208 DOP214 DZD012 EGP818 ERN232 ETB230 EUR978 FJD242 FKP238 GBP826 GEL981 GHS936 GIP292 GMD270 GTQ320 GYD328 HKD344
HNL340 HRK191 HTG332 HUF348 IDR360 ILS376 INR356 IRR364 JMD388 KES404 KGS417 KHR116 KPW408 KYD136 KZT398 LAK418 LBP422
LKR144 LRD430 LSL426 MAD504 MDL498 MGA969 MKD807 MMK104 MNT496 MOP446 MRU929 MUR480 MVR462 MWK454 MXN484 MYR458 MZN943
NAD516 NGN566 NIO558 NOK578 NPR524 NZD554 PAB590 PEN604 PGK598 PHP608 PKR586 PLN985 QAR634 RON946 RSD941 RUB643 SAR682
SBD090 SCR690 SDG938 SEK752 SGD702 SHP654 SLE925 SLL694 SOS706 SRD968 SSP728 STN930 SVC222 SYP760 SZL748 THB764 TJS972
TMT934 TOP776 TRY949 TTD780 TWD901 TZS834 UAH980 USD840 UYU858 UZS860 VES928 WST882 XCD951 XCG532 YER886 ZAR710 ZMW967
ZWG924 ZWL932`,
  3: `BHD048 IQD368 JOD400 KWD414 LYD434 OMR512 TND788`,
};

interface Currency {
  /** Three digits. */
  readonly numeric: string;
  /** Decimals of the minor unit. */
  readonly exponent: number;
}

const CURRENCIES: ReadonlyMap<string, Currency> = new Map(
  Object.entries(CODES).flatMap(([exponent, codes]) =>
    codes
      .split(/\s/)
      .map((code) => [code.slice(0, 3), { numeric: code.slice(3), exponent: Number(exponent) }] as const),
  ),
);

/** By alphabetic code, in alphabetic order. */
export const CURRENCY_CODES: readonly string[] = [...CURRENCIES.keys()].sort();

/** Whether this is the alphabetic code (three upper-case letters) of a currency. */
export const isCurrency = (text: string): boolean => CURRENCIES.has(text);

/** `124` for CAD; undefined for what is no currency. */
export const numericCode = (currency: string): string | undefined => CURRENCIES.get(currency)?.numeric;

const BY_NUMBER = new Map([...CURRENCIES].map(([code, { numeric }]) => [numeric, code]));

/** `CAD` for 124. Where a successor took the number over (532: XCG for ANG), the successor. */
export const currencyOfNumber = (numeric: string): string | undefined => BY_NUMBER.get(numeric);

/** Decimals of the minor unit; of what is no currency two, as it is counted here. */
export const exponentOf = (currency: string): number => CURRENCIES.get(currency)?.exponent ?? 2;

/** The amount in the currency's own minor unit (100.00 is 100 yen, 100000 fils), or undefined if it is not a whole number. */
export function inMinorUnits(amount: Amount, currency: string): bigint | undefined {
  const exponent = exponentOf(currency);
  if (exponent >= 2) return amount * 10n ** BigInt(exponent - 2);
  const hundredths = 10n ** BigInt(2 - exponent);
  return amount % hundredths === 0n ? amount / hundredths : undefined;
}

/** The way back; undefined for what two decimals cannot say (1.255 dinars). */
export function ofMinorUnits(minor: bigint, currency: string): Amount | undefined {
  const exponent = exponentOf(currency);
  if (exponent <= 2) return amountOf(minor * 10n ** BigInt(2 - exponent));
  const thousandths = 10n ** BigInt(exponent - 2);
  return minor % thousandths === 0n ? amountOf(minor / thousandths) : undefined;
}

/** Whether there is money of this amount in the currency: 1000.50 yen there is not. */
export const fitsCurrency = (amount: Amount, currency: string): boolean => inMinorUnits(amount, currency) !== undefined;

/** An amount of a request, under the name of its field. */
export interface NamedAmount {
  readonly field: string;
  readonly amount: Amount;
}

/** A refusal for each of them of which there is no such money in the currency. */
export const notInCurrency = (amounts: Iterable<NamedAmount>, currency: string): Refusal[] =>
  [...amounts].flatMap(({ field, amount }): Refusal[] =>
    fitsCurrency(amount, currency) ? [] : [{ name: "amount-not-in-currency", field }],
  );

/** Minor units as a text in the currency's own decimals: `1000`, `10.00`, `1.250`. */
export function renderMinorUnits(minor: bigint, currency: string): string {
  const exponent = exponentOf(currency);
  if (exponent === 0) return minor.toString();
  const digits = minor.toString().padStart(exponent + 1, "0");
  return `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}
