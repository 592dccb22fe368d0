// Prepares the standings of merchants' blocks in the background, so that a list that is the first to ask for events finds nearly all of
// them stored. What is new and what has changed is read once, and one node at a time is at it.

import type { Sql } from "../database.ts";
import { type Asker, inTurn } from "./ask.ts";
import type { BlockStandings } from "./block-standings.ts";
import { type Merchant, settledBefore } from "./changed.ts";
import { blocksIn, findUnknown, learn, MOST_UNKNOWN, offsetsIn } from "./known-standings.ts";
import { MOST_NUMBERS, standingsOf } from "./remembered-standings.ts";
import { spansOf } from "./span.ts";
import { latestStored, storeStandings } from "./stored-standings.ts";

/** So many of a block, which a list has to read from rows until they are stored. */
const WORTH_STORING = 100;
/** So that a list does not look far back for what changed. */
const STORED_ANEW_MS = 86_400_000;
/** Another node is at it if it has stored something as recently: less than the pause between two rounds. */
const ANOTHERS_MS = 15_000;

/** Of each merchant, in milliseconds. */
interface Rounds {
  /** The latest instant as of which something was stored by this process. */
  readonly storedAsOf: Map<string, number>;
  /** Up to which all was written when this process looked last. */
  readonly settled: Map<string, number>;
}

/** For each pool, which is to say for each database. */
const roundsOfPools = new WeakMap<Sql, Rounds>();
function roundsOf({ pool }: Asker): Rounds {
  const rounds = roundsOfPools.get(pool) ?? { storedAsOf: new Map(), settled: new Map() };
  roundsOfPools.set(pool, rounds);
  return rounds;
}

/** Lists have their own, and do not wait for this. */
const nameOf = (merchantId: string): string => `preparing ${merchantId}`;

/** Until all is stored that is worth it, unless another node is at it. */
export async function prepareStandings(asker: Asker, merchantId: string): Promise<void> {
  if (await isAnothers(asker, merchantId)) return standingsOf(asker.pool).forget(nameOf(merchantId));
  for (let goesOn = false; await prepareSome(asker, merchantId, goesOn); ) goesOn = true;
}

async function isAnothers(asker: Asker, merchantId: string): Promise<boolean> {
  const rounds = roundsOf(asker);
  const settled = (await settledBefore(asker))?.getTime();
  const latest = (await inTurn(asker, () => latestStored(asker.pool, merchantId)))?.getTime();
  if (settled === undefined || latest === undefined || latest === rounds.storedAsOf.get(merchantId)) return false;
  // Held back by a dead node, it does not tell who is at it: perhaps the dead one was.
  const standsStill = settled === rounds.settled.get(merchantId);
  rounds.settled.set(merchantId, settled);
  return !standsStill && latest > settled - ANOTHERS_MS;
}

/**
 * Reads some from their rows, and stores the blocks of which all is known.
 * @param goesOn with what another call has begun, as of the same instant
 * @returns whether there are more
 */
export async function prepareSome(
  asker: Asker,
  merchantId: string,
  goesOn = false,
  enough = MOST_UNKNOWN,
): Promise<boolean> {
  const { newest, archived, version } = await spansOf(asker, merchantId, []);
  const merchant: Merchant = { merchantId, newest, version };
  const span = { first: Math.max(archived, newest - MOST_NUMBERS) + 1, last: newest };
  if (span.first > span.last) return false;
  return standingsOf(asker.pool).alone(asker, nameOf(merchantId), version, async (known) => {
    // Others took the memory: what was read and not stored would be read over and over.
    if (goesOn && known.size === 0) return false;
    // Blocks are stored as of an instant. Where a dead node holds it back, what was read since is not read over and over.
    const isOutdated = ({ asOf }: BlockStandings, settled: Date) => !goesOn && settled > asOf;
    const wanted = { enough, isBehind: () => false, isOutdated };
    const unknown = await findUnknown(asker, merchant, known, span, wanted);
    if (unknown === undefined) return false;
    const learnt = await learn(asker, merchant, known, unknown);
    // Of what was archived meanwhile nobody knows whether it changed before.
    const then = await spansOf(asker, merchantId, []);
    if (then.archived !== archived || then.version !== version) return true;
    for (const block of blocksIn(span)) {
      const standings = known.get(block);
      const [first, last] = offsetsIn(block, span);
      if (!standings || !isWorthStoring(standings) || standings.unknown(first, last, 1).length > 0) continue;
      const stored = standings.stored(first);
      await storeStandings(asker, merchantId, block, stored);
      standings.wasStored(stored);
      roundsOf(asker).storedAsOf.set(merchantId, stored.asOf.getTime());
    }
    return learnt > 0 && unknown.numbers.length >= enough;
  });
}

const isWorthStoring = ({ asOf, storedAsOf, learnt }: BlockStandings): boolean =>
  storedAsOf === undefined || learnt >= WORTH_STORING || asOf.getTime() - storedAsOf.getTime() >= STORED_ANEW_MS;
