// The simulator's card table (decisions, section 10): what each of its cards does. Any other card is approved, unless
// its number fails Luhn or its month is over.

import { cardNumber, maskCard } from "../../payment/card.ts";
import type { CardNumber } from "../../payment/secret.ts";
import type { FollowUpType } from "../../payment/transaction.ts";
import type { DeclineCode } from "./processor-response.ts";

/** `late`: after the record's timeout. */
export type Timing = "prompt" | "late" | "never";

export interface Conduct {
  readonly timing: Timing;
  readonly decline?: DeclineCode;
  readonly addressMatches?: false;
}

const declined = (decline: DeclineCode): Conduct => ({ timing: "prompt", decline });

const CHARGES: ReadonlyMap<string, Conduct> = new Map([
  ["4000000000000002", declined("05")],
  ["4000000000009995", declined("51")],
  ["4000000000000069", declined("54")],
  ["4000000000000127", declined("N7")],
  ["4000000000000911", declined("91")],
  ["4000000000000119", declined("96")],
  ["4000000000000010", { timing: "prompt", addressMatches: false }],
  ["4000000000000408", { timing: "never" }],
  ["4000000000000689", { timing: "late" }],
]);

const ORDINARY: Conduct = { timing: "prompt" };

export const conductOf = (number: CardNumber): Conduct => CHARGES.get(number.reveal()) ?? ORDINARY;

/** Approved when charged, declined with 05 on one follow-up. */
const FOLLOW_UPS: readonly (readonly [string, FollowUpType])[] = [
  ["4000000000000341", "capture"],
  ["4000000000005126", "refund"],
];

// A follow-up knows its card by the mask alone, so every card of the same mask behaves alike.
const DECLINED_FOLLOW_UPS: ReadonlyMap<string, FollowUpType> = new Map(
  FOLLOW_UPS.map(([digits, type]) => [maskCard(cardNumber(digits)), type]),
);

export const declinesFollowUp = (cardMask: string, type: FollowUpType): boolean =>
  DECLINED_FOLLOW_UPS.get(cardMask) === type;
