// Unresolved events wait in one queue for each processor record, so that a processor that does not answer delays no other's.
// Each queue has a circuit breaker: closed, many events are tried at once; open, one in each round, until one is answered.

import type { Remedy } from "../journal/journal.ts";
import type { Backlog } from "../journal/nodes.ts";
import type { UnresolvedEvent } from "../journal/unresolved.ts";
import { MOST_SAID } from "../payment/kept-response.ts";
import { type Attempted, attemptToResolve } from "./attempt.ts";
import { CircuitBreaker, pauseAfter } from "./circuit-breaker.ts";
import { type Lease, leaseOf, underLease } from "./lease.ts";
import type { Parts } from "./parts.ts";
import type { Render } from "./result.ts";

/** Of one processor record, on one node. */
const AT_ONCE = 32;
/** No two nodes ask about an event at once. What breaks because the database is gone for a moment is tried again this soon. */
const LEASE = leaseOf(10_000);

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

type Undecided = Extract<Attempted, { readonly kind: "undecided" }>;

class ProcessorQueue {
  readonly #processorId: string;
  readonly #parts: Parts;
  readonly #backlog: Backlog;
  readonly #render: Render;
  readonly #lease: Lease;
  readonly #stopped: () => boolean;
  #inFlight = 0;
  readonly #circuit = new CircuitBreaker();

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
    return this.#inFlight === 0 && !this.#circuit.open;
  }

  async work(): Promise<number> {
    const begun = new Set<Promise<void>>();
    let tried = 0;
    try {
      for (;;) {
        // While the circuit is open, a round asks a single question.
        const due = this.#circuit.open && tried > 0 ? [] : await this.#leaseDue();
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
    const now = this.#parts.clock.now();
    const answersToCallers = this.#parts.processors.answers(this.#processorId);
    if (this.#circuit.probeDue(answersToCallers, now.getTime()))
      await this.#backlog.dueAtOnce(this.#processorId, now, 1);
  }

  async #leaseDue(): Promise<readonly UnresolvedEvent[]> {
    const room = (this.#circuit.open ? 1 : AT_ONCE) - this.#inFlight;
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
    const answersBefore = this.#circuit.answers;
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
        await this.#backlog.resolved(event, attempted.confirmed ? now : null);
        return this.#noteAnswer(now);
      case "waiting":
        await this.#putOff(event, attempted.why, attempted.pauseMs, "await");
        return attempted.asked ? this.#noteAnswer(now) : undefined;
      case "undecided":
        await this.#putOffUndecided(event, attempted);
        return this.#noteAnswer(now);
      case "left-to-operator":
        return this.#backlog.putOff(event, null, new Date(now.getTime() + attempted.pauseMs));
      case "unanswered":
        await this.#putOff(event, attempted.why, pauseAfter(event.attempts));
        this.#noteSilence(attempted.why, answersBefore);
    }
  }

  /** Repeated for as long as that may help. After that nobody is asked any more, whatever the processor does. */
  async #putOffUndecided(event: UnresolvedEvent, { why, repeats }: Undecided): Promise<void> {
    const again = event.undecided + 1 < repeats;
    await this.#putOff(event, why, pauseAfter(event.attempts), again ? undefined : "operator", true);
    if (again) return;
    const { transactionId, sequence } = event;
    this.#parts.log.warn(
      { transaction: transactionId, sequence, processor: this.#processorId, why },
      "an operator has to find out how an operation ended: its processor does not say",
    );
  }

  #putOff(
    event: UnresolvedEvent,
    why: string,
    pauseMs: number,
    remedy?: Remedy,
    undecided: boolean = false,
  ): Promise<void> {
    const now = this.#parts.clock.now();
    const dueAt = new Date(now.getTime() + pauseMs);
    return this.#backlog.putOff(event, { at: now, said: why.slice(0, MOST_SAID), undecided }, dueAt, remedy);
  }

  async #noteAnswer(now: Date): Promise<void> {
    if (!this.#circuit.answered()) return;
    this.#parts.log.info({ processor: this.#processorId }, "a processor answers again: what waits for it is due");
    await this.#backlog.dueAtOnce(this.#processorId, now, null);
  }

  #noteSilence(why: string, answersBefore: number): void {
    if (!this.#circuit.unanswered(answersBefore, this.#parts.processors.answers(this.#processorId))) return;
    this.#parts.log.warn(
      { processor: this.#processorId, why },
      "a processor does not answer: what waits for it is tried one at a time",
    );
  }
}
