// Which cards were charged lately, in groups that have something in common, and what became of them. Cards and groups are
// known by keyed hashes only. In memory, bounded, by real time.

import { tellsOfTesting } from "../payment/card-testing.ts";
import type { DeclineCategory } from "../payment/decline.ts";
import type { Outcome } from "../payment/outcome.ts";
import type { CvvWord } from "../payment/verification.ts";
import { oldestBeyond } from "../shares/forget-oldest.ts";

/** The best that is known: what was approved once is a card that works for its holder. */
export type CardState = "pending" | "other" | "declined" | "approved";

export interface CardGroups {
  /** Different cards since then. @param newest how many of the newest answers are looked at */
  counted(group: string, sinceMs: number, newest: number): Counted;
  stateOf(group: string, card: string, sinceMs: number): CardState | undefined;
  /** Makes the card the newest of the group; beyond the most, the longest unseen goes. */
  add(group: string, card: string, atMs: number, most: number): void;
  /** Of a card that is in the group; a better state that is known stays. */
  learn(group: string, card: string, state: CardState): void;
}

export interface Counted {
  readonly cards: number;
  readonly answered: number;
  readonly pending: number;
  /** Of the answered: the newest, as many as are looked at. */
  readonly newest: number;
  /** Of the newest. */
  readonly declined: number;
}

interface Seen {
  state: CardState;
  atMs: number;
}

interface Group {
  /** From the longest unseen to the newest. */
  readonly cards: Map<string, Seen>;
  /** Of those: the answered, in the order of their first answers, and no more than {@link MOST_NEWEST}. */
  readonly answered: Seen[];
  /** How many of the cards are in each state. */
  readonly count: Record<CardState, number>;
}

const BETTER: Record<CardState, number> = { pending: 0, other: 1, declined: 2, approved: 3 };

/** As many as the settings can ask for. */
const MOST_NEWEST = 100;

/** @param mostInAll cards, beyond which the groups go that were untouched for longest */
export function cardGroups(mostInAll: number): CardGroups {
  // Two generations instead of one in the order of touch: to move an entry of a large Map to its end takes 0.2 ms.
  let young = new Map<string, Group>();
  let old = new Map<string, Group>();
  /** Cards in the young generation. */
  let inYoung = 0;

  function touched(name: string): Group | undefined {
    const group = young.get(name);
    if (group !== undefined) return group;
    const aged = old.get(name);
    return aged && keep(name, aged);
  }

  function keep(name: string, group: Group): Group {
    old.delete(name);
    if (inYoung + group.cards.size > mostInAll / 2) [old, young, inYoung] = [young, new Map(), 0];
    young.set(name, group);
    inYoung += group.cards.size;
    return group;
  }

  function remove(group: Group, card: string): void {
    const seen = group.cards.get(card);
    if (seen === undefined) return;
    group.cards.delete(card);
    group.count[seen.state]--;
    inYoung--;
  }

  function since(name: string, sinceMs: number): Group | undefined {
    const group = touched(name);
    if (group === undefined) return undefined;
    for (const [card, { atMs }] of group.cards) {
      if (atMs >= sinceMs) break;
      remove(group, card);
    }
    if (group.cards.size > 0) return group;
    young.delete(name);
    return undefined;
  }

  return {
    counted(name, sinceMs, newest) {
      const group = since(name, sinceMs);
      if (group === undefined) return NOTHING;
      const { pending } = group.count;
      const { size } = group.cards;
      return { cards: size, answered: size - pending, pending, ...newestOf(group, sinceMs, newest) };
    },
    stateOf: (name, card, sinceMs) => since(name, sinceMs)?.cards.get(card)?.state,
    add(name, card, atMs, most) {
      const empty = () => ({
        cards: new Map(),
        answered: [],
        count: { pending: 0, other: 0, declined: 0, approved: 0 },
      });
      const group = touched(name) ?? keep(name, empty());
      const seen = group.cards.get(card) ?? { state: "pending", atMs };
      remove(group, card);
      seen.atMs = atMs;
      group.cards.set(card, seen);
      group.count[seen.state]++;
      inYoung++;
      const longestUnseen = oldestBeyond(group.cards, most);
      if (longestUnseen !== undefined) remove(group, longestUnseen);
      if (inYoung > mostInAll / 2) [old, young, inYoung] = [young, new Map(), 0];
    },
    learn(name, card, state) {
      const group = touched(name);
      const seen = group?.cards.get(card);
      if (group === undefined || seen === undefined || BETTER[state] <= BETTER[seen.state]) return;
      group.count[seen.state]--;
      group.count[state]++;
      if (seen.state === "pending" && group.answered.push(seen) > MOST_NEWEST) group.answered.shift();
      seen.state = state;
    },
  };
}

function newestOf({ answered }: Group, sinceMs: number, most: number): Pick<Counted, "newest" | "declined"> {
  let [newest, declined] = [0, 0];
  for (let at = answered.length - 1; at >= 0 && newest < most; at--) {
    const seen = answered[at];
    if (seen === undefined || seen.atMs < sinceMs) continue;
    newest++;
    if (seen.state === "declined") declined++;
  }
  return { newest, declined };
}

const NOTHING: Counted = { cards: 0, answered: 0, pending: 0, newest: 0, declined: 0 };

/** What of an outcome tells something about the card. */
export interface Ended {
  readonly kind: Outcome["kind"];
  readonly category?: DeclineCategory;
  readonly processorResponse?: { readonly cvv: CvvWord | null };
}

/** An approval is no sign, unless the CVV was wrong: some issuers approve nevertheless, and it was guessed. */
export function stateOf(outcome: Ended | null | undefined): CardState {
  if (outcome?.kind === "approved") return outcome.processorResponse?.cvv === "no_match" ? "declined" : "approved";
  const { category } = outcome ?? {};
  return outcome?.kind === "declined" && category && tellsOfTesting(category) ? "declined" : "other";
}
