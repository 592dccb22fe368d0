// Values as they are sent and read: all as text but what is sent as bytes, or as an array of a type. bigint and numeric are read as
// text, so that no cent is lost.

import { ARRAY_OIDS, type ArrayElement, arrayLiteral, textsFrom } from "./arrays.ts";
import { arrayBytes } from "./binary-arrays.ts";
import type { Parameter, Value } from "./sql.ts";

/** Object identifiers (pg_type.dat). */
const OIDS = { bool: 16, bytea: 17, int8: 20, json: 114, timestamptz: 1184, jsonb: 3802 } as const;
const TO_BE_INFERRED = 0;

const PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [OIDS.bool, (text) => text === "t"],
  [OIDS.bytea, (text) => Buffer.from(text.slice(2), "hex")],
  ...[21, 23, 26, 700, 701].map((oid) => [oid, Number] as const), // int2, int4, oid, float4, float8
  ...[OIDS.json, OIDS.jsonb].map((oid) => [oid, (text: string) => JSON.parse(text) as unknown] as const),
  ...[1082, 1114, OIDS.timestamptz].map((oid) => [oid, instantOf] as const), // date, timestamp
  [ARRAY_OIDS.text, textsFrom],
]);
/** The rows of one statement often have the same: to read it takes longer than all else of such a row. */
function instantOf(text: string): Date {
  if (text !== lastRead.text) lastRead = { text, ms: Date.parse(text) };
  return new Date(lastRead.ms);
}
let lastRead = { text: "", ms: Number.NaN };

const asItIs = (text: string): string => text;

export const parserOf = (oid: number): ((text: string) => unknown) => PARSERS.get(oid) ?? asItIs;

export const typed = (value: unknown, type: number): Parameter => ({ value, type });
export const json = (value: unknown): Parameter => typed(value, OIDS.jsonb);

export const isParameter = (value: object): value is Parameter => "value" in value && "type" in value;

export function typeOf(value: Value): number {
  if (typeof value === "boolean") return OIDS.bool;
  if (typeof value === "bigint") return OIDS.int8;
  if (typeof value !== "object" || value === null) return TO_BE_INFERRED;
  if (value instanceof Date) return OIDS.timestamptz;
  if (value instanceof Uint8Array) return OIDS.bytea;
  return isParameter(value) ? value.type : TO_BE_INFERRED;
}

/** @throws for what is no value */
export function serialize(value: Value): string | Buffer | null {
  if (typeof value !== "object" || value === null || !isParameter(value)) return render(value);
  const arrayType = Array.isArray(value.value) ? ARRAY_TYPES.get(value.type) : undefined;
  if (arrayType !== undefined) return arrayBytes(arrayType, value.value as readonly ArrayElement[]);
  return isJson(value.type) && value.value !== null ? JSON.stringify(value.value) : render(value.value);
}

const ARRAY_TYPES = new Map<number, keyof typeof ARRAY_OIDS>(
  Object.entries(ARRAY_OIDS).map(([type, oid]) => [oid, type as keyof typeof ARRAY_OIDS]),
);

const isJson = (type: number): boolean => type === OIDS.json || type === OIDS.jsonb;

function render(value: unknown): string | Buffer | null {
  if (value === null) return null;
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  if (typeof value === "boolean") return value ? "t" : "f";
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.isBuffer(value) ? value : Buffer.from(value);
  if (Array.isArray(value)) return arrayLiteral(value);
  throw new TypeError(`${typeof value} is no value of a statement`);
}
