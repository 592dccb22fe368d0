// Ids of what requests open. The id of a request with an idempotency key ends with a keyed hash of that key. So the key is known again by the
// id alone, which a processor has in its books: also after the database has lost both (recovery/lost-keys.ts).

import type { Clock } from "../clock.ts";
import type { KeyClaim } from "../journal/journal.ts";
import { idEndingWith, newId } from "../uuid.ts";

interface KeyedRequest {
  readonly merchantId: string;
  readonly claim: KeyClaim | null;
}

export interface KeyedIds {
  /** UUID version 7 (decision A13); without a key all of it but the time is random. */
  newId(of?: KeyedRequest): string;
  /** The last 16 digits of each id of a request with this key. Nobody without the secret can tell them, or the key from them. */
  endOf(merchantId: string, key: string): string;
}

/** @param hash keyed by the installation's secret, for this purpose alone */
export function keyedIds(hash: (text: string) => Buffer, clock: Clock): KeyedIds {
  // The same key of another merchant has another end.
  const digitsOf = (merchantId: string, key: string): string => hash(`${merchantId} ${key}`).toString("hex", 0, 8);
  const idOf = (merchantId: string, { key, requestHash }: KeyClaim): string =>
    idEndingWith(digitsOf(merchantId, key), requestHash.toString("hex", 0, 2), clock.now());
  return {
    newId: (of) => (of?.claim ? idOf(of.merchantId, of.claim) : newId(clock.now())),
    endOf: (merchantId, key) => endIn(idEndingWith(digitsOf(merchantId, key), "0000", new Date(0))),
  };
}

const END = 19;
const MIDDLE = 15;

/** `9d545b2f0c8e1a77` of `0193e5b0-7c1a-7fff-9d54-5b2f0c8e1a77` */
export const endIn = (id: string): string => id.slice(END).replace("-", "");

/** What an id of version 7 has of its request's hash: the first twelve bits. Undefined: no request has made it. */
export const hashIn = (id: string): Buffer | undefined =>
  id[MIDDLE - 1] === "7" ? Buffer.from(`${id.slice(MIDDLE, MIDDLE + 3)}0`, "hex") : undefined;

/** @param stored the whole hash, or as much of it as {@link hashIn} gives */
export function isHashOf(stored: Buffer, sent: Buffer): boolean {
  if (stored.length !== 2) return stored.equals(sent);
  return stored[0] === sent[0] && stored[1] === ((sent[1] ?? 0) & 0xf0);
}
