// Whether the processor of a record answers while its authorizations are captured. After several captures in a row without an answer the
// record is left for a while, so that it takes nobody's place, and what is left of it is captured when the processor answers again.

import { pauseAfter } from "../gateway/circuit-breaker.ts";

/** In a row: fewer may be chance. */
const MOST_UNHEARD = 5;

export class Hearing {
  readonly #most: number;
  #unheard = 0;
  /** Since the last pause. */
  #heard = false;
  #pauses = 0;
  #asking: Promise<boolean> | undefined;

  constructor(most = MOST_UNHEARD) {
    this.#most = most;
  }

  /** Nothing more is to be asked of it now. */
  get silent(): boolean {
    return this.#unheard >= this.#most;
  }

  /** One capture more without an answer, and it is silent. */
  get doubtful(): boolean {
    return this.#unheard >= this.#most - 1;
  }

  /** @param heard whether an answer came to a capture, or to anything else meanwhile */
  note(heard: boolean): void {
    this.#unheard = heard ? 0 : this.#unheard + 1;
    if (!heard) return;
    this.#pauses = 0;
    this.#heard = true;
  }

  /**
   * It was asked, and says that it cannot be reached: nothing more is to be asked of it before a pause. Where it has answered since the
   * last one, that says as much as one capture without an answer.
   */
  giveUp(): void {
    this.#unheard = this.#heard ? this.#unheard + 1 : this.#most;
  }

  /** Whatever it was before. The next pause is as long as if it had not. */
  beginAnew(): void {
    this.#unheard = 0;
  }

  /** @param whether the processor answers: all who want to know at the same time ask once */
  ask(whether: () => Promise<boolean>): Promise<boolean> {
    this.#asking ??= whether().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** @returns how long it is to be left, after which it is doubtful */
  pause(): number {
    this.#unheard = this.#most - 1;
    this.#heard = false;
    return pauseAfter(this.#pauses++);
  }
}
