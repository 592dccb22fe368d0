// Where the texts that begin with a prefix end, in the order of code points. A range and not LIKE: nothing in the prefix is
// special then, and PostgreSQL can look it up in an index whatever the plan was made for.

/**
 * The least text that comes after every text with this prefix, in the order of code points, which is the order of the
 * bytes of UTF-8 and so of `COLLATE "C"`. Null: nothing comes after them.
 */
export function endOfPrefix(prefix: string): string | null {
  const codePoints = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (codePoints.at(-1) === LAST) codePoints.pop();
  const last = codePoints.pop();
  if (last === undefined) return null;
  return String.fromCodePoint(...codePoints, last === BEFORE_SURROGATES ? AFTER_SURROGATES : last + 1);
}

const LAST = 0x10ffff;
/** Surrogates are halves of characters in UTF-16 and none in UTF-8. */
const BEFORE_SURROGATES = 0xd7ff;
const AFTER_SURROGATES = 0xe000;
