// A circuit breaker for the charges of one processor record: it opens when many of the newest failed for reasons of the processor's
// own, and closes with the next charge that does not. It asks nobody, and is told the time.

import { pauseAfter } from "./circuit-breaker.ts";

const NEWEST = 10;
/** Of the newest: from so many failures on it opens. */
const FAILURES = 5;
const REMEMBERED_MS = 300_000;
/** Whoever found out itself asks sooner; this is for the case that it is gone. */
const PROBES_OF_OTHERS = 6;

interface Seen {
  readonly failed: boolean;
  readonly atMs: number;
}

export class FailureCircuit {
  #newest: readonly Seen[] = [];
  #openSince: Date | undefined;
  /** Since it opened: harmless questions, and charges that were let through. */
  #probes = 0;
  #nextProbeMs = 0;
  #asking = false;
  /** The processor has answered a harmless question: a charge may be let through. */
  #reachable = false;

  /** Undefined: it is closed. */
  get openSince(): Date | undefined {
    return this.#openSince;
  }

  /** There is nothing to remember. */
  get idle(): boolean {
    return this.#openSince === undefined && !this.#newest.some(({ failed }) => failed);
  }

  /** Whether a charge may be drawn to this record now. */
  get admits(): boolean {
    return this.#openSince === undefined || this.#reachable;
  }

  /** How a charge ended. @returns what that changed */
  note(failed: boolean, now: Date): "opened" | "closed" | undefined {
    if (this.#openSince !== undefined) return failed ? undefined : this.#close();
    const oldestMs = now.getTime() - REMEMBERED_MS;
    const seen = [...this.#newest, { failed, atMs: now.getTime() }];
    this.#newest = seen.filter(({ atMs }) => atMs > oldestMs).slice(-NEWEST);
    if (this.#newest.filter((one) => one.failed).length < FAILURES) return undefined;
    this.#open(now, now, 0);
    return "opened";
  }

  /** What another process of this gateway found out. @param since undefined: it takes charges again */
  learn(since: Date | undefined, now: Date): void {
    if (since === undefined) this.#close();
    else if (this.#openSince === undefined) this.#open(since, now, PROBES_OF_OTHERS);
  }

  /** Whether the processor is to be asked a harmless question now; then the answer is to be told to {@link answered}. */
  beginsToAsk(now: Date): boolean {
    const due = this.#openSince !== undefined && !this.#reachable && now.getTime() >= this.#nextProbeMs;
    if (!due || this.#asking) return false;
    this.#asking = true;
    return true;
  }

  answered(reachable: boolean, now: Date): void {
    this.#asking = false;
    this.#reachable = reachable;
    if (!reachable) this.#putOff(now);
  }

  /**
   * A charge goes to this record: no other does until it is known how that ended, or a pause is over.
   * @returns to be called if it is not sent after all: then another may go in its place
   */
  drawn(now: Date): () => void {
    const since = this.#openSince;
    if (since === undefined) return () => undefined;
    const before = { reachable: this.#reachable, nextProbeMs: this.#nextProbeMs };
    this.#reachable = false;
    this.#putOff(now);
    const probes = this.#probes;
    return () => {
      // What was found out since then stands.
      if (this.#openSince !== since || this.#probes !== probes) return;
      this.#probes--;
      this.#reachable ||= before.reachable;
      this.#nextProbeMs = before.nextProbeMs;
    };
  }

  #open(since: Date, now: Date, probes: number): void {
    this.#openSince = since;
    this.#probes = probes;
    this.#putOff(now);
  }

  #close(): "closed" {
    this.#openSince = undefined;
    this.#reachable = false;
    this.#newest = [];
    return "closed";
  }

  #putOff(now: Date): void {
    this.#nextProbeMs = now.getTime() + pauseAfter(this.#probes++);
  }
}
