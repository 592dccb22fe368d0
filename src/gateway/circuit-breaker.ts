// A circuit breaker: it opens when a question was not answered, and closes with the next answer. While it is open, answers to
// callers are a sign that the processor is back, and then a probe is due. It asks nobody.

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** Doubled with each attempt, up to a minute. */
export const pauseAfter = (attempts: number): number =>
  Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempts, 10), LONGEST_PAUSE_MS);

export class CircuitBreaker {
  #open = false;
  #answers = 0;
  #answersToCallersBefore = 0;
  #probes = 0;
  #noProbeBeforeMs = 0;

  get open(): boolean {
    return this.#open;
  }

  /** To be kept with a question, for {@link unanswered}. */
  get answers(): number {
    return this.#answers;
  }

  /** @returns whether it closed */
  answered(): boolean {
    this.#answers++;
    const closed = this.#open;
    this.#open = false;
    return closed;
  }

  /**
   * @param answersBefore when the question was asked: others may have been answered since
   * @param answersToCallers so far
   * @returns whether it opened
   */
  unanswered(answersBefore: number, answersToCallers: number): boolean {
    if (this.#open || this.#answers !== answersBefore) return false;
    this.#open = true;
    this.#answersToCallersBefore = answersToCallers;
    this.#probes = 0;
    this.#noProbeBeforeMs = 0;
    return true;
  }

  /** Whether callers were answered since the last probe. A processor may answer sales and no reversals: they grow rare. */
  probeDue(answersToCallers: number, nowMs: number): boolean {
    if (!this.#open || answersToCallers === this.#answersToCallersBefore || nowMs < this.#noProbeBeforeMs) return false;
    this.#answersToCallersBefore = answersToCallers;
    this.#noProbeBeforeMs = nowMs + pauseAfter(++this.#probes);
    return true;
  }
}
