// What is wrong with a JSON text, for the message only: where it stops being JSON. It does not decide whether a text is taken.

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
