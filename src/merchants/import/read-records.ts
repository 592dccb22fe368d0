// The records of an import's file, each with its place in it. What a file alone can be wrong about is found here: its shape, unknown
// names, ids. docs/importing.md describes it.

import type { TSchema } from "typebox";
import { isUuid, NIL_UUID } from "../../uuid.ts";
import { shownName } from "../../validation/stray-card-numbers.ts";
import { NewMerchant } from "../merchants.ts";
import { NewProcessor } from "../processor-schema.ts";
import { NewToken } from "../tokens.ts";
import { NewUser } from "../users.ts";

export type ImportedKind = "merchant" | "user" | "processor" | "token";

export interface ImportRecord {
  readonly kind: ImportedKind;
  /** `merchants.0.users.2` */
  readonly place: string;
  /** In small letters. */
  readonly id: string;
  /** Of the merchant that it stands in; its own, if it is one; "" if that has no right id. */
  readonly merchantId: string;
  /** As the HTTP API would take it. */
  readonly input: Fields;
  /** Of a token, as 64 hexadecimal digits. */
  readonly secretHash?: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Place to what is wrong there: "must be …". Values never show. */
export type Told = (place: string, problem: string) => void;

const MOST_RECORDS = 10_000;

const LISTS = [
  ["users", "user", NewUser],
  ["processors", "processor", NewProcessor],
  ["tokens", "token", NewToken],
] as const;
const HASH = /^[0-9a-f]{64}$/;

/** Those that have an id; of the others it is told what is wrong. */
export function readRecords(json: unknown, tell: Told): readonly ImportRecord[] {
  if (!isObject(json)) {
    tell("the file", "must be an object with a list of merchants");
    return [];
  }
  const { merchants, ...others } = json;
  for (const name of Object.keys(others)) tell(shownName(name), "is unknown");
  const records = objectsOf(merchants, "merchants", tell, true).flatMap(([place, fields]) =>
    merchantRecords(place, fields, tell),
  );
  if (records.length > MOST_RECORDS) {
    tell("the file", `must have at most ${MOST_RECORDS} records: split it`);
    return [];
  }
  tellOfRepeats(records, tell);
  return records;
}

function merchantRecords(place: string, fields: Fields, tell: Told): ImportRecord[] {
  const { users, processors, tokens, ...own } = fields;
  const merchantId = idOf(place, own, tell);
  const lists = { users, processors, tokens };
  const merchant = merchantId && recordOf("merchant", NewMerchant, place, own, merchantId, tell);
  const inside = LISTS.flatMap(([name, kind, schema]) =>
    objectsOf(lists[name], `${place}.${name}`, tell).map(([at, inner]) =>
      recordOf(kind, schema, at, inner, merchantId ?? "", tell),
    ),
  );
  return [merchant, ...inside].filter((record) => record !== undefined && record !== "");
}

function recordOf(
  kind: ImportedKind,
  schema: TSchema,
  place: string,
  fields: Fields,
  merchantId: string,
  tell: Told,
): ImportRecord | undefined {
  const { id: _, secret_hash: hash, ...input } = fields;
  const id = kind === "merchant" ? merchantId : idOf(place, fields, tell);
  if (hash !== undefined && kind !== "token") tell(`${place}.secret_hash`, "is unknown");
  if (kind === "token" && hash !== undefined && !(typeof hash === "string" && HASH.test(hash)))
    tell(`${place}.secret_hash`, "must be the SHA-256 of the token's secret, 64 hexadecimal digits in small letters");
  if (fields.external_key !== undefined) tell(`${place}.external_key`, "is unknown: records of an import have ids");
  tellOfUnknown(schema, input, place, tell);
  if (id === undefined) return undefined;
  return { kind, place, id, merchantId, input, ...(typeof hash === "string" && { secretHash: hash }) };
}

/** Settings are judged by the kind of the processor. */
function tellOfUnknown(schema: TSchema, fields: Fields, place: string, tell: Told): void {
  const { properties } = schema as { readonly properties?: Readonly<Record<string, TSchema>> };
  if (properties === undefined) return;
  for (const [name, value] of Object.entries(fields)) {
    const inner = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (inner === undefined) tell(`${place}.${shownName(name)}`, "is unknown");
    else if (isObject(value)) tellOfUnknown(inner, value, `${place}.${name}`, tell);
  }
}

function idOf(place: string, { id }: Fields, tell: Told): string | undefined {
  if (typeof id === "string" && isUuid(id) && id !== NIL_UUID) return id.toLowerCase();
  tell(`${place}.id`, id === undefined ? "is required" : "must be a UUID that is not all zeros");
  return undefined;
}

function objectsOf(list: unknown, place: string, tell: Told, required = false): [string, Fields][] {
  if (list === undefined && !required) return [];
  if (!Array.isArray(list)) {
    tell(place, list === undefined ? "is required" : "must be a list");
    return [];
  }
  return list.flatMap((one: unknown, index): [string, Fields][] => {
    if (isObject(one)) return [[`${place}.${index}`, one]];
    tell(`${place}.${index}`, "must be an object");
    return [];
  });
}

function tellOfRepeats(records: readonly ImportRecord[], tell: Told): void {
  const places = new Map<string, string>();
  const repeats = (key: string, place: string, field: string) => {
    const first = places.get(key);
    if (first === undefined) places.set(key, place);
    else tell(`${place}.${field}`, `is the same as that of ${first}`);
  };
  for (const { kind, id, place, secretHash } of records) {
    repeats(`${kind} ${id}`, place, "id");
    if (secretHash !== undefined) repeats(`hash ${secretHash}`, place, "secret_hash");
  }
}

/** Neither null nor a list. */
export const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
