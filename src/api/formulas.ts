// Spreadsheets run a cell that begins like a formula, whoever wrote it. What begins a cell depends on who reads: where a comma
// stands in numbers, files are parted at semicolons, and then quotes within a line mean nothing.

/** Also as wide as a Chinese character: Apple's Numbers reads those as formulas. */
const BEGINS = "[=+\\-@＝＋－＠]";
/** What readers skip before they look. */
const SKIPPED = "[\\s\\p{Cc}\\p{Cf}\"',;|]*";
/** What other readers part cells and lines at. */
const PARTS = "[;|\\t\\r\\n]";

const AT_START = new RegExp(`^(?:[\\t\\r]|${SKIPPED}${BEGINS})`, "u");
const AFTER_PART = new RegExp(`(${PARTS})(?=${SKIPPED}${BEGINS})`, "gu");

/** With an apostrophe before whatever could begin a formula: spreadsheets take what follows it for a text. */
export function defused(value: string): string {
  const inside = value.replaceAll(AFTER_PART, "$1'");
  return AT_START.test(value) ? `'${inside}` : inside;
}
