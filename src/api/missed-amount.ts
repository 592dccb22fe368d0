// Fields of a follow-up that look like its amount and would not be read. Without an amount it takes all that remains, so an amount that is
// misspelt or in the wrong place is refused. Other fields of clients' own stay ignored, also `amount_cents` (decision R4).

import { editDistance } from "../edit-distance.ts";
import { isPlainName } from "../validation/stray-card-numbers.ts";
import { type BodyTree, type BodyValue, isBodyTree } from "./body/tree.ts";
import type { FaultMessages } from "./request-fault.ts";

const ADVICE = "if that is the amount, send it as amount; if not, leave it out";

/**
 * Beside an amount only a misspelt one is refused, and whatever else looks like an amount stays ignored.
 * @param ignored names of fields that nobody knows
 */
export function missedAmount(body: BodyTree, ignored: readonly string[]): FaultMessages {
  // The field itself has a refusal of its own where it is not taken.
  const others = ignored.filter((name) => name !== "amount");
  const misspelt = others.find(isMisspelt);
  if (misspelt !== undefined) {
    const name = JSON.stringify(misspelt);
    if (isEmpty(body.amount)) return { amount: [`is missing, but ${name} was sent: did you mean amount?`] };
    return { amount: [`was sent together with ${name}: send only one of them`] };
  }
  if (!isEmpty(body.amount)) return {};
  for (const name of others) {
    const found = missedIn(name, body[name]);
    if (found !== undefined) return { amount: [`is missing, but ${found} was sent: ${ADVICE}`] };
  }
  return {};
}

function missedIn(name: string, value: BodyValue | undefined): string | undefined {
  if (lacksName(name, value)) return "a value without a name";
  const meant = [name, ...namesIn(value)].find(namesAmount);
  if (meant !== undefined) return shown(meant);
  return typeof value === "string" && HOLDS_AMOUNT.test(value) ? `an amount in the text of ${shown(name)}` : undefined;
}

/** `=5`, and `5` alone in a form, which is a name to those who read it. */
const lacksName = (name: string, value: BodyValue | undefined): boolean =>
  name.trim() === "" ? !isEmpty(value) : value === "" && /^\s{0,9}\d{1,15}([.,]\d{1,15})?\s{0,9}$/.test(name);

/** One level of what nobody knows: `transaction[amount]`. */
const namesIn = (value: BodyValue | undefined): readonly string[] => (isBodyTree(value) ? Object.keys(value) : []);

/** Two neighbours that changed places. */
const SWAPPED: ReadonlySet<string> = new Set(["maount", "aomunt", "amuont", "amonut", "amoutn"]);
/** A body that was taken for a name: `{'amount':5}`, `amount: 5`, `"amount"`, `data[amount]`. */
const NO_NAME = /["'{}[\]:=;\s]/;

export function namesAmount(name: string): boolean {
  if (NO_NAME.test(name)) return /\bamount\b/i.test(name);
  return isMisspelt(name) || SWAPPED.has(name.toLowerCase());
}

/** One letter off at most. The length is looked at first, since a name may be as long as a body. */
const isMisspelt = (name: string): boolean =>
  Math.abs(name.length - "amount".length) <= 1 && editDistance(name.toLowerCase(), "amount") <= 1;

/** `1;amount=5`, and JSON. "The amount: 5 too much" is a reason for a refund, and not its amount. */
const HOLDS_AMOUNT = /[;&]\s{0,9}amount=|^\s{0,9}\{\s{0,9}["']amount["']/i;

/** Decision R2. */
export const isEmpty = (value: BodyValue | undefined): boolean => value === undefined || value === null || value === "";

/** Digits may be a card's. */
const shown = (name: string): string =>
  name.length <= 40 && !/\d/.test(name) && isPlainName(name) ? JSON.stringify(name) : "a field that looks like one";
