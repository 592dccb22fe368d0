// Card testing: somebody tries stolen or guessed card numbers with small charges, to find out which of them work. Whether
// what was seen within a while looks like it; counting is the gateway's business. Pure.

import type { DeclineCategory } from "./decline.ts";
import { type Amount, amountOf } from "./money.ts";

export interface CardTestingSettings {
  readonly enabled: boolean;
  /** Of one range, from one address or by one token: at this many different cards charges are refused, at half slowed. */
  readonly cardsPerRange: number;
  readonly windowMinutes: number;
  /** Only charges up to it count, and are slowed or refused. */
  readonly smallAmount: Amount;
  /** Whether many cards of a range are telling though they are approved, if they are half of all the merchant's cards. */
  readonly withoutDeclines: boolean;
}

/** What the cards have in common: their first six digits, the client's address, the token that charges them. */
export const SIGNALS = ["range", "address", "token"] as const;
export type Signal = (typeof SIGNALS)[number];

/** Different cards within the window that were charged small amounts and have something in common. */
export interface Evidence {
  readonly cards: number;
  /** Of those: how many the processor has answered. What was refused is neither answered nor pending. */
  readonly answered: number;
  /** Of those: how many it is being asked about now. */
  readonly pending: number;
  /** Of those: declined for the card's sake and never approved. */
  readonly declined: number;
  /** All cards that the merchant charged within the window, whatever the amount. */
  readonly merchantCards: number;
}

/** `wait`: too many are not answered yet to tell. */
export type Suspicion = "none" | "wait" | "slow" | "refuse";

/** In the sandbox processors approve every card, and whoever tries the gateway's speed may use as many as they like. */
export const defaultCardTesting = (mode: "sandbox" | "live"): CardTestingSettings => ({
  enabled: true,
  cardsPerRange: 40,
  windowMinutes: 10,
  smallAmount: amountOf(1_000n),
  withoutDeclines: mode === "live",
});

/** From how many cards on a group of cards is looked at. */
export const fewestCards = ({ cardsPerRange }: CardTestingSettings): number => Math.ceil(cardsPerRange / 2);

/** What is to be done with a charge that counts in a group with this evidence. */
export function suspicionOf(signal: Signal, evidence: Evidence, settings: CardTestingSettings): Suspicion {
  const { cards, answered, pending, declined, merchantCards } = evidence;
  if (cards < fewestCards(settings)) return "none";
  // A run of subscriptions is declined for up to a half of its cards; of guessed numbers nine in ten are.
  const mostDeclined = answered * 4 >= settings.cardsPerRange && declined * 4 >= answered * 3;
  // Of ordinary customers the greatest issuer has one card in ten. An address or a token may be all of a merchant's traffic.
  const oneRange = signal === "range" && settings.withoutDeclines && cards * 2 >= merchantCards;
  if (mostDeclined || oneRange) return cards >= settings.cardsPerRange ? "refuse" : "slow";
  return signal === "range" && pending >= fewestCards(settings) && pending > answered * 3 ? "wait" : "none";
}

const LONGEST_SLOWING_MS = 2_000;
const SLOWED_PER_CARD_MS = 100;

/** How long the answer is held back: the more cards, the longer. */
export const slowedMs = ({ cards }: Evidence, settings: CardTestingSettings): number =>
  Math.min((cards - fewestCards(settings) + 1) * SLOWED_PER_CARD_MS, LONGEST_SLOWING_MS);

/** These speak of the system, the merchant or the message. All cards get them while something is broken. */
const NOT_ABOUT_THE_CARD: ReadonlySet<DeclineCategory> = new Set([
  "configuration",
  "try-later",
  "wrong-state",
  "already-settled",
]);

/** Whether such a decline tells something about the card. */
export const aboutTheCard = (category: DeclineCategory): boolean => !NOT_ABOUT_THE_CARD.has(category);
