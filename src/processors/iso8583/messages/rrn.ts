// Field 37, by which a host and its books know an operation.

import { hash } from "node:crypto";

/** Twelve of 0-9 and A-Z, 62 bits: the same for the same reference on every node, after every restart. */
export const rrnOf = (reference: string): string =>
  (BigInt(`0x${hash("sha256", reference)}`) % 36n ** 12n).toString(36).padStart(12, "0").toUpperCase();
