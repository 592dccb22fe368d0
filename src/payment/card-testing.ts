// Card testing: somebody tries stolen or guessed card numbers with small charges, to find out which of them work. Whether
// what was seen within a while looks like it; counting is the gateway's business. Pure.

import type { DeclineCategory } from "./decline.ts";
import { type Amount, amountOf } from "./money.ts";

export interface CardTestingSettings {
  readonly enabled: boolean;
  /** Of one range, from one address or by one token: at this many different cards charges are refused, at half slowed. */
  readonly cardsPerRange: number;
  readonly windowMinutes: number;
  /** Only charges up to it count, and are slowed or refused. In US dollars; card-testing-amounts.ts has it in other currencies. */
  readonly smallAmount: Amount;
  /** Whether many cards of a range are telling though they are approved, if they are half of all the merchant's cards. */
  readonly withoutDeclines: boolean;
}

/**
 * What the cards have in common: their first six digits, the client's address, the token that charges them. `crowd`: the token, and
 * that each is from an address with few cards.
 */
export const SIGNALS = ["range", "address", "crowd", "token"] as const;
export type Signal = (typeof SIGNALS)[number];

/** Different cards within the window that were charged small amounts and have something in common. */
export interface Evidence {
  readonly cards: number;
  /** Of those: how many the processor has answered. What was refused is neither answered nor pending. */
  readonly answered: number;
  /** Of those: how many it is being asked about now. */
  readonly pending: number;
  /** Of the answered: so many of the newest, at most as many as are refused at. */
  readonly newest: number;
  /** Of the newest: failed as a wrong card does, and never approved. */
  readonly declined: number;
  /** All cards that the merchant charged within the window, whatever the amount. */
  readonly merchantCards: number;
}

/** `wait`: too many are not answered yet to tell. */
export type Suspicion = "none" | "wait" | "slow" | "refuse";

/** Chosen by simulation: docs/card-testing.md. */
export const DEFAULT_CARD_TESTING: CardTestingSettings = {
  enabled: true,
  cardsPerRange: 40,
  windowMinutes: 10,
  smallAmount: amountOf(1_000n),
  withoutDeclines: false,
};

/** How far back is looked: at an address further than at what many customers share, so that a slow drip adds up. */
export const windowMs = (signal: Signal, { windowMinutes }: CardTestingSettings): number =>
  windowMinutes * (signal === "address" ? 6 : 1) * 60_000;

/** How many of the newest answers tell: of a crowd more, since of its declines a smaller share is enough. */
export const newestAnswers = (signal: Signal, { cardsPerRange }: CardTestingSettings): number =>
  signal === "crowd" ? Math.ceil(cardsPerRange * 1.25) : cardsPerRange;

/** From how many cards on a group of cards is looked at. */
export const fewestCards = ({ cardsPerRange }: CardTestingSettings): number => Math.ceil(cardsPerRange / 2);

/** With as many cards an address is no longer one of a crowd: it is judged by itself. */
export const fewCards = ({ cardsPerRange }: CardTestingSettings): number => Math.ceil(cardsPerRange / 4);

/** The fewer customers it has, the lower. What a narrower signal explains is no sign for a broader one. */
export const BREADTH: Readonly<Record<Signal, number>> = { range: 0, address: 0, crowd: 1, token: 2 };

/** What is to be done with a charge that counts in a group with this evidence. */
export function suspicionOf(signal: Signal, evidence: Evidence, settings: CardTestingSettings): Suspicion {
  const { cards, answered, pending, merchantCards } = evidence;
  if (cards < fewestCards(settings)) return "none";
  // Of ordinary customers the greatest issuer has one card in ten, but a prepaid programme has one range for all its cards.
  const oneRange = signal === "range" && settings.withoutDeclines && cards * 2 >= merchantCards;
  if (mostDeclined(signal, evidence, settings) || oneRange) return cards >= settings.cardsPerRange ? "refuse" : "slow";
  return signal === "range" && pending >= fewestCards(settings) && pending > answered * 2 ? "wait" : "none";
}

/** A line as in Wald's sequential test: the fewer are answered, the more of them have to be declined. */
const mostDeclined = (
  signal: Signal,
  { newest, declined }: Evidence,
  { cardsPerRange }: CardTestingSettings,
): boolean => declined >= newest * LINE[signal].slope + cardsPerRange * LINE[signal].start;

/** A server that charges subscriptions once more has many declines, all from one address. Customers of their own have few. */
const USUAL = { slope: 0.6, start: 0.175 };
const LINE: Readonly<Record<Signal, typeof USUAL>> = {
  range: USUAL,
  address: USUAL,
  token: USUAL,
  crowd: { slope: 0.62, start: 0.1 },
};

const LONGEST_SLOWING_MS = 2_000;
const SLOWED_PER_CARD_MS = 100;

/** How long the answer is held back: the more cards, the longer. */
export const slowedMs = ({ cards }: Evidence, settings: CardTestingSettings): number =>
  Math.min((cards - fewestCards(settings) + 1) * SLOWED_PER_CARD_MS, LONGEST_SLOWING_MS);

/**
 * These tell nothing of whether a card is guessed or stolen. The first speak of the system, the merchant or the message: all
 * cards get them while something is broken. With the last the issuer knows the card, and its holder is short of money.
 */
const NOT_TELLING: ReadonlySet<DeclineCategory> = new Set([
  "configuration",
  "try-later",
  "wrong-state",
  "already-settled",
  "insufficient-funds",
  "limit-exceeded",
]);

/** Whether such a decline is what guessed and stolen cards get. */
export const tellsOfTesting = (category: DeclineCategory): boolean => !NOT_TELLING.has(category);
