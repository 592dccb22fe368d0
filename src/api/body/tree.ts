// The plain tree that a body or a query becomes, whatever format it came in. Its values have not been checked for
// meaning: that is the work of the schema.

import { isNumberLiteral, type NumberLiteral } from "../../validation/number-literal.ts";

export type BodyValue = string | boolean | null | NumberLiteral | readonly BodyValue[] | BodyTree;

/** Without a prototype: no key is there that was not sent. A form has strings, lists and trees only. */
export interface BodyTree {
  readonly [key: string]: BodyValue;
}

export function isBodyTree(value: BodyValue | undefined): value is BodyTree {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isNumberLiteral(value);
}

/** To be filled with what was sent. */
export function emptyTree(): BodyTree {
  return Object.create(null) as BodyTree;
}

/** Absent (decision R2). */
export const isEmpty = (value: BodyValue | undefined): boolean => value === undefined || value === null || value === "";
