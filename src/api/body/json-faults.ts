// What is wrong with a JSON text, for the message only: where it stops being JSON, and which name an object has twice, of which JSON.parse
// keeps the last. Neither decides whether a text is taken.

export interface TextPosition {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
}

/** @param error what JSON.parse threw; its own position is used where it gives one */
export function whereJsonBreaks(text: string, error: SyntaxError): TextPosition | undefined {
  if (error.message.startsWith("Unexpected end")) return positionAt(text, text.length);
  // This message quotes the text instead of giving a position: a value was due, and something else stands there.
  if (error.message.startsWith("Unexpected token")) return firstMissingValue(text);
  const at = / at position (\d+) \(line \d+ column \d+\)$/.exec(error.message)?.[1];
  return at === undefined ? undefined : positionAt(text, Number(at));
}

function firstMissingValue(text: string): TextPosition | undefined {
  const token = /[ \t\r\n]*("(?:[^"\\]+|\\.)*"|[{}[\]:,]|[^ \t\r\n{}[\]:,"]+|.)/suy;
  let before: string | undefined;
  const open: string[] = [];
  for (let found = token.exec(text)?.[1]; found !== undefined; found = token.exec(text)?.[1]) {
    const due = before === undefined || before === ":" || before === "[" || (before === "," && open.at(-1) === "[");
    const fits = /^(?:["{[]|-?\d|(?:true|false|null)$)/.test(found) || (found === "]" && before === "[");
    if (due && !fits) return positionAt(text, token.lastIndex - found.length);
    if (found === "{" || found === "[") open.push(found);
    else if (found === "}" || found === "]") open.pop();
    before = found;
  }
  return undefined;
}

function positionAt(text: string, at: number): TextPosition {
  const before = text.slice(0, at);
  return { line: before.split("\n").length, column: at - before.lastIndexOf("\n") };
}

/** Names of one object; undefined stands for a list. */
type Open = Set<string> | undefined;

/** @param text valid JSON in which some object has a name twice @returns the first that comes again, dotted; items by number */
export function nameTwice(text: string): string {
  const token = /"(?:[^"\\]|\\.)*"|[{}[\],]/gs;
  const open: Open[] = [];
  const path: string[] = [];
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const [piece] = found;
    const names = open.at(-1);
    if (piece === "{" || piece === "[") {
      open.push(piece === "{" ? new Set() : undefined);
      path.push(piece === "{" ? "" : "0");
    } else if (piece === "}" || piece === "]") {
      open.pop();
      path.pop();
    } else if (piece === ",") {
      if (names === undefined) path.push(String(Number(path.pop()) + 1));
    } else if (names !== undefined && isName(text, token.lastIndex)) {
      const name = String(JSON.parse(piece));
      path.splice(-1, 1, name);
      if (names.has(name)) return path.join(".");
      names.add(name);
    }
  }
  return "";
}

const isName = (text: string, end: number): boolean => /^\s*:/.test(text.slice(end, end + MOST_BEFORE_COLON));
const MOST_BEFORE_COLON = 100;
