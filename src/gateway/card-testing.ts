// Watches charges for card testing (payment/card-testing.ts has the rule): slows and then refuses those that look like it,
// before their intent is written. Counts in memory; what other nodes counted comes by card-testing-exchange.ts.

import { createHmac, hash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { firstSix } from "../payment/card-mask.ts";
import {
  type CardTestingSettings,
  type Evidence,
  fewestCards,
  type Signal,
  slowedMs,
  speaksOfTheCard,
  suspicionOf,
} from "../payment/card-testing.ts";
import type { Amount } from "../payment/money.ts";
import type { CardNumber } from "../payment/secret.ts";
import type { Outcome } from "../payment/transaction.ts";
import { type CardState, cardGroups } from "./card-groups.ts";

export interface Watched {
  readonly merchantId: string;
  readonly tokenId: string;
  /** Null: the gateway's defaults. */
  readonly settings: CardTestingSettings | null;
  readonly card: CardNumber;
  readonly amount: Amount;
  readonly ipAddress: string | null;
}

/** What of an outcome tells something about the card. */
export interface Ended {
  readonly kind: Outcome["kind"];
  readonly processorResponse: { readonly code: string };
}

/** A charge that may go on. */
export interface Admitted {
  /** Undefined or null: nothing is known of it. */
  ended(outcome: Ended | null | undefined): void;
}

export interface CardTestingWatch {
  /** Answers at once, or for a suspicious charge after a while. Undefined: it is refused. */
  admit(charge: Watched): Promise<Admitted | undefined>;
  /** What is worth telling to others of what happened since the last call. */
  takeReports(): Report[];
  /** What others counted, by {@link Report.name}; replaces what was known of it. */
  learn(others: ReadonlyMap<string, Told>): void;
}

/** What nodes tell each other of a group. */
export type Told = Omit<Evidence, "pending">;

/** A group of cards that looks like card testing. */
export interface Report extends Evidence {
  readonly name: string;
  readonly merchantId: string;
  readonly signal: Signal;
  /** Keyed hash. */
  readonly key: string;
  /** For people. */
  readonly shown: string;
  /** Charges since the last report. */
  readonly slowed: number;
  readonly refused: number;
}

interface Group extends Pick<Report, "name" | "merchantId" | "signal" | "key" | "shown"> {
  /** Under which the cards are counted that were refused. */
  readonly refusals: string;
}

/** So many of the newest cards tell as much as all of them. */
const MOST_CARDS_A_GROUP = 240;
/** More than twice as many, so that a full group is not taken for half of all. */
const MOST_CARDS_A_MERCHANT = 1_000;
const MOST_CARDS = 200_000;
/** Charges that are held back at once; more are refused. */
const MOST_WAITING = 500;
const LONGEST_WAIT_MS = 2_000;
const LOOK_AGAIN_MS = 100;
/** Groups of which something is to be told at once; of more, the rest is told when they are touched again. */
const MOST_REPORTS = 1_000;
const MINUTE_MS = 60_000;
const MOST_REMEMBERED = 10_000;

interface Options {
  readonly nowMs?: () => number;
  readonly wait?: (ms: number) => Promise<unknown>;
}

/** @param secret the installation's; hashes are keyed by what is derived from it */
export function cardTestingWatch(
  secret: Buffer,
  defaults: CardTestingSettings,
  options: Options = {},
): CardTestingWatch {
  const { nowMs = () => performance.now(), wait = sleep } = options;
  const hashKey = createHmac("sha256", secret).update("faregate card testing").digest("base64");
  // Half of what SHA-512/256 computes is not shown, so a key in front of the text is enough (unlike SHA-256, which can be
  // gone on with); it takes a third of the time of an HMAC.
  const keyed = (what: string, text: string) => hash("sha512-256", `${hashKey} ${what} ${text}`, "base64").slice(0, 22);
  // Of ranges, addresses and tokens there are few, and they come again and again. A card's number is not kept.
  const groupOf = remembered(MOST_REMEMBERED, (merchantId, signal: Signal, shown): Group => {
    const key = keyed("group", `${signal} ${shown}`);
    const name = `${merchantId} ${signal} ${key}`;
    return { name, refusals: `${name} refused`, merchantId, signal, key, shown };
  });
  const groups = cardGroups(MOST_CARDS);
  const reports = new Map<string, Report>();
  let others: ReadonlyMap<string, Told> = new Map();
  let waiting = 0;

  function groupsOf({ merchantId, tokenId, card, ipAddress }: Watched): Group[] {
    const of = [groupOf(merchantId, "range", firstSix(card)), groupOf(merchantId, "token", tokenId)];
    return ipAddress === null ? of : [...of, groupOf(merchantId, "address", ipAddress)];
  }

  function evidenceOf(group: Group, all: string, sinceMs: number): Evidence {
    const own = ownOf(group, all, sinceMs);
    const other = others.get(group.name);
    return {
      cards: own.cards + (other?.cards ?? 0),
      answered: own.answered + (other?.answered ?? 0),
      pending: own.pending,
      declined: own.declined + (other?.declined ?? 0),
      merchantCards: own.merchantCards + (other?.merchantCards ?? 0),
    };
  }

  function report(group: Group, evidence: Evidence, happened: Partial<Pick<Report, "slowed" | "refused">> = {}) {
    const before = reports.get(group.name);
    if (before === undefined && reports.size >= MOST_REPORTS) return;
    const slowed = (before?.slowed ?? 0) + (happened.slowed ?? 0);
    const refused = (before?.refused ?? 0) + (happened.refused ?? 0);
    const { refusals: _, ...told } = group;
    reports.set(group.name, { ...told, ...evidence, slowed, refused });
  }

  /** What of it this node has seen. */
  function ownOf(group: Group, all: string, sinceMs: number): Evidence {
    const { cards, ...answers } = groups.counted(group.name, sinceMs);
    // What was refused shows that it goes on, and says nothing of the cards: how many of them are declined is learnt anew
    // from a few, as soon as those that were charged before are too long ago. So refusals cannot keep themselves up.
    const refused = groups.counted(group.refusals, sinceMs).cards;
    return { cards: cards + refused, ...answers, merchantCards: groups.counted(all, sinceMs).cards };
  }

  async function admit(charge: Watched): Promise<Admitted | undefined> {
    const { merchantId, card, amount } = charge;
    const settings = charge.settings ?? defaults;
    if (!settings.enabled) return UNWATCHED;
    const windowMs = settings.windowMinutes * MINUTE_MS;
    const cardKey = keyed("card", `${merchantId} ${card.reveal()}`);
    const all = `${merchantId} all`;
    const small = amount <= settings.smallAmount;
    const watched = small ? groupsOf(charge) : [];
    const names = watched.map(({ name }) => name);
    const remember = (inGroups: readonly string[]) => {
      groups.add(all, cardKey, nowMs(), MOST_CARDS_A_MERCHANT);
      for (const name of inGroups) groups.add(name, cardKey, nowMs(), MOST_CARDS_A_GROUP);
    };
    for (let waitedMs = 0; ; ) {
      // A card that was approved a moment ago has nothing left to be found out.
      const sinceMs = nowMs() - windowMs;
      if (groups.stateOf(all, cardKey, sinceMs) === "approved") break;
      const hold = holdOf(watched, all, settings, sinceMs, waitedMs);
      if (typeof hold !== "number") {
        remember([hold.refusals]);
        return undefined;
      }
      if (waitedMs >= hold) break;
      waitedMs += await heldBack(Math.min(LOOK_AGAIN_MS, hold - waitedMs));
    }
    // In the same turn as the decision, so that of many at once each sees those before it.
    remember(names);
    return {
      ended(outcome) {
        const state = stateOf(outcome);
        for (const name of [all, ...names]) groups.learn(name, cardKey, state);
        if (state === "declined" || settings.withoutDeclines) tellOf(watched, all, settings, nowMs() - windowMs);
      },
    };
  }

  /** For how long it is held back in all, in milliseconds; or why it is refused. */
  function holdOf(
    watched: readonly Group[],
    all: string,
    settings: CardTestingSettings,
    sinceMs: number,
    waitedMs: number,
  ): number | Group {
    let [holdMs, slow] = [0, undefined as Group | undefined];
    for (const group of watched) {
      const evidence = evidenceOf(group, all, sinceMs);
      const suspicion = suspicionOf(group.signal, evidence, settings);
      if (suspicion === "none") continue;
      const unknown = suspicion === "wait" && waitedMs >= LONGEST_WAIT_MS && evidence.cards >= settings.cardsPerRange;
      const crowded = waitedMs === 0 && waiting >= MOST_WAITING;
      if (suspicion === "refuse" || unknown || crowded) {
        report(group, ownOf(group, all, sinceMs), { refused: 1 });
        return group;
      }
      const groupMs = suspicion === "slow" ? slowedMs(evidence, settings) : LONGEST_WAIT_MS;
      if (groupMs > holdMs) [holdMs, slow] = [groupMs, group];
    }
    if (waitedMs === 0 && slow) report(slow, ownOf(slow, all, sinceMs), { slowed: 1 });
    return holdMs;
  }

  async function heldBack(ms: number): Promise<number> {
    waiting++;
    try {
      await wait(ms);
    } finally {
      waiting--;
    }
    return ms;
  }

  /** Other nodes are told early, so that what is spread over several is seen by each. */
  function tellOf(watched: readonly Group[], all: string, settings: CardTestingSettings, sinceMs: number): void {
    for (const group of watched) {
      const own = ownOf(group, all, sinceMs);
      if (own.cards < fewestCards(settings) / 2) continue;
      const oneRange = group.signal === "range" && settings.withoutDeclines && own.cards * 2 >= own.merchantCards;
      if (oneRange || own.declined * 2 > own.answered) report(group, own);
    }
  }

  return {
    admit,
    takeReports() {
      const taken = [...reports.values()];
      reports.clear();
      return taken;
    },
    learn(counts) {
      others = counts;
    },
  };
}

export const UNWATCHED: Admitted = { ended: () => undefined };

function stateOf(outcome: Ended | null | undefined): CardState {
  if (outcome?.kind === "approved") return "approved";
  return outcome?.kind === "declined" && speaksOfTheCard(outcome.processorResponse.code) ? "declined" : "other";
}

/** Forgets all of it when it holds too many. */
function remembered<Made>(
  most: number,
  make: (merchantId: string, signal: Signal, shown: string) => Made,
): typeof make {
  const made = new Map<string, Made>();
  return (merchantId, signal, shown) => {
    const name = `${merchantId} ${signal} ${shown}`;
    const before = made.get(name);
    if (before !== undefined) return before;
    if (made.size >= most) made.clear();
    const now = make(merchantId, signal, shown);
    made.set(name, now);
    return now;
  };
}
