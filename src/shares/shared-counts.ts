// Counts within a minute, by holder, over all nodes of a database. Each node counts in memory, tells the others once a second, and
// asks them first where what it has not told yet could make the sum wrong by more than a tenth.

import { oldestBeyond } from "./forget-oldest.ts";
import type { Counted } from "./minute-counts.ts";

const MINUTE_MS = 60_000;
/** By so much of a limit all nodes together may count too little. */
const MOST_OFF = 0.1;
const MOST_HOLDERS = 100_000;
const MOST_TOLD_AT_ONCE = 1_000;
/** Nobody waits longer for the others: after it the node's own count decides, until they answer again. */
const PATIENCE_MS = 1_000;

/** What was counted of a holder: by one node since it last told, or by all of them. */
export interface HolderCount {
  readonly holder: string;
  readonly count: number;
  /** For so long its minute has lasted. */
  readonly ageMs: number;
}

/** Adds what this node counted, each holder once. @returns what all have counted, in any order */
export type Tell = (counts: readonly HolderCount[]) => Promise<readonly HolderCount[]>;

export interface SharedCounts {
  /** Counts one more, unless it is above `most`. At once, or when the other nodes were asked. */
  count(holder: string, most: number): Counted | Promise<Counted>;
  /** Tells what is not told yet; to be called once a second. @param others nodes that count, too */
  tell(others: number): Promise<void>;
}

interface Minute {
  sinceMs: number;
  /** By all nodes, as far as they told. */
  shared: number;
  /** By this node, and not among `shared` yet. */
  own: number;
  /** Those that were counted last, and hear from the others whether they are too many. */
  waiting: Waiting[];
}

interface Waiting {
  /** By what this node knows. */
  readonly nth: number;
  readonly hear: (nth: number) => void;
}

/**
 * @param realTimeMs monotonic
 * @param mostHolders beyond it the one whose minute began first is forgotten
 */
export const sharedCounts = (
  tell: Tell,
  realTimeMs: () => number = () => performance.now(),
  mostHolders = MOST_HOLDERS,
): SharedCounts => new Counts(tell, realTimeMs, mostHolders);

class Counts implements SharedCounts {
  readonly #tell: Tell;
  readonly #nowMs: () => number;
  readonly #mostHolders: number;
  /** In the order in which they began here. */
  readonly #minutes = new Map<string, Minute>();
  readonly #untold = new Set<string>();
  readonly #urgent = new Set<string>();
  /** One is told after the other, so that nothing is told twice. */
  #last: Promise<void> = Promise.resolve();
  #nodes = 1;
  #heard = true;

  constructor(tell: Tell, nowMs: () => number, mostHolders: number) {
    this.#tell = tell;
    this.#nowMs = nowMs;
    this.#mostHolders = mostHolders;
  }

  count(holder: string, most: number): Counted | Promise<Counted> {
    const minute = this.#minuteOf(holder);
    const nth = minute.shared + minute.own + 1;
    if (nth > most) return { nth, leftMs: this.#leftMs(minute) };
    minute.own += 1;
    this.#untold.add(holder);
    if (minute.own <= this.#mayBeUntold(most)) return { nth, leftMs: this.#leftMs(minute) };
    return this.#asked(holder, minute, nth);
  }

  async tell(others: number): Promise<void> {
    this.#nodes = others + 1;
    // Who is alone writes nothing; when another node comes, all that was counted is told.
    if (others > 0) await this.#inTurn(() => this.#exchange([...this.#untold]));
  }

  #minuteOf(holder: string): Minute {
    const known = this.#minutes.get(holder);
    if (known !== undefined && this.#leftMs(known) > 0) return known;
    this.#forget(holder);
    const minute = { sinceMs: this.#nowMs(), shared: 0, own: 0, waiting: [] };
    this.#minutes.set(holder, minute);
    const oldest = oldestBeyond(this.#minutes, this.#mostHolders);
    if (oldest !== undefined) this.#forget(oldest);
    return minute;
  }

  #forget(holder: string): void {
    const waiting = this.#minutes.get(holder)?.waiting.splice(0) ?? [];
    for (const { nth, hear } of waiting) hear(nth);
    this.#minutes.delete(holder);
    this.#untold.delete(holder);
  }

  #leftMs = ({ sinceMs }: Minute): number => sinceMs + MINUTE_MS - this.#nowMs();

  /** If each node keeps so much to itself, they are off by {@link MOST_OFF} together. */
  #mayBeUntold(most: number): number {
    return this.#nodes === 1 || !this.#heard ? Number.POSITIVE_INFINITY : Math.floor((most * MOST_OFF) / this.#nodes);
  }

  async #asked(holder: string, minute: Minute, nth: number): Promise<Counted> {
    const heard = new Promise<number>((hear) => minute.waiting.push({ nth, hear }));
    const first = this.#urgent.size === 0;
    this.#urgent.add(holder);
    // Those that come until their turn is there are told together.
    if (first) void this.#inTurn(() => this.#exchange(this.#takeUrgent())).catch(() => undefined);
    return { nth: await heard, leftMs: this.#leftMs(minute) };
  }

  #takeUrgent(): string[] {
    const holders = [...this.#urgent];
    this.#urgent.clear();
    return holders;
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #exchange(holders: readonly string[]): Promise<void> {
    for (let from = 0; from < holders.length; from += MOST_TOLD_AT_ONCE)
      await this.#exchangeAtOnce(holders.slice(from, from + MOST_TOLD_AT_ONCE));
  }

  async #exchangeAtOnce(holders: readonly string[]): Promise<void> {
    const telling = new Map<string, Telling>();
    for (const holder of holders) {
      const minute = this.#minutes.get(holder);
      if (minute === undefined || this.#leftMs(minute) <= 0) this.#forget(holder);
      else if (minute.own > 0) telling.set(holder, { minute, count: minute.own, waiting: minute.waiting.splice(0) });
    }
    if (telling.size === 0) return;
    const giveUp = () => {
      this.#heard = false;
      for (const { waiting } of telling.values()) for (const { nth, hear } of waiting) hear(nth);
      // Their turn to be told comes after this one, which may not end for long.
      for (const { waiting } of this.#minutes.values()) for (const { nth, hear } of waiting.splice(0)) hear(nth);
    };
    const timer = setTimeout(giveUp, PATIENCE_MS);
    try {
      const told = [...telling].map(([holder, { minute, count }]) => ({ holder, count, ageMs: this.#ageMs(minute) }));
      for (const known of await this.#tell(told)) this.#learn(known, telling.get(known.holder));
      this.#heard = true;
    } catch (fault) {
      giveUp();
      throw fault;
    } finally {
      clearTimeout(timer);
    }
  }

  #ageMs = (minute: Minute): number => MINUTE_MS - this.#leftMs(minute);

  #learn({ holder, count, ageMs }: HolderCount, told: Telling | undefined): void {
    if (told === undefined) return;
    const { minute, waiting } = told;
    minute.shared = count;
    minute.own -= told.count;
    minute.sinceMs = this.#nowMs() - ageMs;
    if (minute.own === 0 && this.#minutes.get(holder) === minute) this.#untold.delete(holder);
    for (const [place, { hear }] of waiting.entries()) hear(count - waiting.length + place + 1);
  }
}

interface Telling {
  readonly minute: Minute;
  readonly count: number;
  readonly waiting: readonly Waiting[];
}
