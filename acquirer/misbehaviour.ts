// How the host misbehaves on demand: rules, each for some operations, some of the time, so often.

import { OPERATIONS, type Operation } from "./question.ts";

/**
 * - `delay` the answer comes `ms` later
 * - `drop-before` nothing is booked or answered, `drop-after` booked and not answered
 * - `duplicate` answered twice
 * - `garbage` booked, and answered with bytes that are no message
 * - `half` booked, half of the answer, and the connection ends
 * - `disconnect-before`, `disconnect-after` booking, in place of an answer
 * - `crash-before`, `crash-after` booking: the process kills itself
 * - `decline-repeats` what was asked before, answered or not, is declined with `code` and not looked at, as a switch on the way does it
 */
export const CONDUCTS = [
  "delay",
  "drop-before",
  "drop-after",
  "duplicate",
  "garbage",
  "half",
  "disconnect-before",
  "disconnect-after",
  "crash-before",
  "crash-after",
  "decline-repeats",
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
  /** Of declined repeats; 96 without it. */
  readonly code?: string;
}

/** Throws a TypeError that names what is wrong. */
export function parseRule(given: unknown): Rule {
  if (typeof given !== "object" || given === null) throw new TypeError("A rule is a JSON object.");
  const { what, on, chance, times, ms, code, ...others } = given as Record<string, unknown>;
  if (Object.keys(others).length > 0) throw new TypeError(`A rule has no ${Object.keys(others).join(", ")}.`);
  if (!oneOf(CONDUCTS, what)) throw new TypeError(`what is one of ${CONDUCTS.join(", ")}.`);
  if (on !== undefined && !(Array.isArray(on) && on.every((each) => oneOf(OPERATIONS, each))))
    throw new TypeError(`on is a list of ${OPERATIONS.join(", ")}.`);
  for (const [name, value, most] of [
    ["chance", chance, 1],
    ["times", times, 1e9],
    ["ms", ms, 600_000],
  ] as const)
    if (value !== undefined && !(typeof value === "number" && value >= 0 && value <= most))
      throw new TypeError(`${name} is a number from 0 to ${most}.`);
  if (code !== undefined && !(typeof code === "string" && /^[0-9A-Z]{2}$/.test(code)))
    throw new TypeError("code is two letters or digits.");
  return given as Rule;
}

const oneOf = <T extends string>(words: readonly T[], given: unknown): given is T =>
  words.some((word) => word === given);

/** What the rules say, one operation after the other. */
export class Misbehaviour {
  readonly #chance: () => number;
  #rules: { readonly rule: Rule; left: number }[] = [];
  readonly #asked = new Set<string>();

  /** @param chance from 0 up to, not including, 1 */
  constructor(chance: () => number) {
    this.#chance = chance;
  }

  add(rule: Rule): void {
    this.#rules.push({ rule, left: rule.times ?? Number.POSITIVE_INFINITY });
  }

  clear(): void {
    this.#rules = [];
  }

  /** The rules that apply now; each is used up by it. @param question the same for a repeat */
  at(operation: Operation, question: string): Rule[] {
    const repeated = this.#asked.has(question);
    this.#asked.add(question);
    const applying = this.#rules.filter(
      ({ rule, left }) =>
        left > 0 &&
        (repeated || rule.what !== "decline-repeats") &&
        (rule.on?.includes(operation) ?? true) &&
        (rule.chance === undefined || this.#chance() < rule.chance),
    );
    for (const each of applying) each.left--;
    return applying.map(({ rule }) => rule);
  }
}
