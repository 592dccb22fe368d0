// How much two names differ, to guess what a misspelt one was meant to be.

/** How many letters must be put in, left out or changed to turn one text into the other (Levenshtein). */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (const letter of a) {
    const next = [(row[0] ?? 0) + 1];
    for (let column = 1; column <= b.length; column++) {
      const changed = (row[column - 1] ?? 0) + (b[column - 1] === letter ? 0 : 1);
      next.push(Math.min(changed, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
