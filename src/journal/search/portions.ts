// Reading transactions by their numbers, in portions that are bounded in rows and in bytes: how much there is of each is
// asked first, and what is big is read alone.

import type { Transaction } from "../../payment/transaction.ts";
import { type Asker, inTurn } from "./ask.ts";
import { type Extent, type Kept, type Numbered, numbered, numberedWithin, weighed } from "./numbered.ts";

/** Of one portion, unless a single transaction is bigger. About what fifty transactions with five events each take. */
const MOST_BYTES = 400_000;
export const MOST_ROWS = 200;

/** @param numbers descending, as what comes back */
export async function* inPortions(
  asker: Asker,
  kept: Kept,
  numbers: readonly number[],
  extent: Extent,
): AsyncGenerator<readonly Transaction[], void, void> {
  for (const portion of await partedInTurn(asker, kept, numbers, extent))
    yield (await readInTurn(asker, kept, portion, extent)).transactions;
}

export const readInTurn = (asker: Asker, kept: Kept, numbers: readonly number[], extent: Extent): Promise<Numbered> =>
  inTurn(asker, () => numbered(asker.pool, kept, numbers, extent));

export const NONE: Numbered = { transactions: [], disputed: [] };

/** All of it at once; undefined if that is more than a portion. */
export async function readWholeInTurn(
  asker: Asker,
  kept: Kept,
  numbers: readonly number[],
): Promise<Numbered | undefined> {
  if (numbers.length === 0) return NONE;
  const read = await inTurn(asker, () => numberedWithin(MOST_BYTES, asker.pool, kept, numbers));
  return read.transactions.length === 0 ? undefined : read;
}

/** @returns numbers, descending, portion by portion */
export async function partedInTurn(
  asker: Asker,
  kept: Kept,
  numbers: readonly number[],
  extent: Extent,
): Promise<readonly (readonly number[])[]> {
  if (numbers.length === 0) return [];
  return parted(await inTurn(asker, () => weighed(asker.pool, kept, numbers, extent)));
}

function parted(sizes: readonly (readonly [number: number, bytes: number])[]): number[][] {
  const portions: { numbers: number[]; bytes: number }[] = [];
  for (const [number, bytes] of sizes) {
    const last = portions.at(-1);
    if (last && last.bytes + bytes <= MOST_BYTES) {
      last.numbers.push(number);
      last.bytes += bytes;
    } else portions.push({ numbers: [number], bytes });
  }
  return portions.map(({ numbers }) => numbers);
}
