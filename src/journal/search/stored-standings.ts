// The standings of merchants' blocks as they are stored for whoever needs them next.

import { atOnce } from "../../shares/at-once.ts";
import { arrayOf } from "../columns.ts";
import type { Sql } from "../database.ts";
import { instant, rowReader, text, wholeNumber } from "../rows.ts";
import { type Asker, ask, inTurn } from "./ask.ts";
import type { StoredStandings } from "./block-standings.ts";

/** Some milliseconds of work for the database, and as much here. */
const BLOCKS_AT_ONCE = 8;
/** Statements of one loading that are in flight, or wait for their turns, together. */
const SIDE_BY_SIDE = 2;

/** Those of these blocks that are stored. */
export async function loadStandings(
  asker: Asker,
  merchantId: string,
  blocks: readonly number[],
): Promise<ReadonlyMap<number, StoredStandings>> {
  const found = new Map<number, StoredStandings>();
  const parts = Array.from({ length: Math.ceil(blocks.length / BLOCKS_AT_ONCE) }, (_, nth) =>
    blocks.slice(nth * BLOCKS_AT_ONCE, (nth + 1) * BLOCKS_AT_ONCE),
  );
  await atOnce(SIDE_BY_SIDE, parts, async (part) => {
    const some = arrayOf(asker.pool, "int8", part);
    const rows = await inTurn(asker, () => ask<object>(asker.pool, LOAD, [merchantId, some], true));
    for (const row of rows.map(storedRow))
      found.set(Number(row.block), {
        asOf: row.as_of,
        standings: row.standings === "" ? [] : row.standings.split("\n"),
        places: placesIn(Buffer.from(row.places, "base64")),
      });
  });
  return found;
}

const LOAD = `
select block, as_of, standings, encode(places, 'base64') as places from block_standings
where merchant_id = $1 and block = any($2::int8[])`;

const storedRow = rowReader("block_standings", { block: wholeNumber, as_of: instant, standings: text, places: text });

/** As this machine has them in memory, low byte first: so do all that Faregate runs on. */
function placesIn(bytes: Buffer): Uint16Array<ArrayBuffer> {
  const places = new Uint16Array(bytes.length / 2);
  new Uint8Array(places.buffer).set(bytes);
  return places;
}

/** In the place of what is stored of this block: it does not matter who read it, and as of when. */
export const storeStandings = (
  asker: Asker,
  merchantId: string,
  block: number,
  { asOf, standings, places }: StoredStandings,
): Promise<unknown> =>
  inTurn(
    asker,
    () => asker.pool`
      insert into block_standings (merchant_id, block, as_of, standings, places)
      values (${merchantId}, ${block}, ${asOf}, ${standings.join("\n")}, ${Buffer.from(places.buffer)})
      on conflict (merchant_id, block)
      do update set as_of = excluded.as_of, standings = excluded.standings, places = excluded.places`,
  );

/** The latest instant as of which a block of the merchant's is stored. */
export async function latestStored(sql: Sql, merchantId: string): Promise<Date | undefined> {
  const [row] = await sql<[{ latest: Date | null }]>`
    select max(as_of) as latest from block_standings where merchant_id = ${merchantId}`;
  return row.latest ?? undefined;
}
