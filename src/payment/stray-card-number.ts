// Whether a text that is for something else holds a card number: typed into the wrong field, pasted into a note. What is
// refused and what is let through on purpose, and how often it errs: docs/decisions/stray-card-numbers.md.

import { type DigitGroups, digitGroups, digitsIn, holdsDigits, SPACE_OR_DASH } from "./digit-groups.ts";
import { isAllowed, isExpiry, isGivenOut } from "./issued-numbers.ts";
import {
  isDecimals,
  isInHexadecimal,
  isInIban,
  isOfParcel,
  type Said,
  saidBefore,
  saidByName,
} from "./number-context.ts";
import type { CardNumber } from "./secret.ts";
import { parseTaxId } from "./tax-id.ts";

/** What the field is for, where numbers belong that may look like a card's. In an identifier only the request's own is found. */
export type Purpose = "identifier" | "tax id";

/** The card of the same request: its number is found even where it is no card's by its form. */
export interface Sought {
  readonly own?: CardNumber | undefined;
  readonly purpose?: Purpose | undefined;
  /** Of the field that the text is the value of. */
  readonly name?: string | undefined;
}

const SHORTEST = 8;
const SHORTEST_OF_BRANDS = 13;

/** For any card number. */
export const isTooShort = (text: string): boolean => text.length < SHORTEST;

/** Whether a text holds what looks like a card number. */
export function holdsCardNumber(text: string, { own, purpose, name }: Sought = {}): boolean {
  if (isTooShort(text)) return false;
  const digits = own?.reveal();
  // Nearly all texts of all requests end here: with fewer digits than any number looked for.
  const groups = digitGroups(text, Math.min(digits?.length ?? SHORTEST_OF_BRANDS, SHORTEST_OF_BRANDS));
  if (groups === undefined) return false;
  if (digits !== undefined && holdsOwn(text, groups, digits)) return true;
  if (purpose === "identifier" || (purpose === "tax id" && parseTaxId(text) !== undefined)) return false;
  const outside = text.replaceAll(UUID, "id");
  const left = outside === text ? groups : digitGroups(outside, SHORTEST_OF_BRANDS);
  return left !== undefined && holdsAny(outside, left, name === undefined ? undefined : saidByName(name));
}

/** By its version and variant (RFC 9562). One in 200,000 looks like a card number in groups, and our own are ids for good. */
const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b/gi;

/**
 * A number as JSON writes it. `4111111111111111.0` and `4.111111111111111e+15` are what programs make of a card number; with
 * decimals of its own it is none.
 */
export function digitsOfNumber(literal: string): string {
  const [, whole = "", decimals = "", exponent = "0"] =
    /^(\d{1,19})(?:\.(\d{1,19}))?(?:[eE]\+?(\d{1,2}))?$/.exec(literal) ?? [];
  const zeros = Number(exponent) - decimals.length;
  if (zeros >= 0 && zeros <= 19) return whole + decimals + "0".repeat(zeros);
  return /^0*$/.test(decimals.slice(Number(exponent))) ? whole + decimals.slice(0, Number(exponent)) : "";
}

/** Anywhere, and however it is parted; a short one only where it stands alone, since eight digits are soon found in others. */
function holdsOwn(text: string, groups: DigitGroups, own: string): boolean {
  if (own.length >= SHORTEST_OF_BRANDS) return holdsDigits(text, groups, own);
  let first = 0;
  let total = 0;
  for (let nth = 0; nth < groups.count; nth++) {
    const [from, to, size] = [groups.from[nth] ?? 0, groups.to[nth] ?? 0, groups.size[nth] ?? 0];
    total += size;
    if (size === own.length && digitsIn(text, from, to) === own) return true;
    if (groups.gap[nth] !== 0) continue;
    if (total === own.length && digitsIn(text, groups.from[first] ?? 0, to) === own) return true;
    first = nth + 1;
    total = 0;
  }
  return false;
}

function holdsAny(text: string, groups: DigitGroups, name: Said): boolean {
  const { count, from, to, size, gap } = groups;
  for (let nth = 0; nth < count; nth++) {
    const digits = size[nth] ?? 0;
    if (digits >= SHORTEST_OF_BRANDS && digits <= LONGEST && holdsBare(text, from[nth] ?? 0, to[nth] ?? 0, name))
      return true;
    if (digits <= LARGEST_PART && gap[nth] !== 0 && isPrinted(text, groups, nth)) return true;
  }
  return false;
}

/** Nineteen digits, expiry, CVV. */
const LONGEST = 29;

function holdsBare(text: string, from: number, to: number, name: Said): boolean {
  const digits = digitsIn(text, from, to);
  if (!isAllowed(digits) && !withExpiry(digits)) return false;
  const said = saidBefore(text, from) ?? name;
  if (said !== "card" && (said === "identifier" || !(isGivenOut(digits) || withExpiry(digits)))) return false;
  return (
    !isOfParcel(text, from) &&
    !isDecimals(text, from, to) &&
    !isInHexadecimal(text, from, to) &&
    !isInIban(text, from, to)
  );
}

/** The number, the expiry and perhaps the CVV in one row. */
const withExpiry = (digits: string): boolean =>
  digits.length >= 18 &&
  [14, 15, 16, 19].some((length) => isExpiry(digits.slice(length)) && isGivenOut(digits.slice(0, length)));

const LARGEST_PART = 13;
/** Characters, with what parts the digits. */
const LONGEST_WRITTEN = 200;
/** Of equal groups, which are digits each. */
const MOST_GROUPS = 20;

/** Whether a card number begins with this group that is parted as cards are printed, or as people write them. */
function isPrinted(text: string, groups: DigitGroups, nth: number): boolean {
  const { from, to } = groups;
  for (const last of endsOf(text, groups, nth)) {
    const [start, end] = [from[nth] ?? 0, to[last] ?? 0];
    if (end - start > LONGEST_WRITTEN) continue;
    const digits = digitsIn(text, start, end);
    // Who parts digits by ones and twos may as well write a telephone number.
    const isOfCard = (groups.size[nth] ?? 0) < 4 ? isGivenOut : isAllowed;
    if (!isOfCard(digits) && !withExpiry(digits)) continue;
    if (saidBefore(text, start) !== "identifier" && !isInIban(text, start, end)) return true;
  }
  return false;
}

/** Last groups of what may be one number from this group on. */
function endsOf(text: string, groups: DigitGroups, nth: number): readonly number[] {
  const size = groups.size[nth] ?? 0;
  if (groups.size[nth + 1] === size) return isFirstOfEqual(text, groups, nth) ? endsOfEqual(groups, nth) : NONE;
  const shape = SHAPES.find((lengths) => lengths[0] === size && isShaped(groups, nth, lengths));
  if (shape !== undefined) return [nth + shape.length - 1];
  return NONE;
}
const NONE: readonly number[] = [];

/** American Express, Diners Club and UATP as they are printed; the issuer's digits apart; halves of fours. */
const SHAPES: readonly (readonly number[])[] = [
  ...[
    [4, 6, 5],
    [4, 6, 4],
    [4, 5, 6],
    [4, 8, 4],
    [4, 12],
    [12, 4],
    [6, 9],
    [6, 10],
    [6, 13],
  ],
];

/** Two groups are too many things to be found within a longer row of them, or with a point or comma between. */
const isShaped = (groups: DigitGroups, nth: number, lengths: readonly number[]): boolean =>
  lengths.every((length, index) => groups.size[nth + index] === length) &&
  lengths.every((_, index) => index === 0 || follows(groups, nth + index - 1, nth)) &&
  (lengths.length > 2 ||
    !(follows(groups, nth + 1, nth) || (nth > 0 && follows(groups, nth - 1, nth)) || isPointOrComma(groups.gap[nth])));

const isPointOrComma = (gap: number | undefined): boolean => gap === 0x2e || gap === 0x2c;

/** Whether a group and the one behind it are parted as this one and its next are. */
const follows = ({ gap }: DigitGroups, nth: number, like: number): boolean => gap[nth] !== 0 && gap[nth] === gap[like];

/** Of as many digits each. Threes are how thousands are parted. */
const PARTS: readonly number[] = [1, 2, 4, 5, 6, 8];

/** Fours may stand behind an expiry or a year that is the first of its row. */
function isFirstOfEqual(text: string, groups: DigitGroups, nth: number): boolean {
  if (!PARTS.includes(groups.size[nth] ?? 0)) return false;
  if (!isBehindEqual(groups, nth)) return true;
  if (groups.size[nth] !== 4 || isBehindEqual(groups, nth - 1)) return false;
  return isMonthOrYear(digitsIn(text, groups.from[nth - 1] ?? 0, groups.to[nth - 1] ?? 0));
}

const isBehindEqual = (groups: DigitGroups, nth: number): boolean =>
  nth > 0 && follows(groups, nth - 1, nth) && groups.size[nth - 1] === groups.size[nth];

const isMonthOrYear = (digits: string): boolean => isExpiry(digits) || /^20[23][0-9]$/.test(digits);

/** Sixteen digits in fours come first in their row, or behind an expiry; other parts are the whole of theirs. */
function endsOfEqual(groups: DigitGroups, nth: number): readonly number[] {
  const { size, gap } = groups;
  const part = size[nth] ?? 0;
  let last = nth;
  while (last - nth < MOST_GROUPS && follows(groups, last, nth) && size[last + 1] === part) last += 1;
  const tail = follows(groups, last, nth) ? last + 1 : last;
  if (part === 4) {
    const ends = last - nth >= 3 ? [nth + 3] : [];
    return (last - nth === 3 || last - nth === 2) && tail > last ? [...ends, tail] : ends;
  }
  if (part < 4 && gap[nth] !== SPACE_OR_DASH) return NONE;
  return [tail > last && (size[tail] ?? 0) < part ? tail : last];
}
