// Names, streets and descriptors for fields that take printable ASCII only. Accents are dropped in the message; the gateway keeps the
// text as it came.

const MARKS = /\p{M}/gu;
const OTHERS = /[^ -~]/gu;

/** Without its accents, with a question mark for what is no ASCII even then, and at most so long. */
export const asciiOf = (text: string, most: number): string =>
  text.normalize("NFKD").replace(MARKS, "").replace(OTHERS, "?").slice(0, most);

/** Exactly so long, with spaces after it. */
export const padded = (text: string, length: number): string => asciiOf(text, length).padEnd(length);
