// The standings (standing.ts) of one block's numbers, as far as they are known: two bytes a number, so that any filter of events is
// answered in memory. Asks nothing of the database.

import { type Bits, BLOCK_SIZE, offsetsOf } from "./block-set.ts";
import type { EventFilter } from "./list-filter.ts";
import { fulfilsEvent, settledSince } from "./standing.ts";

/** As it is stored. Offsets beyond its end are not known either. */
export interface StoredStandings {
  /** All that changed before is in it. */
  readonly asOf: Date;
  readonly standings: readonly string[];
  /** For each number of the block its standing's place among them, from 1; 0: not known. */
  readonly places: Uint16Array<ArrayBuffer>;
}

const FEWEST = 256;
/** As many as two bytes tell apart. */
const MOST_STANDINGS = 0xffff;
/** Beyond this, those that nobody has any more are left out. */
const MANY_STANDINGS = 4_096;
/** Later than any gateway's clock is behind: what is settled for so long is settled to all of them. */
const LONG_SETTLED_MS = 86_400_000;
/** Roughly what a standing takes beside its number's two bytes. */
const STANDING_BYTES = 150;

export class BlockStandings {
  asOf: Date;
  /** The instant as of which it is stored; undefined: it is not. And how many were learnt since. */
  storedAsOf: Date | undefined;
  learnt = 0;
  #standings: string[] = [];
  #placeOf: Map<string, number> = new Map();
  #places: Uint16Array<ArrayBuffer> = new Uint16Array(0);
  /** From this offset on all are known, up to the block's end. */
  #knownFrom = BLOCK_SIZE;
  /** Offsets of what may be another one without a change that lists would tell. */
  #passing: number[] = [];

  /** @param stored without it nothing is known, as of an instant */
  constructor(asOf: Date, stored?: StoredStandings) {
    this.asOf = stored?.asOf ?? asOf;
    this.storedAsOf = stored?.asOf;
    if (stored !== undefined) this.#take(stored);
  }

  #take({ standings, places }: StoredStandings): void {
    this.#standings = [...standings];
    this.#placeOf = new Map(standings.map((standing, index) => [standing, index + 1]));
    this.#places = places;
    this.#knownFrom = BLOCK_SIZE;
  }

  get bytes(): number {
    return this.#places.byteLength + this.#standings.length * STANDING_BYTES;
  }

  /**
   * What changed since `asOf` is not known any more.
   * @param settled everything that changes before this instant is about to be known
   */
  outdate(changed: Bits | undefined, settled: Date): void {
    for (const offset of this.#passing.splice(0)) this.#forget(offset);
    if (changed !== undefined) for (const offset of offsetsOf(changed)) this.#forget(offset);
    if (settled > this.asOf) this.asOf = settled;
    if (this.#standings.length > MANY_STANDINGS) this.#take(this.stored());
  }

  #forget(offset: number): void {
    if (offset < this.#places.length) this.#places[offset] = 0;
    this.#knownFrom = BLOCK_SIZE;
  }

  /** The greatest of the offsets from `first` to `last` that are not known: so many at most, descending. */
  unknown(first: number, last: number, most: number): number[] {
    if (first >= this.#knownFrom) return [];
    const found: number[] = [];
    const end = this.#places.length;
    for (let offset = last; offset >= Math.max(first, end) && found.length < most; offset--) found.push(offset);
    for (let offset = Math.min(last, end - 1); offset >= first && found.length < most; offset--) {
      offset = this.#places.lastIndexOf(0, offset);
      if (offset >= first) found.push(offset);
    }
    if (found.length === 0 && last === BLOCK_SIZE - 1 && most > 0) this.#knownFrom = first;
    return found;
  }

  /** @param passing it is asked for again the next time */
  learn(offset: number, standing: string, passing: boolean): void {
    if (offset >= this.#places.length) this.#grow(offset);
    this.#places[offset] = this.#placeOf.get(standing) ?? this.#add(standing);
    if (passing) this.#passing.push(offset);
    this.learnt++;
  }

  #add(standing: string): number {
    if (this.#standings.length === MOST_STANDINGS) throw new Error("broken invariant: a block has too many standings");
    const place = this.#standings.push(standing);
    this.#placeOf.set(standing, place);
    return place;
  }

  #grow(offset: number): void {
    const length = Math.min(Math.max(2 ** Math.ceil(Math.log2(offset + 1)), FEWEST), BLOCK_SIZE);
    const places = new Uint16Array(length);
    places.set(this.#places);
    this.#places = places;
  }

  /** Those of which it is known that an event has all of it. */
  fulfilling(filter: EventFilter): Bits {
    const fulfils = Uint8Array.from([0, ...this.#standings.map((standing) => Number(fulfilsEvent(standing, filter)))]);
    const bits = new Uint32Array(BLOCK_SIZE / 32);
    for (let offset = 0; offset < this.#places.length; offset += 32) {
      let word = 0;
      for (let bit = 0; bit < 32; bit++) word |= (fulfils[this.#places[offset + bit] ?? 0] ?? 0) << bit;
      bits[offset / 32] = word;
    }
    return bits;
  }

  wasStored({ asOf }: StoredStandings): void {
    this.storedAsOf = asOf;
    this.learnt = 0;
  }

  /**
   * As it is now, without standings that nobody has any more, and without what is passing.
   * @param first the first offset: what is archived is not among changes, and so is not known when it is restored
   */
  stored(first = 0): StoredStandings {
    const instant = new Date(this.asOf.getTime() - LONG_SETTLED_MS);
    const passing = new Set(this.#passing);
    const placeOf = new Map<string, number>();
    const moved = this.#standings.map(() => 0);
    const places = this.#places.map((place, offset) => {
      if (place === 0 || offset < first || passing.has(offset)) return 0;
      moved[place - 1] ||= placeIn(placeOf, settledSince(this.#standings[place - 1] ?? "", instant));
      return moved[place - 1] ?? 0;
    });
    return { asOf: this.asOf, standings: [...placeOf.keys()], places };
  }
}

function placeIn(placeOf: Map<string, number>, standing: string): number {
  const place = placeOf.get(standing) ?? placeOf.size + 1;
  placeOf.set(standing, place);
  return place;
}
