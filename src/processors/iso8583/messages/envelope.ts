// What all messages about money have in common, and how their values are written: times, amounts, texts, the RRN.

import { hash } from "node:crypto";
import { inMinorUnits, numericCode } from "../../../payment/currency.ts";
import { type Amount, ZERO } from "../../../payment/money.ts";
import type { Trace } from "../../trace-numbers.ts";
import { transliterate } from "../../transliterate.ts";
import { CodecFault } from "../codec/fault.ts";
import type { Fields } from "../codec/message.ts";

/** The merchant's account at the acquirer, from the record's settings. */
export interface Acceptor {
  readonly terminalId: string;
  readonly merchantId: string;
  readonly acquirerId: string;
  readonly name: string;
  readonly city: string;
  readonly country: string;
}

export const PURCHASE = "000000";
export const REFUND = "200000";

/** Entry mode: electronic commerce, PIN entry unknown. Condition: electronic commerce. */
const ENTRY_MODE = "810";
const CONDITION = "59";
/** Entry mode 10, as Visa and Mastercard use it: credential on file. */
export const ON_FILE = "100";
/** ISO 8583:1987, field 25: 01 is "customer not present". */
export const NOT_PRESENT = "01";
/** Account number verification without authorization: of an amount of zero. */
const VERIFICATION = "51";

interface About {
  readonly processingCode: string;
  readonly amount: Amount;
  readonly currency: string;
  readonly rrn: string;
}

export function envelope(acceptor: Acceptor, trace: Trace, about: About): Fields {
  return {
    3: about.processingCode,
    4: amountField(about.amount, about.currency),
    ...timesOf(trace),
    11: trace.stan,
    22: ENTRY_MODE,
    25: about.amount === ZERO ? VERIFICATION : CONDITION,
    32: acceptor.acquirerId,
    37: about.rrn,
    41: padded(acceptor.terminalId, 8),
    42: padded(acceptor.merchantId, 15),
    49: currencyCode(about.currency),
  };
}

/** MMDDhhmmss, UTC. */
export const transmissionTime = (at: Date): string => at.toISOString().slice(5, 19).replaceAll(/[-T:]/g, "");

function timesOf({ at }: Trace): Fields {
  const text = transmissionTime(at);
  return { 7: text, 12: text.slice(4), 13: text.slice(0, 4) };
}

/** Field 4: twelve digits, in the currency's own minor unit. */
export function amountField(amount: Amount, currency: string): string {
  const minor = inMinorUnits(amount, currency);
  if (minor === undefined) throw new CodecFault(`field 4: ${currency} has no money of this amount`);
  return String(minor).padStart(12, "0");
}

function currencyCode(currency: string): string {
  const code = numericCode(currency);
  if (code === undefined) throw new CodecFault(`field 49: ${currency} is not in ISO 4217`);
  return code;
}

/** Exactly so long, with spaces after it. */
export const padded = (text: string, length: number): string => transliterate(text, length).padEnd(length);

/** Twelve of 0-9 and A-Z, 62 bits: the same for the same reference on every node, after every restart. */
export const rrnOf = (reference: string): string =>
  rrnIn(reference) ?? renderRrn(BigInt(`0x${hash("sha256", reference)}`) % RRNS);

const RRNS = 36n ** 12n;
const renderRrn = (number: bigint): string => number.toString(36).padStart(12, "0").toUpperCase();

/**
 * The id of an event of which only the RRN is left, since the database has lost it: a UUID of version 8 (RFC 9562, section 5.8), with the time
 * in its first 48 bits, as in other ids, and the RRN in its last 64, but for the two of the variant and one that is in the field before.
 */
export function eventIdOfRrn(rrn: string, at: Date): string {
  const number = [...rrn].reduce((sum, digit) => sum * 36n + BigInt(Number.parseInt(digit, 36)), 0n);
  const last = ((0b10n << 62n) | (number & LOW_62)).toString(16);
  const time = at.getTime().toString(16).padStart(12, "0");
  const high = (number >> 62n).toString(16).padStart(3, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-8${high}-${last.slice(0, 4)}-${last.slice(4)}`;
}

const LOW_62 = (1n << 62n) - 1n;
const WITH_RRN = /^[0-9a-f]{8}-[0-9a-f]{4}-8(00[01])-([89ab][0-9a-f]{3})-([0-9a-f]{12})$/;

/** Undefined for all other references. */
function rrnIn(reference: string): string | undefined {
  if (reference[14] !== "8") return undefined;
  const [, high, start, end] = WITH_RRN.exec(reference) ?? [];
  if (high === undefined) return undefined;
  const number = (BigInt(`0x${high}`) << 62n) | (BigInt(`0x${start}${end}`) & LOW_62);
  return number < RRNS ? renderRrn(number) : undefined;
}
