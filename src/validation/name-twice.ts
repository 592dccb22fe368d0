// Which name an object of a JSON text has twice. JSON.parse keeps the last and other programs the first, so nobody knows which was meant.

/** Names of one object; undefined stands for a list. */
type Open = Set<string> | undefined;

/** @param text valid JSON @returns the first name that comes again, dotted, with items by number; undefined if none does */
export function nameTwice(text: string): string | undefined {
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
  return undefined;
}

const isName = (text: string, end: number): boolean => /^\s*:/.test(text.slice(end, end + MOST_BEFORE_COLON));
const MOST_BEFORE_COLON = 100;
