// Where an amount was meant and would not be read: a follow-up without one takes all that remains, so an amount in the wrong place
// is refused. Other fields of clients' own stay ignored, also `amount_cents` (decision R4).

import { editDistance } from "../edit-distance.ts";
import { isPlainName } from "../validation/stray-card-numbers.ts";
import { type BodyTree, type BodyValue, isBodyTree } from "./body/tree.ts";
import type { FaultMessages } from "./request-fault.ts";

const ADVICE = "if it is meant, name it amount; if not, leave it out";

/**
 * With an amount, whatever else there is stays ignored.
 * @param ignored names of fields that nobody knows
 */
export function missedAmount(body: BodyTree, ignored: readonly string[]): FaultMessages {
  if (!isEmpty(body.amount)) return {};
  for (const name of ignored) {
    // The field itself has a refusal of its own where it is not taken.
    const found = name === "amount" ? undefined : missedIn(name, body[name]);
    if (found !== undefined) return { amount: [`is left out, and there is ${found}: ${ADVICE}`] };
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
  if (Math.abs(name.length - "amount".length) > 1) return false;
  const plain = name.toLowerCase();
  return editDistance(plain, "amount") <= 1 || SWAPPED.has(plain);
}

/** `1;amount=5`, and JSON. "The amount: 5 too much" is a reason, and none. */
const HOLDS_AMOUNT = /[;&]\s{0,9}amount=|^\s{0,9}\{\s{0,9}["']amount["']/i;

/** Decision R2. */
export const isEmpty = (value: BodyValue | undefined): boolean => value === undefined || value === null || value === "";

/** Digits may be a card's. */
const shown = (name: string): string =>
  name.length <= 40 && !/\d/.test(name) && isPlainName(name) ? JSON.stringify(name) : "a field that looks like it";
