// States as some shops send them, with their country before them as in ISO 3166-2: `TH-37` is the state 37 of TH.

import type { BodyTree } from "./body/tree.ts";

const WITH_COUNTRY = /^([A-Z]{2})-([A-Z0-9]{1,3})$/i;
const PLACES = [
  ["state", "country"],
  ["shipping_state", "shipping_country"],
] as const;

/** Only where the country of the same address is the one that the state names: anything else would be a guess. */
export function withShortStates(body: BodyTree): BodyTree {
  const short: Record<string, string> = {};
  for (const [state, country] of PLACES) {
    const [, named, rest] = WITH_COUNTRY.exec(textOf(body[state])) ?? [];
    if (named !== undefined && rest !== undefined && named.toUpperCase() === textOf(body[country]).toUpperCase())
      short[state] = rest;
  }
  return Object.keys(short).length === 0 ? body : { ...body, ...short };
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
