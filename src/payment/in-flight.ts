// A decision beside operations in flight. What is granted must be right however each of them ends: a void that is whole now is a
// partial one if they fail, a first capture the second one if they succeed. Pure.

import type { Reading } from "./balances.ts";
import type { Amount } from "./money.ts";
import { type Refused, refuse } from "./refusal.ts";
import type { Event, Transaction } from "./transaction.ts";

/** Of so many in flight every ending is looked at, 64 in all. Beside more of them, what depends on it is not granted. */
export const MOST_LOOKED_AT = 6;

type Decided = { readonly kind: "ask" | "granted"; readonly amount: Amount } | Refused;

interface Question<D> {
  readonly transaction: Transaction;
  /** Undefined: all that remains. */
  readonly amount: Amount | undefined;
  readonly decide: (transaction: Transaction, reading: Reading, amount: Amount | undefined) => D;
  /** Whether the answer may be another one where some of them fail and some succeed than where all do the same. */
  readonly partsMatter: (amount: Amount | undefined) => boolean;
}

/** What is refused only because of them may be allowed in a moment. */
export function howeverTheyEnd<D extends Decided>(question: Question<D>): D | Refused {
  const { transaction, decide } = question;
  const decision = decide(transaction, "reserved", question.amount);
  const inFlight = transaction.events.filter(({ outcome }) => outcome === null);
  if (inFlight.length === 0) return decision;
  const amount = decision.kind === "refused" ? question.amount : decision.amount;
  const failed = decide(transaction, "failed", amount);
  const differs = ({ kind }: D): boolean => kind !== decision.kind;
  if (differs(failed) || differs(decide(transaction, "succeeded", amount))) return refuse("operation-in-flight");
  const answer = decision.kind === "refused" ? failed : decision;
  if (inFlight.length === 1 || !question.partsMatter(amount)) return answer;
  if (inFlight.length > MOST_LOOKED_AT) return decision.kind === "refused" ? failed : refuse("operation-in-flight");
  const inParts = partlySucceeding(transaction, inFlight);
  return inParts.some((ending) => differs(decide(ending, "succeeded", amount)))
    ? refuse("operation-in-flight")
    : answer;
}

/** The transaction without those that fail, once for each way in which some fail and some succeed. */
function partlySucceeding(transaction: Transaction, inFlight: readonly Event[]): readonly Transaction[] {
  const [first, ...rest] = transaction.events;
  return Array.from({ length: 2 ** inFlight.length - 2 }, (_, index) => {
    const failing = new Set(inFlight.filter((_, place) => ((index + 1) >> place) & 1));
    return { ...transaction, events: [first, ...rest.filter((event) => !failing.has(event))] };
  });
}
