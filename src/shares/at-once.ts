// Works through pieces of work, so many at once. What is shared out among merchants goes by turns.ts.

/**
 * What was begun goes on; each fault takes one of the places. The first is thrown when all has ended.
 * @param items may come to be while others are worked on; one is asked for when there is room for it
 * @returns the results in the order of the items
 */
export async function atOnce<T, R>(most: number, items: Iterable<T>, work: (item: T) => Promise<R>): Promise<R[]> {
  const left = items[Symbol.iterator]();
  const results: R[] = [];
  let begun = 0;
  const worker = async () => {
    for (let next = left.next(); !next.done; next = left.next()) {
      const place = begun++;
      results[place] = await work(next.value);
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: most }, worker));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  return results;
}
