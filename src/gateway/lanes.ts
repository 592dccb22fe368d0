// What waits for a processor record is worked off in a lane of its own, so that of one that is silent no other has to wait.
// While it answers many are asked at once; while it does not, one at a time, until one is answered.

import type { Backlog } from "../journal/nodes.ts";
import type { UnresolvedEvent } from "../journal/unresolved.ts";
import type { Render } from "./answer.ts";
import { type Attempted, attemptToResolve } from "./attempt.ts";
import type { Parts } from "./parts.ts";

/** Of one processor record, on one node. */
const AT_ONCE = 32;
/**
 * Renewed for as long as an event is worked on, so that no two nodes ask about it at the same time. What breaks in the middle,
 * because the database is gone for a moment, is tried again this soon.
 */
const LEASE = { ms: 10_000, renewEveryMs: 3_000 };
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

export interface Lanes {
  /**
   * Takes what is due for this processor record as there is room for it, until nothing is due any more or it falls silent,
   * and waits for what it began. While an earlier call does the same, the two share the room.
   * @returns how many were tried
   */
  work(processorId: string): Promise<number>;
  /** Of what waits for a processor that was silent here, and answered a caller since, one is due. */
  noteAnswers(): Promise<void>;
  /** Nothing is taken any more. */
  stop(): void;
}

export function lanes(parts: Parts, backlog: Backlog, render: Render, lease = LEASE): Lanes {
  const open = new Map<string, Lane>();
  let stopped = false;
  return {
    async work(processorId) {
      const lane = open.get(processorId) ?? new Lane(processorId, parts, backlog, render, lease, () => stopped);
      open.set(processorId, lane);
      try {
        return await lane.work();
      } finally {
        if (lane.idle) open.delete(processorId);
      }
    },
    noteAnswers: async () => {
      for (const lane of open.values()) await lane.noteAnswers();
    },
    stop: () => {
      stopped = true;
    },
  };
}

class Lane {
  readonly #processorId: string;
  readonly #parts: Parts;
  readonly #backlog: Backlog;
  readonly #render: Render;
  readonly #lease: typeof LEASE;
  readonly #stopped: () => boolean;
  #inFlight = 0;
  #answers = 0;
  /** What was asked last was not answered, and nothing since. */
  #silent = false;
  /** To callers, when that was last taken for a sign that it is back. */
  #answersToCallers = 0;
  #signs = 0;
  #noSignBefore = 0;

  constructor(
    processorId: string,
    parts: Parts,
    backlog: Backlog,
    render: Render,
    lease: typeof LEASE,
    stopped: () => boolean,
  ) {
    this.#processorId = processorId;
    this.#parts = parts;
    this.#backlog = backlog;
    this.#render = render;
    this.#lease = lease;
    this.#stopped = stopped;
  }

  /** There is nothing to remember of it. */
  get idle(): boolean {
    return this.#inFlight === 0 && !this.#silent;
  }

  async work(): Promise<number> {
    const begun = new Set<Promise<void>>();
    let tried = 0;
    try {
      for (;;) {
        // One that is silent gets a single question each time.
        const due = this.#silent && tried > 0 ? [] : await this.#take();
        tried += due.length;
        for (const event of due) {
          const one: Promise<void> = this.#resolve(event).then(() => void begun.delete(one));
          begun.add(one);
        }
        if (begun.size === 0) return tried;
        await Promise.race(begun);
      }
    } finally {
      // Also when no more can be taken because the database is away: whoever stops waits for what is in flight.
      await Promise.all(begun);
    }
  }

  async noteAnswers(): Promise<void> {
    if (!this.#silent) return;
    const [now, answers] = [this.#parts.clock.now(), this.#parts.processors.answers(this.#processorId)];
    if (answers === this.#answersToCallers || now.getTime() < this.#noSignBefore) return;
    this.#answersToCallers = answers;
    // It may answer sales and no reversals: so one is tried, and less and less often.
    this.#noSignBefore = now.getTime() + pauseAfter(++this.#signs);
    await this.#backlog.dueAtOnce(this.#processorId, now, 1);
  }

  async #take(): Promise<readonly UnresolvedEvent[]> {
    const room = (this.#silent ? 1 : AT_ONCE) - this.#inFlight;
    if (room <= 0 || this.#stopped()) return [];
    this.#inFlight += room;
    let taken: readonly UnresolvedEvent[] = [];
    try {
      taken = await this.#backlog.leaseDue(this.#processorId, this.#parts.clock.now(), this.#lease.ms, room);
      return taken;
    } finally {
      this.#inFlight -= room - taken.length;
    }
  }

  async #resolve(event: UnresolvedEvent): Promise<void> {
    const answersBefore = this.#answers;
    const renewing = setInterval(() => this.#renew(event), this.#lease.renewEveryMs);
    try {
      const attempted = await attemptToResolve(this.#parts, event, this.#render);
      await this.#note(event, attempted, answersBefore);
    } catch (fault) {
      // Its lease ends by itself, and it is taken again.
      this.#parts.log.warn(
        { transaction: event.transactionId, sequence: event.sequence, fault: String(fault) },
        "an event could not be resolved yet",
      );
    } finally {
      clearInterval(renewing);
      this.#inFlight--;
    }
  }

  #renew(event: UnresolvedEvent): void {
    // One that cannot be renewed ends, and somebody else may ask, under the same reference.
    this.#backlog.renew(event, this.#parts.clock.now(), this.#lease.ms).catch(() => undefined);
  }

  async #note(event: UnresolvedEvent, attempted: Attempted, answersBefore: number): Promise<void> {
    const now = this.#parts.clock.now();
    switch (attempted.kind) {
      case "needless":
        return this.#backlog.resolved(event, null);
      case "answered":
        this.#answers++;
        await this.#backlog.resolved(event, attempted.confirmed ? now : null);
        if (this.#silent) await this.#isBack(now);
        return;
      case "unanswered":
        await this.#backlog.putOff(
          event,
          { at: now, said: inOneLine(attempted.why) },
          new Date(now.getTime() + pauseAfter(event.attempts)),
        );
        // Others may have been answered since this one was asked.
        if (this.#answers === answersBefore) this.#fellSilent(attempted.why);
    }
  }

  async #isBack(now: Date): Promise<void> {
    this.#silent = false;
    this.#parts.log.info({ processor: this.#processorId }, "a processor answers again: what waits for it is due");
    await this.#backlog.dueAtOnce(this.#processorId, now, null);
  }

  #fellSilent(why: string): void {
    if (this.#silent) return;
    this.#silent = true;
    this.#answersToCallers = this.#parts.processors.answers(this.#processorId);
    this.#signs = 0;
    this.#noSignBefore = 0;
    this.#parts.log.warn(
      { processor: this.#processorId, why },
      "a processor does not answer: what waits for it is tried one at a time",
    );
  }
}

const MOST_SAID = 300;
const inOneLine = (why: string): string => why.replace(/\p{Cc}+/gu, " ").slice(0, MOST_SAID);

const pauseAfter = (attempts: number): number =>
  Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempts, 10), LONGEST_PAUSE_MS);
