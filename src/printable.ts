// Texts of merchants, payers and processors, as whoever sits at a terminal may see them: nothing in them moves the cursor, changes the
// order of what is read, hides, or begins another line. Used by everything that this program prints or logs.

const REPLACEMENT = "\u{fffd}";

/**
 * Control characters (C0, C1 and with them escape sequences), format characters (overrides and isolates of directions, zero-width ones,
 * tags), line and paragraph separators, lone surrogates, and letters that show as nothing. Unicode 15, chapter 23.
 */
const UNSAFE = /(?:[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|\u034f|\u115f|\u1160|\u17b4|\u17b5|\u3164|\uffa0)/u;
const ALL_UNSAFE = new RegExp(UNSAFE.source, "gu");
const UNSAFE_BESIDE_LINE_ENDS = new RegExp(`(?!\\n)${UNSAFE.source}`, "gu");

/** A value, on one line. */
export const printable = (text: string): string => (UNSAFE.test(text) ? text.replace(ALL_UNSAFE, REPLACEMENT) : text);

/** A whole text of several lines, whose own line ends stay. */
export const printableLines = (text: string): string => text.replace(UNSAFE_BESIDE_LINE_ENDS, REPLACEMENT);

/**
 * JSON, in which the same characters are written as escapes (RFC 8259, section 7): a program reads what was there, and a terminal shows
 * `\u001b`. Between the strings of a JSON text there are none of them but line ends.
 */
export const printableJson = (json: string): string =>
  json.replace(UNSAFE_BESIDE_LINE_ENDS, (found) =>
    Array.from(
      { length: found.length },
      (_, unit) => `\\u${found.charCodeAt(unit).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
