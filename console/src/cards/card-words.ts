// A card on file in words: whose it is, who keeps it, and whether it has expired.

import type { Card } from "../../../packages/client/src/openapi.ts";
import type { StatusLabel } from "../words/status.ts";

/** Undefined where the card has no name. */
export function holderOf({ first_name, last_name, email }: Card): string | undefined {
  const name = [first_name, last_name].filter((part) => part !== undefined).join(" ");
  return name === "" ? email : name;
}

/** A card is good to the end of its last month, by UTC. */
export function statusOfCard({ card_expiry_month: month, card_expiry_year: year }: Card, now: Date): StatusLabel {
  const ends = Date.UTC(Number(year), Number(month), 1);
  return now.getTime() >= ends ? { word: "Expired", tone: "bad" } : { word: "Stored", tone: "good" };
}

/** @param nameOf a processor record's */
export const keeperOf = ({ processor_id }: Card, nameOf: (id: string) => string | undefined): string =>
  processor_id === null ? "The gateway" : (nameOf(processor_id) ?? processor_id);
