// A processor's answer to a charge of a card that it keeps, without the card's token: processors repeat it in their messages, which are stored and
// shown.

import type { Secret } from "../payment/secret.ts";
import type { Answer, VerificationAnswer } from "./processor.ts";

/** The token shows as dots, wherever it is. */
export function withoutToken<A extends Answer | VerificationAnswer>(answer: A, token: Secret<"processor token">): A {
  const secret = token.reveal();
  const told = (text: string): string => text.replaceAll(secret, "•••");
  const inAll = <T extends object>(texts: T): T =>
    Object.fromEntries(
      Object.entries(texts).map(([name, value]) => [name, typeof value === "string" ? told(value) : value]),
    ) as T;
  const without = inAll(answer);
  return "processorResponse" in without ? { ...without, processorResponse: inAll(without.processorResponse) } : without;
}
