// Whoever creates a record may give it an id, or a key of their own that its id is made of. To create it again changes nothing: the same
// record is found, or a conflict that says what differs.

import { isDeepStrictEqual } from "node:util";
import Type from "typebox";
import { v5 } from "uuid";
import { NIL_UUID, newId } from "../uuid.ts";
import { Uuid } from "../validation/fields.ts";
import { MUST_BE, type Problems } from "../validation/problems.ts";
import { type Conflict, conflict, type Existed, existed, type RecordName } from "./backoffice.ts";

/** For the schemas of all that can be created. */
export const GIVEN_ID = {
  id: Type.Optional({
    ...Uuid,
    description:
      "An id of your choice, a UUID that no other record has: for clients that name one they cannot change. Without it the gateway " +
      "makes one. If the record is there already, nothing is done.",
  }),
  external_key: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
      [MUST_BE]: "a key of 1 to 64 letters, digits, points, dashes and underscores",
      description:
        "In place of an id, a key of your own, such as the record's name in another system. The id is made of it (UUID, version 5), so " +
        "that the same key is the same record, at every gateway.",
      examples: ["northwind"],
    }),
  ),
} as const;

export interface GivenId {
  readonly id?: string;
  readonly external_key?: string;
}

/** RFC 9562, section 5.5. Fixed for good: with another one, all keys would be other records. */
const NAMESPACE = "6b0c1f5e-8a3d-4d0e-9c52-3f1e7a9d2b64";

/** @param merchantId whose record it is; null: a merchant itself, or an operator's */
export const idOfKey = (what: RecordName, merchantId: string | null, key: string): string =>
  v5(`${what} ${merchantId?.toLowerCase() ?? ""} ${key}`, NAMESPACE);

/** The id that the input gives the record, or a new one. */
export function idFor(what: RecordName, merchantId: string | null, { id, external_key }: GivenId, now: Date): string {
  if (id !== undefined) return id.toLowerCase();
  return external_key === undefined ? newId(now) : idOfKey(what, merchantId, external_key);
}

/** What no schema can say. @param input fits its schema where `problems` does not name the field */
export function problemsOfGivenId(problems: Problems, input: unknown): Problems {
  const { id, external_key } = (input ?? {}) as GivenId;
  // Lists begin after it.
  if (id === NIL_UUID) return { ...problems, id: ["must be a UUID that is not all zeros"] };
  if (id === undefined || external_key === undefined) return problems;
  return { external_key: ["must be left out where there is an id"], ...problems };
}

/** The id is that of something else, about which nothing is said. */
export const takenId = (what: RecordName): Problems => ({
  id: [`is taken by another ${what}: choose another one, or leave it out`],
});

/**
 * @param there the record that has the id already, as it is shown
 * @param wanted what the input would have created, in the same form
 */
export function createdBefore<T extends { readonly id: string }>(
  what: RecordName,
  there: T,
  wanted: object,
): Existed<T> | Conflict {
  const differs = differing(wanted, there);
  return differs.length === 0 ? existed(there) : conflict(what, there.id, differs);
}

/** Names of fields, dotted, that are not alike. */
export function differing(wanted: object, there: object, prefix = ""): string[] {
  const names = new Set([...Object.keys(wanted), ...(prefix === "" ? [] : Object.keys(there))]);
  return [...names].flatMap((name) => {
    const [one, other] = [wanted, there].map((record) => (record as Readonly<Record<string, unknown>>)[name]);
    if (isDeepStrictEqual(one, other)) return [];
    return isObject(one) && isObject(other) ? differing(one, other, `${prefix}${name}.`) : [prefix + name];
  });
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
