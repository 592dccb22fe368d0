// What all messages about money have in common, and how their values are written: times, amounts, texts, the RRN.

import { hash } from "node:crypto";
import { inMinorUnits, numericCode } from "../../../payment/currency.ts";
import type { Amount } from "../../../payment/money.ts";
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
    25: CONDITION,
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
  (BigInt(`0x${hash("sha256", reference)}`) % 36n ** 12n).toString(36).padStart(12, "0").toUpperCase();
