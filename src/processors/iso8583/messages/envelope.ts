// What every message about money carries: who asks, under which numbers, how much.

import type { Amount } from "../../../payment/money.ts";
import type { Trace } from "../../trace-numbers.ts";
import type { Fields } from "../codec/message.ts";
import { padded } from "./ascii.ts";
import { CURRENCY_CODES } from "./currencies.ts";

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
    4: String(about.amount).padStart(12, "0"),
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

function currencyCode(currency: string): string {
  const code = CURRENCY_CODES.get(currency);
  if (code === undefined) throw new TypeError(`${currency} is not among the currencies of field 49`);
  return code;
}
