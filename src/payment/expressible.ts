// What a processor's protocol has a form for. A charge or a follow-up that it cannot express is refused before anything is sent, with the
// processor's limit: another try cannot help, and it is no outage of the processor. (Texts are transliterated and cut instead.)

import type { NamedAmount } from "./currency.ts";
import { fitsCurrency } from "./currency.ts";
import type { Amount } from "./money.ts";
import type { Refusal } from "./refusal.ts";
import type { Initiation } from "./stored-credential.ts";
import type { ThreeDSecure } from "./three-d-secure.ts";

/** Of a charge or a follow-up: what goes to the processor as it is. */
export interface ToExpress {
  /** ISO 4217 */
  readonly currency: string;
  /** Undefined where it cannot be read. */
  readonly amount?: Amount | undefined;
  readonly threeDSecure?: ThreeDSecure | null;
  /** How many there are. */
  readonly passengers?: number;
  /** As it was sent. */
  readonly initiation?: Initiation;
}

/** What cannot be expressed. */
export interface Limit {
  /** As the request names it. */
  readonly field: string;
  /** What can be, as the end of a sentence: `at most 100 characters`. */
  readonly limit: string;
}

/** The limit of an amount that must be whole in this currency. */
export const wholeAmount = (currency: string): Limit => ({
  field: "amount",
  limit: `amounts of ${currency} are whole there, like 1000.00`,
});

/** A refusal for each limit. What the currency itself has no money for is refused as such. */
export const inexpressible = (limits: readonly Limit[], { amount, currency }: ToExpress): readonly Refusal[] =>
  limits
    .filter(({ field }) => field !== "amount" || amount === undefined || fitsCurrency(amount, currency))
    .map(({ field, limit }) => ({ name: "processor-cannot-express", field, limit }));

/** The amount of a request among its named amounts, if it can be read. */
export const amountIn = (amounts: readonly NamedAmount[]): Amount | undefined =>
  amounts.find(({ field }) => field === "amount")?.amount;
