// How this host misbehaves on demand: rules, each for some requests, some of the time, so often.

import { setTimeout as pause } from "node:timers/promises";

/**
 * - `delay` it is booked and answered `ms` later, whether or not somebody still waits for the answer
 * - `silent-before` nothing is booked, and the connection stays open without an answer; `silent-after` booked, and the same
 * - `disconnect-before`, `disconnect-after` booking, the connection ends without an answer
 * - `half` booked, and half of the answer
 * - `garbage` booked, and an answer that is no JSON
 * - `busy` 429, and nothing is booked
 * - `error-before`, `error-after` booking: 500
 * - `crash-after` booking, the process kills itself
 * - `refuse-repeats` what was asked before under its key, answered or not, is refused with `status` and not looked at, as something on the
 *   way does it
 */
export const CONDUCTS = [
  "delay",
  "silent-before",
  "silent-after",
  "disconnect-before",
  "disconnect-after",
  "half",
  "garbage",
  "busy",
  "error-before",
  "error-after",
  "crash-after",
  "refuse-repeats",
] as const;
export type Misconduct = (typeof CONDUCTS)[number];

/** The last part of the path: `payments`, `captures`, `cancels`, `refunds`, `reversals`, `paymentMethods`. */
export type On = string;

export interface Rule {
  readonly what: Misconduct;
  /** All of them without it. */
  readonly on?: readonly On[];
  /** From 0 to 1; always without it. */
  readonly chance?: number;
  /** How often it is used up; never without it. */
  readonly times?: number;
  readonly ms?: number;
  /** Of refused repeats; 400 without it. */
  readonly status?: number;
}

/** Throws a TypeError that says what is wrong. */
export function parseRule(given: unknown): Rule {
  if (typeof given !== "object" || given === null) throw new TypeError("A rule is a JSON object.");
  const { what } = given as { readonly what?: unknown };
  if (!CONDUCTS.some((conduct) => conduct === what)) throw new TypeError(`what is one of ${CONDUCTS.join(", ")}.`);
  return given as Rule;
}

export class Misbehaviour {
  #rules: { readonly rule: Rule; left: number }[] = [];
  readonly #asked = new Set<string>();
  readonly #held = new Set<Promise<void>>();

  add(rule: Rule): void {
    this.#rules.push({ rule, left: rule.times ?? Number.POSITIVE_INFINITY });
  }

  /** Delays a request. Whoever asked may be gone when it is carried out. */
  hold(ms: number): Promise<void> {
    const held: Promise<void> = pause(ms).finally(() => this.#held.delete(held));
    this.#held.add(held);
    return held;
  }

  /** Nothing misbehaves any more. @returns once all that was held back is carried out */
  async clear(): Promise<void> {
    this.#rules = [];
    await Promise.all(this.#held);
  }

  /** The rules that apply now; each is used up by it. @param question the same for a repeat; null where none is told as one */
  at(on: On, question: string | null): readonly Rule[] {
    const repeated = question !== null && this.#asked.has(question);
    if (question !== null) this.#asked.add(question);
    const applying = this.#rules.filter(
      ({ rule, left }) =>
        left > 0 &&
        (repeated || rule.what !== "refuse-repeats") &&
        (rule.on?.includes(on) ?? true) &&
        (rule.chance === undefined || Math.random() < rule.chance),
    );
    for (const each of applying) each.left--;
    return applying.map(({ rule }) => rule);
  }
}
