// Unresolved events wait in one queue for each processor record, so that a processor that does not answer delays no other's.
// Each queue has a circuit breaker: closed, many events are tried at once; open, one in each round, until one is answered.

import type { Remedy } from "../journal/journal.ts";
import type { Backlog } from "../journal/nodes.ts";
import type { UnresolvedEvent } from "../journal/unresolved.ts";
import { type Attempted, attemptToResolve } from "./attempt.ts";
import { type Lease, leaseOf, underLease } from "./lease.ts";
import type { Parts } from "./parts.ts";
import type { Render } from "./result.ts";

/** Of one processor record, on one node. */
const AT_ONCE = 32;
/** No two nodes ask about an event at once. What breaks because the database is gone for a moment is tried again this soon. */
const LEASE = leaseOf(10_000);
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

export interface ProcessorQueues {
  /**
   * Leases what is due for this processor record as there is room, until nothing is due any more or the circuit opens, and
   * waits for what it began. While an earlier call does the same, the two share the room.
   * @returns how many were tried
   */
  work(processorId: string): Promise<number>;
  /** Where a circuit is open and the processor has answered a caller since, one event is due: a probe. */
  probe(): Promise<void>;
  /** Nothing is leased any more. */
  stop(): void;
}

export function processorQueues(parts: Parts, backlog: Backlog, render: Render, lease = LEASE): ProcessorQueues {
  const open = new Map<string, ProcessorQueue>();
  let stopped = false;
  return {
    async work(processorId) {
      const queue =
        open.get(processorId) ?? new ProcessorQueue(processorId, parts, backlog, render, lease, () => stopped);
      open.set(processorId, queue);
      try {
        return await queue.work();
      } finally {
        if (queue.idle) open.delete(processorId);
      }
    },
    probe: async () => {
      for (const queue of open.values()) await queue.probe();
    },
    stop: () => {
      stopped = true;
    },
  };
}

class ProcessorQueue {
  readonly #processorId: string;
  readonly #parts: Parts;
  readonly #backlog: Backlog;
  readonly #render: Render;
  readonly #lease: Lease;
  readonly #stopped: () => boolean;
  #inFlight = 0;
  #answers = 0;
  /** The last question was not answered, and none since. */
  #circuitOpen = false;
  /** To callers, at the last probe. */
  #answersToCallers = 0;
  #probes = 0;
  #noProbeBefore = 0;

  constructor(
    processorId: string,
    parts: Parts,
    backlog: Backlog,
    render: Render,
    lease: Lease,
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
    return this.#inFlight === 0 && !this.#circuitOpen;
  }

  async work(): Promise<number> {
    const begun = new Set<Promise<void>>();
    let tried = 0;
    try {
      for (;;) {
        // While the circuit is open, a round asks a single question.
        const due = this.#circuitOpen && tried > 0 ? [] : await this.#leaseDue();
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

  async probe(): Promise<void> {
    if (!this.#circuitOpen) return;
    const [now, answers] = [this.#parts.clock.now(), this.#parts.processors.answers(this.#processorId)];
    if (answers === this.#answersToCallers || now.getTime() < this.#noProbeBefore) return;
    this.#answersToCallers = answers;
    // It may answer sales and no reversals: so probes come less and less often.
    this.#noProbeBefore = now.getTime() + pauseAfter(++this.#probes);
    await this.#backlog.dueAtOnce(this.#processorId, now, 1);
  }

  async #leaseDue(): Promise<readonly UnresolvedEvent[]> {
    const room = (this.#circuitOpen ? 1 : AT_ONCE) - this.#inFlight;
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
    const renew = () => this.#backlog.renew(event, this.#parts.clock.now(), this.#lease.ms);
    try {
      await underLease(this.#lease, renew, async () => {
        const attempted = await attemptToResolve(this.#parts, event, this.#render);
        await this.#note(event, attempted, answersBefore);
      });
    } catch (fault) {
      // Its lease ends by itself, and it is taken again.
      this.#parts.log.warn(
        { transaction: event.transactionId, sequence: event.sequence, fault: String(fault) },
        "an event could not be resolved yet",
      );
    } finally {
      this.#inFlight--;
    }
  }

  async #note(event: UnresolvedEvent, attempted: Attempted, answersBefore: number): Promise<void> {
    const now = this.#parts.clock.now();
    switch (attempted.kind) {
      case "needless":
        return this.#backlog.resolved(event, null);
      case "answered":
        this.#answers++;
        await this.#backlog.resolved(event, attempted.confirmed ? now : null);
        if (this.#circuitOpen) await this.#closeCircuit(now);
        return;
      case "waiting":
        await this.#putOff(event, attempted.why, attempted.pauseMs, "await");
        if (!attempted.asked) return;
        this.#answers++;
        if (this.#circuitOpen) await this.#closeCircuit(now);
        return;
      case "unanswered":
        await this.#putOff(event, attempted.why, pauseAfter(event.attempts));
        // Others may have been answered since this one was asked.
        if (this.#answers === answersBefore) this.#openCircuit(attempted.why);
    }
  }

  #putOff(event: UnresolvedEvent, why: string, pauseMs: number, remedy?: Remedy): Promise<void> {
    const now = this.#parts.clock.now();
    const dueAt = new Date(now.getTime() + pauseMs);
    return this.#backlog.putOff(event, { at: now, said: inOneLine(why) }, dueAt, remedy);
  }

  async #closeCircuit(now: Date): Promise<void> {
    this.#circuitOpen = false;
    this.#parts.log.info({ processor: this.#processorId }, "a processor answers again: what waits for it is due");
    await this.#backlog.dueAtOnce(this.#processorId, now, null);
  }

  #openCircuit(why: string): void {
    if (this.#circuitOpen) return;
    this.#circuitOpen = true;
    this.#answersToCallers = this.#parts.processors.answers(this.#processorId);
    this.#probes = 0;
    this.#noProbeBefore = 0;
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
