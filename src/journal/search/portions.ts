// Reading transactions by their numbers, in portions that are bounded in rows and in bytes: how much there is of each is
// asked first, and what is big is read alone.

import type { Transaction } from "../../payment/transaction.ts";
import { arrayOf } from "../columns.ts";
import { type Asker, ask, inTurn, isBig } from "./ask.ts";
import { bytesOf, type Extent, numbered } from "./numbered.ts";

/** Of one portion, unless a single transaction is bigger. About what fifty transactions with five events each take. */
const MOST_BYTES = 400_000;
export const MOST_ROWS = 200;

/** Whose transactions these are, and the merchant's newest number. */
export interface Kept {
  readonly merchantId: string;
  readonly newest: number;
}

export interface Portion {
  readonly numbers: readonly number[];
  /** No more than {@link MOST_BYTES}. */
  readonly ordinary: boolean;
}

/** @param numbers descending, as what comes back */
export async function* inPortions(
  asker: Asker,
  kept: Kept,
  numbers: readonly number[],
  extent: Extent,
): AsyncGenerator<readonly Transaction[], void, void> {
  for (const portion of await partedInTurn(asker, kept, numbers, extent))
    yield await readInTurn(asker, kept, portion.numbers, extent);
}

export const readInTurn = (asker: Asker, { merchantId, newest }: Kept, numbers: readonly number[], extent: Extent) =>
  inTurn(asker, () => numbered(asker.pool, merchantId, numbers, newest, extent));

export async function partedInTurn(
  asker: Asker,
  { merchantId, newest }: Kept,
  numbers: readonly number[],
  extent: Extent,
): Promise<Portion[]> {
  if (numbers.length === 0) return [];
  const parameters = [merchantId, arrayOf(asker.pool, "int8", numbers)];
  const rows = await inTurn(asker, () =>
    ask<{ number: string; bytes: string }>(asker.pool, weighed(extent), parameters, isBig(newest)),
  );
  return parted(rows.map(({ number, bytes }) => [Number(number), Number(bytes)]));
}

function parted(sizes: readonly (readonly [number: number, bytes: number])[]): Portion[] {
  const portions: { numbers: number[]; bytes: number }[] = [];
  for (const [number, bytes] of sizes) {
    const last = portions.at(-1);
    if (last && last.bytes + bytes <= MOST_BYTES) {
      last.numbers.push(number);
      last.bytes += bytes;
    } else portions.push({ numbers: [number], bytes });
  }
  return portions.map(({ numbers, bytes }) => ({ numbers, ordinary: bytes <= MOST_BYTES }));
}

/** What else a transaction takes, and an event, as JSON. */
const TRANSACTION_BYTES = 1_500;
const EVENT_BYTES = 800;

const weighed = ({ bytes }: Extent) => `
select n.number, ${TRANSACTION_BYTES} + t.bytes + e.bytes as bytes from unnest($2::int8[]) as n(number)
cross join lateral (
  select id, ${bytes} as bytes from transactions where merchant_id = $1 and number = n.number limit 1
) t
cross join lateral (
  select coalesce(sum(${EVENT_BYTES} + ${bytesOf("shares")}), 0) as bytes from events
  where merchant_id = $1 and transaction_id = t.id
) e
order by n.number desc`;
