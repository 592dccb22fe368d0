// Text for protocols that have few letters: one transliteration for all kinds of processors (decision R17). Accents go, letters that are
// more than a letter with an accent become the Latin letters that people write for them, and what is left over is dropped.

/** After compatibility decomposition (Unicode, NFKD), in which most letters with accents are a letter and a mark. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ø: "o", Ø: "O", ł: "l", Ł: "L", ß: "ss", ẞ: "SS", æ: "ae", Æ: "AE", œ: "oe", Œ: "OE" },
  ...{ đ: "d", Đ: "D", ð: "d", Ð: "D", þ: "th", Þ: "Th", ı: "i", ȷ: "j", ħ: "h", Ħ: "H" },
  ...{ ŋ: "n", Ŋ: "N", ŧ: "t", Ŧ: "T", ĸ: "k", ə: "e", Ə: "E", ƒ: "f" },
  // Apostrophes, quotation marks, dashes, and what stands in fractions and sizes.
  ...{ "‘": "'", "’": "'", "‚": "'", "‛": "'", "′": "'", "‹": "'", "›": "'", ʹ: "'", ʻ: "'", ʼ: "'", ʾ: "'", ʿ: "'" },
  ...{ "“": '"', "”": '"', "„": '"', "‟": '"', "«": '"', "»": '"' },
  ...{ "‐": "-", "‒": "-", "–": "-", "—": "-", "―": "-", "−": "-" },
  ...{ "⁄": "/", "∕": "/", "×": "x" },
};

const MARKS = /\p{M}/gu;
const SPACES = /\s/gu;
const OTHERS = /[^ -~]/gu;
const PRINTABLE = /[ -~]/;

/**
 * Printable ASCII, without spaces at its ends. Empty if nothing is left: then the field is not sent.
 * @param most characters of the result
 * @param allowed one character that the protocol takes, of those that are printable ASCII
 */
export function transliterate(text: string, most: number, allowed = PRINTABLE): string {
  const ascii = text
    .normalize("NFKD")
    .replace(MARKS, "")
    .replace(SPACES, " ")
    .replace(OTHERS, (letter) => (Object.hasOwn(LETTERS, letter) ? (LETTERS[letter] ?? "") : ""));
  const taken = [...ascii].filter((character) => allowed.test(character)).join("");
  return taken.trim().slice(0, most).trimEnd();
}

/** For protocols that take any letter: so many UTF-16 units at most, and no half of a pair. */
export const cut = (text: string, most: number): string => text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "");
