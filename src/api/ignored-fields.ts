// Tells the caller which fields were ignored (decision R4), so that a typo can be found.

import type { FastifyReply } from "fastify";
import { isPlainName } from "../validation/stray-card-numbers.ts";

const MOST_CHARACTERS = 1_000;
/** A name that holds this many digits may hold a card number. */
const CARD_NUMBER = /\d(?:[ .-]?\d){7}/;

export function tellIgnored(reply: FastifyReply, ignored: readonly string[]): void {
  let header = "";
  for (const name of ignored) {
    if (name.length > MOST_CHARACTERS || CARD_NUMBER.test(name) || !isPlainName(name)) continue;
    const next = `${header}${header && ", "}${encodeURIComponent(name.toWellFormed())}`;
    if (next.length > MOST_CHARACTERS) break;
    header = next;
  }
  if (header !== "") reply.header("faregate-ignored-fields", header);
}
