// Where in a text there are digits, and what parts them. One pass over the text, whatever is in it; it keeps places and no
// digits.

/** Nth group: digits from `from[n]` to `to[n]` of the text, `size[n]` of them; between it and the next stands `gap[n]`. */
export interface DigitGroups {
  readonly count: number;
  readonly from: readonly number[];
  readonly to: readonly number[];
  readonly size: readonly number[];
  /** 0: something that parts two numbers. Otherwise the kind of separator that may stand within one. */
  readonly gap: readonly number[];
}

/** Spaces and dashes may be mixed. Every other separator is a kind of its own, by the number of its character. */
export const SPACE_OR_DASH = 1;
/** Characters between two groups of one number. */
const LONGEST_GAP = 4;

/** Undefined where no number in the text has so many digits: most ids have more of them, with letters in between. */
export function digitGroups(text: string, fewest: number): DigitGroups | undefined {
  const counted = count(text);
  if (counted.mostTogether < fewest) return undefined;
  // To make a typed array takes longer than to read a text of usual length.
  const array = () => new Array<number>(counted.groups).fill(0);
  const groups = { count: counted.groups, from: array(), to: array(), size: array(), gap: array() };
  let at = 0;
  let nth = -1;
  // Of what stands since the last digit.
  let kind: number = BREAK;
  let gapLength = 0;
  while (at < text.length) {
    const code = codeAt(text, at);
    const end = at + (code > 0xffff ? 2 : 1);
    const what = classOf(code);
    if (what < 10) {
      if (gapLength > 0 || nth < 0) {
        if (nth >= 0 && kind > 0 && gapLength <= LONGEST_GAP) groups.gap[nth] = kind;
        nth += 1;
        groups.from[nth] = at;
        gapLength = 0;
        kind = SPACE_OR_DASH;
      }
      groups.size[nth] = (groups.size[nth] ?? 0) + 1;
      groups.to[nth] = end;
    } else if (what !== NOTHING) {
      gapLength += 1;
      if (what === BREAK) kind = 0;
      else if (what === SEPARATOR) kind = kind === SPACE_OR_DASH || kind === code ? code : 0;
      else if (what === DASH && kind > SPACE_OR_DASH) kind = 0;
    }
    at = end;
  }
  return groups;
}

/** The digits of a part of a text, as ASCII's. */
export function digitsIn(text: string, from: number, to: number): string {
  const part = text.slice(from, to);
  if (/^[0-9]+$/.test(part)) return part;
  let digits = "";
  for (const char of part) {
    const what = classOf(char.codePointAt(0) ?? 0);
    if (what < 10) digits += what;
  }
  return digits;
}

/** Whether these digits follow each other in one or more groups of a number. */
export function holdsDigits(text: string, groups: DigitGroups, wanted: string): boolean {
  const { count, from, to, size, gap } = groups;
  let holds: ((from: number, to: number) => boolean) | undefined;
  let first = 0;
  let digits = 0;
  for (let nth = 0; nth < count; nth++) {
    digits += size[nth] ?? 0;
    if (gap[nth] !== 0) continue;
    // Ids and dates are full of groups that are too short for a card number together.
    if (digits >= wanted.length) {
      holds ??= finderIn(text, wanted);
      if (holds(from[first] ?? 0, to[nth] ?? 0)) return true;
    }
    first = nth + 1;
    digits = 0;
  }
  return false;
}

/** Whether a part of the text holds these digits, whatever stands between them. Knuth, Morris and Pratt's: no digit is read twice. */
function finderIn(text: string, wanted: string): (from: number, to: number) => boolean {
  const digits = [...wanted].map(Number);
  const shorter = shorterMatches(digits);
  return (from, to) => {
    let matched = 0;
    for (let at = from; at < to; at++) {
      const code = codeAt(text, at);
      if (code > 0xffff) at += 1;
      const digit = classOf(code);
      if (digit > 9) continue;
      while (matched > 0 && digits[matched] !== digit) matched = shorter[matched - 1] ?? 0;
      if (digits[matched] === digit) matched += 1;
      if (matched === digits.length) return true;
    }
    return false;
  };
}

/** How much of the beginning is still matched where the next digit is another. */
function shorterMatches(digits: readonly number[]): readonly number[] {
  const shorter = [0];
  for (let at = 1; at < digits.length; at++) {
    let matched = shorter[at - 1] ?? 0;
    while (matched > 0 && digits[matched] !== digits[at]) matched = shorter[matched - 1] ?? 0;
    shorter.push(digits[matched] === digits[at] ? matched + 1 : 0);
  }
  return shorter;
}

interface Counted {
  readonly groups: number;
  /** The most digits with nothing between them that parts two numbers for certain. */
  readonly mostTogether: number;
}

function count(text: string): Counted {
  let groups = 0;
  let together = 0;
  let mostTogether = 0;
  let inGroup = false;
  for (let at = 0; at < text.length; at++) {
    const code = codeAt(text, at);
    if (code > 0xffff) at += 1;
    const what = classOf(code);
    if (what < 10) {
      together += 1;
      if (together > mostTogether) mostTogether = together;
      if (!inGroup) groups += 1;
      inGroup = true;
    } else if (what !== NOTHING) {
      inGroup = false;
      if (what === BREAK) together = 0;
    }
  }
  return { groups, mostTogether };
}

function codeAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xd800 && code < 0xdc00 ? (text.codePointAt(at) ?? code) : code;
}

/** Without width: accents, joiners, marks of direction. */
const NOTHING = 10;
const SPACE = 11;
const DASH = 12;
const SEPARATOR = 13;
/** Letters, and what stands between the parts of times, addresses and texts. */
const BREAK = 14;

const UNKNOWN = 0xff;
/** Planes 0 and 1 of Unicode; no plane above has digits. */
const classes = new Uint8Array(0x20000).fill(UNKNOWN);

function classOf(code: number): number {
  if (code >= classes.length) return code >= 0xe0000 && code <= 0xe0fff ? NOTHING : BREAK;
  const known = classes[code];
  if (known !== undefined && known !== UNKNOWN) return known;
  const found = classify(code);
  classes[code] = found;
  return found;
}

function classify(code: number): number {
  const char = String.fromCodePoint(code);
  if (/\p{Nd}/u.test(char)) return decimalValue(code);
  // ² and ⑤ are digits too.
  const plain = char.normalize("NFKC");
  if (/^[0-9]$/.test(plain)) return Number(plain);
  if (/[\p{Cf}\p{M}]/u.test(char)) return NOTHING;
  if (/\s/.test(char)) return SPACE;
  if (/[\p{Pd}\u2212]/u.test(char)) return DASH;
  return /[.,_/|\\*+~'#;]/.test(plain) || (code > 0x7f && /[\p{P}\p{S}]/u.test(char)) ? SEPARATOR : BREAK;
}

/** Digits stand in blocks of ten, zero first. */
function decimalValue(code: number): number {
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - before - 1))) before += 1;
  return before % 10;
}
