// Which name a JSON object has twice, for the message only. JSON.parse does not tell: it keeps the last of them.

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
