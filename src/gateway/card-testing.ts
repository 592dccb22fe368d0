// Watches charges for card testing (payment/card-testing.ts has the rule): slows and then refuses those that look like it,
// before their intent is written. Counts in memory; what other nodes counted comes by card-testing-exchange.ts.

import { setTimeout as sleep } from "node:timers/promises";
import {
  BREADTH,
  type CardTestingSettings,
  type Evidence,
  fewCards,
  fewestCards,
  newestAnswers,
  type Signal,
  slowedMs,
  suspicionOf,
  windowMs,
} from "../payment/card-testing.ts";
import { smallAmountIn } from "../payment/card-testing-amounts.ts";
import type { Amount } from "../payment/money.ts";
import { type CardState, cardGroups, type Ended, stateOf } from "./card-groups.ts";
import { type Exchanged, openReports, type Report, type Told, ToldGroups } from "./card-testing-exchange.ts";
import { type ChargeGroup, chargeGroups, type GroupedCharge } from "./charge-groups.ts";

export interface Watched extends GroupedCharge {
  /** Null: the gateway's defaults. */
  readonly settings: CardTestingSettings | null;
  readonly amount: Amount;
  readonly currency: string;
}

/** A charge that may go on. */
export interface Admitted {
  /** Undefined or null: nothing is known of it. */
  ended(outcome: Ended | null | undefined): void;
}

export const UNWATCHED: Admitted = { ended: () => undefined };

export interface CardTestingWatch extends Exchanged {
  /** Answers at once, or for a suspicious charge after a while. Undefined: it is refused. */
  admit(charge: Watched): Promise<Admitted | undefined>;
  /**
   * Whether a card may be stored: as a small charge of it would be judged. It counts only if it is refused, since no issuer was asked: what
   * is merely stored says nothing of whether cards are guessed, and must not thin out what does.
   */
  mayStore(card: Omit<Watched, "amount" | "currency">): Promise<boolean>;
}

/** So many of the newest cards tell as much as all of them. */
const MOST_CARDS_A_GROUP = 240;
/** More than twice as many, so that a full group is not taken for half of all. */
const MOST_CARDS_A_MERCHANT = 1_000;
const MOST_CARDS = 200_000;
/** A merchant's charges that are held back at once; more are refused. */
const MOST_WAITING = 500;
const LONGEST_WAIT_MS = 2_000;
const LOOK_AGAIN_MS = 100;
const MOST_REPORTS = 1_000;

interface Options {
  readonly nowMs?: () => number;
  readonly wait?: (ms: number) => Promise<unknown>;
}

/** @param secret the installation's; see {@link chargeGroups} */
export const cardTestingWatch = (
  secret: Buffer,
  defaults: CardTestingSettings,
  options: Options = {},
): CardTestingWatch => new Watch(secret, defaults, options);

/** A charge while it is looked at. */
interface Sighting {
  readonly card: string;
  /** All cards of the merchant. */
  readonly all: string;
  /** Groups that it counts in; none if its amount is not small. */
  readonly groups: readonly ChargeGroup[];
  readonly settings: CardTestingSettings;
}

type Judgement =
  | { readonly kind: "go on" }
  | { readonly kind: "refuse"; readonly group: ChargeGroup }
  /** In all, from its beginning. */
  | { readonly kind: "hold back"; readonly ms: number; readonly group: ChargeGroup };

class Watch implements CardTestingWatch {
  readonly #defaults: CardTestingSettings;
  readonly #groups: ReturnType<typeof chargeGroups>;
  readonly #nowMs: () => number;
  readonly #wait: (ms: number) => Promise<unknown>;
  readonly #cards = cardGroups(MOST_CARDS);
  readonly #reports = openReports(MOST_REPORTS);
  readonly #told = new ToldGroups<Sighting>(MOST_REPORTS);
  #others: ReadonlyMap<string, Told> = new Map();
  #nodes = 1;
  /** By merchant: one that is attacked leaves the others theirs. */
  readonly #waiting = new Map<string, number>();

  constructor(secret: Buffer, defaults: CardTestingSettings, options: Options) {
    this.#defaults = defaults;
    this.#groups = chargeGroups(secret);
    this.#nowMs = options.nowMs ?? (() => performance.now());
    this.#wait = options.wait ?? sleep;
  }

  async admit(charge: Watched): Promise<Admitted | undefined> {
    const settings = charge.settings ?? this.#defaults;
    const isSmall = charge.amount <= smallAmountIn(settings.smallAmount, charge.currency);
    return this.#unlessRefused(charge, isSmall, (sighting) => this.#letGo(sighting));
  }

  async mayStore(card: Omit<Watched, "amount" | "currency">): Promise<boolean> {
    return (await this.#unlessRefused(card, true, () => UNWATCHED)) !== undefined;
  }

  /** @param goOn in the same turn as the judgement, so that of many at once each sees those before it */
  async #unlessRefused(
    charge: Omit<Watched, "amount" | "currency">,
    isSmall: boolean,
    goOn: (sighting: Sighting) => Admitted,
  ): Promise<Admitted | undefined> {
    const settings = charge.settings ?? this.#defaults;
    if (!settings.enabled) return UNWATCHED;
    const sighting: Sighting = {
      card: this.#groups.cardKey(charge),
      all: `${charge.merchantId} all`,
      groups: isSmall ? this.#groupsOf(charge, settings) : [],
      settings,
    };
    for (let waitedMs = 0; ; ) {
      const judgement = this.#judge(sighting, waitedMs);
      if (judgement.kind === "refuse") return this.#refuse(sighting, judgement.group);
      if (judgement.kind === "go on" || judgement.ms <= waitedMs) return goOn(sighting);
      if (waitedMs === 0) this.#report(judgement.group, sighting, "slowed");
      waitedMs += await this.#holdBack(sighting.all, Math.min(LOOK_AGAIN_MS, judgement.ms - waitedMs));
    }
  }

  #groupsOf(charge: GroupedCharge, settings: CardTestingSettings): readonly ChargeGroup[] {
    const cardsAt = (address: string) => this.#cards.counted(address, this.#since("address", settings), 0).cards;
    return this.#groups.of(charge, (address) => cardsAt(address) >= fewCards(settings));
  }

  takeReports(): Report[] {
    // What is still within its window, though nothing happened for a while: a drip over several nodes is slow on each.
    for (const { group, sighting } of this.#told.takeOld(this.#nowMs()))
      if (this.#ownEvidence(group, sighting).cards > 0) this.#report(group, sighting);
    return this.#reports.take();
  }

  learn(others: ReadonlyMap<string, Told>, nodes: number): void {
    this.#others = others;
    this.#nodes = nodes;
  }

  #judge(sighting: Sighting, waitedMs: number): Judgement {
    const { card, all, groups, settings } = sighting;
    // A card that was approved a moment ago has nothing left to be found out.
    if (this.#cards.stateOf(all, card, this.#since("token", settings)) === "approved") return { kind: "go on" };
    let longest: Judgement = { kind: "go on" };
    for (const group of groups) {
      const evidence = this.#evidence(group, sighting);
      const suspicion = suspicionOf(group.signal, evidence, settings);
      if (suspicion === "none") continue;
      const unknown = suspicion === "wait" && waitedMs >= LONGEST_WAIT_MS && evidence.cards >= settings.cardsPerRange;
      const crowded = waitedMs === 0 && (this.#waiting.get(all) ?? 0) >= MOST_WAITING;
      if (suspicion === "refuse" || unknown || crowded) return { kind: "refuse", group };
      const ms = suspicion === "slow" ? slowedMs(evidence, settings) : LONGEST_WAIT_MS;
      if (longest.kind !== "hold back" || ms > longest.ms) longest = { kind: "hold back", ms, group };
    }
    return longest;
  }

  #refuse(sighting: Sighting, group: ChargeGroup): undefined {
    this.#report(group, sighting, "refused");
    this.#remember(sighting, [group.refusals]);
  }

  #letGo(sighting: Sighting): Admitted {
    this.#remember(
      sighting,
      sighting.groups.map(({ name }) => name),
    );
    return { ended: (outcome) => this.#learnEnd(sighting, stateOf(outcome)) };
  }

  async #holdBack(merchant: string, ms: number): Promise<number> {
    const count = (more: number) => this.#waiting.set(merchant, (this.#waiting.get(merchant) ?? 0) + more);
    count(1);
    await this.#wait(ms).finally(() => count(-1));
    if (this.#waiting.get(merchant) === 0) this.#waiting.delete(merchant);
    return ms;
  }

  #remember({ card, all }: Sighting, groups: readonly string[]): void {
    this.#cards.add(all, card, this.#nowMs(), MOST_CARDS_A_MERCHANT);
    for (const name of groups) this.#cards.add(name, card, this.#nowMs(), MOST_CARDS_A_GROUP);
  }

  #learnEnd(sighting: Sighting, state: CardState): void {
    const { card, all, groups, settings } = sighting;
    this.#cards.learn(all, card, state);
    const explained = state === "declined" ? this.#narrowestSuspicion(sighting) : Number.POSITIVE_INFINITY;
    for (const { name, signal } of groups) this.#cards.learn(name, card, BREADTH[signal] > explained ? "other" : state);
    if (state !== "declined" && !settings.withoutDeclines) return;
    // Other nodes are told early, so that what is spread over several is seen by each.
    for (const group of groups) if (this.#worthTelling(group, sighting)) this.#report(group, sighting);
  }

  /** Who is refused for something narrower, such as an address, does not count against all customers of the token. */
  #narrowestSuspicion(sighting: Sighting): number {
    const isSuspicious = (group: ChargeGroup) =>
      ["slow", "refuse"].includes(suspicionOf(group.signal, this.#evidence(group, sighting), sighting.settings));
    return Math.min(...sighting.groups.filter(isSuspicious).map(({ signal }) => BREADTH[signal]));
  }

  #worthTelling(group: ChargeGroup, sighting: Sighting): boolean {
    const { settings } = sighting;
    const own = this.#ownEvidence(group, sighting);
    // The more nodes there are, the fewer cards of an attack each of them sees.
    if (own.cards < fewestCards(settings) / (this.#nodes + 1)) return false;
    const oneRange = group.signal === "range" && settings.withoutDeclines && own.cards * 2 >= own.merchantCards;
    return oneRange || own.declined * 2 > own.newest;
  }

  #report(group: ChargeGroup, sighting: Sighting, happened?: "slowed" | "refused"): void {
    this.#reports.add(group, this.#ownEvidence(group, sighting), happened);
    this.#told.note({ group, sighting, atMs: this.#nowMs() });
  }

  /** What all nodes have seen of a group. */
  #evidence(group: ChargeGroup, sighting: Sighting): Evidence {
    const own = this.#ownEvidence(group, sighting);
    const other = this.#others.get(group.name);
    if (other === undefined) return own;
    return {
      cards: own.cards + other.cards,
      answered: own.answered + other.newest,
      pending: own.pending,
      newest: own.newest + other.newest,
      declined: own.declined + other.declined,
      merchantCards: own.merchantCards + other.merchantCards,
    };
  }

  #ownEvidence(group: ChargeGroup, { all, settings }: Sighting): Evidence {
    const sinceMs = this.#since(group.signal, settings);
    const { cards, ...answers } = this.#cards.counted(group.name, sinceMs, newestAnswers(group.signal, settings));
    // What was refused shows that it goes on, and says nothing of the cards: how many of them are declined is learnt anew
    // from a few, as soon as those that were charged before are too long ago. So refusals cannot keep themselves up.
    const refused = this.#cards.counted(group.refusals, sinceMs, 0).cards;
    return { cards: cards + refused, ...answers, merchantCards: this.#cards.counted(all, sinceMs, 0).cards };
  }

  #since(signal: Signal, settings: CardTestingSettings): number {
    return this.#nowMs() - windowMs(signal, settings);
  }
}
