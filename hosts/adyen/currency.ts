// The currencies of Adyen, and the decimals with which it counts each. Its reports are in major units, its API in minor units.
// docs.adyen.com/development-resources/currency-codes, read on 2026-11-28. Four differ from ISO 4217, and Adyen's table leads: CLP, CVE,
// IDR and ISK.

const CODES: Readonly<Record<0 | 2 | 3, string>> = {
  0: "CVE DJF GNF IDR JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF",
  2: `AED ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BWP BYN BZD CAD CHF CLP CNH CNY COP CRC CUP CZK DKK DOP DZD EGP ETB
EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF ILS INR ISK JMD KES KGS KHR KYD KZT LAK LKR MAD MDL MKD MMK MNT MOP MRU MUR MVR
MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SEK SGD SHP SLE SOS SRD STN SVC SZL THB TOP
TRY TTD TWD TZS UAH USD UYU UZS VEF WST XCD XCG YER ZAR ZMW`,
  3: "BHD IQD JOD KWD LYD OMR TND",
};

export const DECIMALS: ReadonlyMap<string, number> = new Map(
  Object.entries(CODES).flatMap(([decimals, codes]) =>
    codes.split(/\s/).map((code) => [code, Number(decimals)] as const),
  ),
);

/** `5.00`, of yen `500`, of Kuwaiti dinars `0.500`: minor units as a report writes them. */
export function inMajorUnits(minor: number, currency: string): string {
  const decimals = DECIMALS.get(currency);
  if (decimals === undefined) throw new Error(`${currency} is no currency of Adyen's`);
  const digits = String(minor).padStart(decimals + 1, "0");
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
