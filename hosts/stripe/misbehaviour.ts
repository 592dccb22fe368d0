// How the host misbehaves on demand: rules, each for some operations, some of the time, so often.

import { setTimeout as pause } from "node:timers/promises";

const OPERATIONS = ["create", "card", "setup", "confirm", "capture", "cancel", "refund", "look", "webhook"] as const;
export type Operation = (typeof OPERATIONS)[number];

/**
 * Of requests:
 * - `delay` it is done and answered `ms` later; `delay-after` it is done, told by webhook, and answered `ms` later
 * - `drop-before` nothing is done or answered, `drop-after` done and not answered
 * - `too-many` 429, nothing is done; `error-before` 500, nothing is done; `error-after` done, and 500
 * - `half` done, half of the answer, and the connection ends; `garbage` done, and answered with what is no JSON
 * - `disconnect-before`, `disconnect-after` it was done, in place of an answer
 * - `crash-before`, `crash-after` it was done: the process kills itself
 * - `accept` done later: a confirmation is processing, a refund pending
 * - `refuse-repeats` what was asked before under its key, answered or not, is refused with `status` and not looked at, as something on the
 *   way does it
 *
 * Of webhooks: `lose` never sent, `double` sent twice, `late` sent `ms` later, and so behind those that came after.
 */
export const CONDUCTS = [
  "delay",
  "delay-after",
  "drop-before",
  "drop-after",
  "too-many",
  "error-before",
  "error-after",
  "half",
  "garbage",
  "disconnect-before",
  "disconnect-after",
  "crash-before",
  "crash-after",
  "accept",
  "refuse-repeats",
  "lose",
  "double",
  "late",
] as const;
export type Misconduct = (typeof CONDUCTS)[number];

export interface Rule {
  readonly what: Misconduct;
  /** All of them without it. */
  readonly on?: readonly Operation[];
  /** From 0 to 1; always without it. */
  readonly chance?: number;
  /** How often it is used up; never without it. */
  readonly times?: number;
  readonly ms?: number;
  /** Of refused repeats; 400 without it. */
  readonly status?: number;
}

/** Throws a TypeError that names what is wrong. */
export function parseRule(given: unknown): Rule {
  if (typeof given !== "object" || given === null) throw new TypeError("A rule is a JSON object.");
  const { what, on, chance, times, ms, status, ...others } = given as Record<string, unknown>;
  if (Object.keys(others).length > 0) throw new TypeError(`A rule has no ${Object.keys(others).join(", ")}.`);
  if (!oneOf(CONDUCTS, what)) throw new TypeError(`what is one of ${CONDUCTS.join(", ")}.`);
  if (on !== undefined && !(Array.isArray(on) && on.every((each) => oneOf(OPERATIONS, each))))
    throw new TypeError(`on is a list of ${OPERATIONS.join(", ")}.`);
  for (const [name, value, most] of [
    ["chance", chance, 1],
    ["times", times, 1e9],
    ["ms", ms, 600_000],
    ["status", status, 599],
  ] as const)
    if (value !== undefined && !(typeof value === "number" && value >= 0 && value <= most))
      throw new TypeError(`${name} is a number from 0 to ${most}.`);
  return given as Rule;
}

const oneOf = <T extends string>(words: readonly T[], given: unknown): given is T =>
  words.some((word) => word === given);

/** What the rules say, one operation after the other. */
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

  /** The rules that apply now; each is used up by it. @param question the same for a repeat; undefined where none is told as one */
  at(operation: Operation, question?: string): ReadonlyMap<Misconduct, Rule> {
    const repeated = question !== undefined && this.#asked.has(question);
    if (question !== undefined) this.#asked.add(question);
    const applying = this.#rules.filter(
      ({ rule, left }) =>
        left > 0 &&
        (repeated || rule.what !== "refuse-repeats") &&
        (rule.on?.includes(operation) ?? true) &&
        (rule.chance === undefined || Math.random() < rule.chance),
    );
    for (const each of applying) each.left--;
    return new Map(applying.map(({ rule }) => [rule.what, rule]));
  }
}
