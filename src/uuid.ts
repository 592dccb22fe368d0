// Ids (RFC 9562). Ours are of version 7 (decision A13): they begin with the time, so that what is written together lies together.

import { hash, randomFillSync } from "node:crypto";
import { v7 } from "uuid";

const BYTES_AN_ID = 16;
/** Random bytes are fetched for many ids: to ask the system for sixteen takes three times as long as all the rest. */
const random = Buffer.alloc(256 * BYTES_AN_ID);
let used = random.length;

/** @param at the time that it begins with, by the clock that timestamps follow */
export function newId(at: Date): string {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  used += BYTES_AN_ID;
  return v7({ msecs: at.getTime(), random: random.subarray(used - BYTES_AN_ID, used) });
}

/**
 * Of version 7, with these digits in place of random ones.
 * @param end 16 hexadecimal digits, of which the first two bits are not used
 * @param middle at least three hexadecimal digits
 * @param at the time that it begins with
 */
export function idEndingWith(end: string, middle: string, at: Date): string {
  const time = at.getTime().toString(16).padStart(12, "0");
  const first = VARIANT[Number.parseInt(end.charAt(0), 16) & 3];
  return `${time.slice(0, 8)}-${time.slice(8)}-7${middle.slice(0, 3)}-${first}${end.slice(1, 4)}-${end.slice(4)}`;
}

const VARIANT = "89ab";

/**
 * The same for the same name, always: of what a database has lost, and whose own id nobody knows. Version 8 (RFC 9562, section 5.8).
 * @param at the time that it begins with
 */
export function idOfName(name: string, at: Date): string {
  const digits = hash("sha256", name);
  const time = at.getTime().toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-8f${digits.slice(0, 2)}-8${digits.slice(2, 5)}-${digits.slice(5, 17)}`;
}

/** Below every other id (RFC 9562, section 5.9). */
export const NIL_UUID = "00000000-0000-0000-0000-000000000000";

/** That an id of ours begins with, in milliseconds since 1970. */
export const timeOfId = (id: string): number => Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Of any version. What is no UUID is not looked up: PostgreSQL would refuse the query. */
export const isUuid = (text: string): boolean => UUID.test(text);
