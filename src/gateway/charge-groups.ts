// Which groups a charge belongs to when it is looked at for card testing: cards of one range, from one address, by one token.
// Cards and groups are known by keyed hashes only.

import { createHmac, hash } from "node:crypto";
import { firstSix } from "../payment/card.ts";
import type { Signal } from "../payment/card-testing.ts";
import type { CardNumber } from "../payment/secret.ts";

export interface GroupedCharge {
  readonly merchantId: string;
  readonly tokenId: string;
  /** The number, or the id of a card whose number is not here. */
  readonly card: CardNumber | { readonly cardId: string };
  readonly ipAddress: string | null;
}

export interface ChargeGroup {
  readonly name: string;
  readonly merchantId: string;
  readonly signal: Signal;
  /** Keyed hash. */
  readonly key: string;
  /** For people. */
  readonly shown: string;
  /** Under which the cards are counted that were refused. */
  readonly refusals: string;
}

export interface ChargeGroups {
  cardKey(charge: GroupedCharge): string;
  /** From the narrowest to the broadest. @param stands whether an address, by its group's name, is none of a crowd */
  of(charge: GroupedCharge, stands: (address: string) => boolean): readonly ChargeGroup[];
}

const MOST_REMEMBERED = 10_000;

/** @param secret the installation's; hashes are keyed by what is derived from it */
export function chargeGroups(secret: Buffer): ChargeGroups {
  const hashKey = createHmac("sha256", secret).update("faregate card testing").digest("base64");
  // Half of what SHA-512/256 computes is not shown, so a key in front of the text is enough (unlike SHA-256, which can be
  // gone on with); it takes a third of the time of Node's HMAC.
  const keyed = (what: string, text: string) => hash("sha512-256", `${hashKey} ${what} ${text}`, "base64").slice(0, 22);
  // Of ranges, addresses and tokens there are few, and they come again and again. A card's number is not kept.
  const group = remembered(MOST_REMEMBERED, (merchantId, signal, shown) => {
    const key = keyed("group", `${signal} ${shown}`);
    const name = `${merchantId} ${signal} ${key}`;
    return { name, refusals: `${name} refused`, merchantId, signal, key, shown };
  });
  return {
    cardKey: ({ merchantId, card }) => keyed("card", `${merchantId} ${"cardId" in card ? card.cardId : card.reveal()}`),
    of: ({ merchantId, tokenId, card, ipAddress }, stands) => {
      const ranges = "cardId" in card ? [] : [group(merchantId, "range", firstSix(card))];
      const token = group(merchantId, "token", tokenId);
      if (ipAddress === null) return [...ranges, token];
      const address = group(merchantId, "address", ipAddress);
      if (stands(address.name)) return [...ranges, address, token];
      return [...ranges, address, group(merchantId, "crowd", tokenId), token];
    },
  };
}

type MakeGroup = (merchantId: string, signal: Signal, shown: string) => ChargeGroup;

/** Forgets all of it when it holds too many. */
function remembered(most: number, make: MakeGroup): MakeGroup {
  const made = new Map<string, ChargeGroup>();
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
