// What in a follow-up looks like its amount and would not be read. Without an amount it takes all that remains, so an amount that is
// misspelt, in the wrong place or in another format is refused. Other fields of clients' own stay ignored (decision R4).

import { editDistance } from "../edit-distance.ts";
import { isPlainName } from "../validation/stray-card-numbers.ts";
import { mentionsAmount } from "./body/amount-in-text.ts";
import { type BodyTree, type BodyValue, isBodyTree, isEmpty } from "./body/tree.ts";
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

/** @param name of a field that nobody knows; dotted, and without a value, of one inside a passenger */
const missedIn = (name: string, value: BodyValue | undefined): string | undefined =>
  lacksName(name, value) ? "a value without a name" : missedAt([name], value);

/** `?4.00` and `?=4.00`. A whole number of eight digits or more is no amount, but what programs append against caches. */
export const lacksNameInQuery = (name: string, value: string): boolean =>
  /\p{Nd}/u.test(name + value) && lacksName(name, value) && !/^\d{8,}$/.test(name.trim() === "" ? value : name);

/** `=5`, and `5`, `$5` or `5 USD` alone in a form, which is a name to those who read it. */
const lacksName = (name: string, value: BodyValue | undefined): boolean =>
  name.trim() === "" ? !isEmpty(value) : value === "" && /\p{Nd}/u.test(name) && !FIELD_NAME.test(name);

/** As programs name fields, also of lists. */
const FIELD_NAME = /^[a-z_][\w-]*$/i;

/** @returns what it is, in words; as deep as a body may be */
export function missedAt(path: readonly string[], value: BodyValue | undefined): string | undefined {
  if (namesAmount(path.at(-1) ?? "")) return shown(path);
  if (typeof value === "string") return mentionsAmount(value) ? `an amount in the text of ${shown(path)}` : undefined;
  if (!Array.isArray(value) && !isBodyTree(value)) return undefined;
  for (const [name, inner] of Object.entries<BodyValue>(value as BodyTree)) {
    const found = missedAt([...path, name], inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Two neighbors that changed places. */
const SWAPPED: ReadonlySet<string> = new Set(["maount", "aomunt", "amuont", "amonut", "amoutn"]);

/** Also `amount_cents`, `data[amount]`, and a body that was taken for a name: `{'amount':5}`, `amount: 5`. */
const namesAmount = (name: string): boolean =>
  isMisspelt(name) || SWAPPED.has(name.toLowerCase()) || mentionsAmount(name);

/** One letter off at most. The length is looked at first, since a name may be as long as a body. */
const isMisspelt = (name: string): boolean =>
  Math.abs(name.length - "amount".length) <= 1 && editDistance(name.toLowerCase(), "amount") <= 1;

/** Digits may be a card's. */
function shown(path: readonly string[]): string {
  const name = path.join(".");
  return name.length <= 40 && name.replaceAll(/\D/g, "").length < 4 && isPlainName(name)
    ? JSON.stringify(name)
    : "a field that looks like one";
}
