// One input: a real request, changed by its grammar (fields, values, parameters, headers), written in one of the formats,
// and changed once more as bytes. The same seed and number make the same input.

import { Buffer } from "node:buffer";
import { type Chance, chanceFrom } from "../simulation/chance.ts";
import type { Seed } from "./seeds.ts";

export interface Input {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer | undefined;
  /** Sent as these bytes on a connection of its own instead of as a request that frames its body rightly. */
  readonly raw: Buffer | undefined;
}

export function inputOf(seeds: readonly [Seed, ...Seed[]], seed: number, nth: number): Input {
  const chance = chanceFrom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(nth + 1, 0x85ebca6b));
  const from = chance.pick(seeds);
  const format = chance.pick(FORMATS);
  const query = chance.happens(0.3) ? changedPairs(chance, from.query) : from.query;
  const path = chance.happens(0.05) ? textChanged(chance, from.path) : from.path;
  const target = `${path}${query.length === 0 ? "" : `?${queryText(chance, query)}`}`;
  const body = from.body && bodyOf(chance, format, chance.happens(0.85) ? changedJson(chance, from.body) : from.body);
  const credentials = `Bearer ${from.token}`;
  const headers: [string, string][] = [
    ["authorization", chance.happens(0.05) ? latin(textChanged(chance, credentials)) : credentials],
  ];
  if (body) headers.push(["content-type", body.type]);
  while (chance.happens(0.15)) headers.push([chance.pick(HEADERS), headerValue(chance)]);
  const method = chance.happens(0.02)
    ? chance.pick(["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "POST"])
    : from.method;
  const bytes = body && (chance.happens(0.35) ? bytesChanged(chance, body.bytes) : body.bytes);
  const input = { method, target: asTarget(target), headers, body: bytes, raw: undefined };
  return chance.happens(0.1) ? { ...input, raw: bytesChanged(chance, onTheWire(input)) } : input;
}

const WORDS = [
  ...["", " ", "0", "1", "-1", "1e400", "1e-7", "0.1", "1.10", "NaN", "9999999.01", "true", "null", "{}", "[]", "[[]]"],
  ...["amount", "__proto__", "constructor", "toString", "\0", "\ud800", "\u{1f600}", "%", "%00", "%ff", "\r\n", "é"],
  ...[
    "' or 1=1 --",
    "<script>",
    "../../etc/passwd",
    "=cmd|' /C calc'!A0",
    "\u202e",
    "2031-02-30",
    "::1%eth0",
    "１２３",
  ],
  ...["2147483648", "9223372036854775808", "00000000-0000-7000-8000-000000000000", "411111********", "a".repeat(256)],
  ...["a".repeat(5_000), "[".repeat(200), "4929 9391 8735 5598", "9007199254740993", "true\0", "\ufeff{}", "\\", "$1"],
] as const;
const HEADERS = [
  ...["idempotency-key", "content-type", "content-encoding", "accept", "accept-encoding", "x-forwarded-for", "cookie"],
  ...["authorization", "expect-nothing", "range", "if-none-match", "origin", "x-http-method-override", "te", "via"],
] as const;
const VALUES = [
  ...["", "x", "gzip", "identity", "application/json; charset=utf-16", "multipart/form-data", "Bearer", "*/*", "k"],
  ...["application/x-www-form-urlencoded", "a/b;c=\xff", "k".repeat(255), "k".repeat(256), "a=b, a=c", "bytes=0-"],
] as const;

const word = (chance: Chance): string => chance.pick(WORDS);
const headerValue = (chance: Chance): string =>
  chance.happens(0.7) ? chance.pick(VALUES) : latin(textChanged(chance, chance.pick(VALUES)));
const latin = (text: string): string => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, "?");

function value(chance: Chance, depth = 0): unknown {
  if (depth < 3 && chance.happens(0.2))
    return chance.happens(0.5) ? [value(chance, depth + 1)] : { [word(chance)]: value(chance, depth + 1) };
  return chance.pick<() => unknown>([
    () => word(chance),
    () => word(chance),
    () => chance.below(1e9) / 100,
    () => -chance.below(10),
    () => null,
    () => chance.happens(0.5),
    () => chance.next() * 1e300,
  ])();
}

const SECRET_FIELDS = new Set(["card_number", "card_cvv"]);

/** A copy in which one place, or a few, is another value, is gone, is there under another name, or is new. */
function changedJson(chance: Chance, body: unknown): unknown {
  const copy = structuredClone(body) as Record<string, unknown>;
  for (let times = 1 + chance.below(3); times > 0; times--) {
    const places = placesOf(copy);
    const [holder, key] = places[chance.below(places.length)] ?? [copy, word(chance)];
    const put = (name: string, what: unknown) => {
      // An index beyond the end of a list would make it as long as that.
      if (Array.isArray(holder) && !(name in holder)) holder.push(what);
      else Object.defineProperty(holder, name, { value: what, enumerable: true, configurable: true, writable: true });
    };
    chance.pick([
      () => put(key, value(chance)),
      () => put(key, textChanged(chance, JSON.stringify(own(holder, key)) ?? "")),
      () => delete holder[key],
      () => !SECRET_FIELDS.has(key) && put(word(chance), own(holder, key)),
      () => put(key, [own(holder, key), own(holder, key)]),
      () => {
        const [other, name] = places[chance.below(places.length)] ?? [holder, key];
        // What is secret belongs in no other field, and may be repeated from there.
        if (!SECRET_FIELDS.has(name)) put(key, structuredClone(own(other, name)));
      },
    ])();
  }
  return copy;
}

/** Not what every object has by nature, such as `constructor`. */
const own = (holder: Record<string, unknown>, key: string): unknown =>
  Object.hasOwn(holder, key) ? holder[key] : undefined;

type Place = readonly [Record<string, unknown>, string];

function placesOf(holder: unknown): Place[] {
  if (typeof holder !== "object" || holder === null) return [];
  const record = holder as Record<string, unknown>;
  return Object.keys(record).flatMap((key): Place[] => [[record, key], ...placesOf(record[key])]);
}

function changedPairs(chance: Chance, pairs: Seed["query"]): Seed["query"] {
  const copy = pairs.map((pair) => [...pair] as [string, string]);
  for (let times = 1 + chance.below(2); times > 0; times--) {
    const pair = copy[chance.below(copy.length)];
    if (pair === undefined || chance.happens(0.3))
      copy.push([chance.happens(0.5) ? `search[${word(chance)}]` : word(chance), word(chance)]);
    else pair[chance.below(2)] = chance.happens(0.5) ? word(chance) : textChanged(chance, pair[0]);
  }
  return copy;
}

const queryText = (chance: Chance, pairs: Seed["query"]): string => {
  const text = new URLSearchParams(pairs.map(([name, text]): [string, string] => [name, text])).toString();
  return chance.happens(0.1) ? textChanged(chance, text) : text;
};

/** What may stand in a request's line. */
const asTarget = (text: string): string =>
  text.replace(/[^\x21-\x7e\x80-\xff]/g, (char) => encodeURIComponent(char.toWellFormed()));

function textChanged(chance: Chance, text: string): string {
  const at = chance.below(text.length + 1);
  return chance.pick([
    () => text.slice(0, at) + word(chance) + text.slice(at),
    () => text.slice(0, at) + text.slice(at + 1 + chance.below(4)),
    () => text.slice(0, at),
    () => text.repeat(2),
    () => text.slice(0, at) + String.fromCharCode(chance.below(0x250)) + text.slice(at + 1),
  ])();
}

function bytesChanged(chance: Chance, bytes: Buffer): Buffer {
  let changed = bytes;
  for (let times = 1 + chance.below(4); times > 0; times--) {
    const at = chance.below(changed.length + 1);
    const [before, after] = [changed.subarray(0, at), changed.subarray(at)];
    changed = chance.pick([
      () => Buffer.concat([before, Buffer.from([chance.below(256)]), after.subarray(1)]),
      () => Buffer.concat([before, Buffer.from([chance.below(256)]), after]),
      () => Buffer.concat([before, after.subarray(1 + chance.below(16))]),
      () => Buffer.concat([before, Buffer.from(word(chance)), after]),
      () => Buffer.concat([before, after.subarray(0, chance.below(40)), after]),
      () => before,
    ])();
  }
  return changed;
}

const FORMATS = ["json", "json", "form", "multipart"] as const;
const BOUNDARY = "----fuzz";

function bodyOf(
  chance: Chance,
  format: "json" | "form" | "multipart",
  body: unknown,
): { readonly type: string; readonly bytes: Buffer } {
  if (format === "json") return { type: "application/json", bytes: Buffer.from(JSON.stringify(body) ?? "") };
  const pairs = inBrackets(body, "");
  if (chance.happens(0.1)) pairs.push(...pairs.slice(0, 2));
  if (format === "form")
    return { type: "application/x-www-form-urlencoded", bytes: Buffer.from(new URLSearchParams(pairs).toString()) };
  const parts = pairs.map(
    ([name, text]) =>
      `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name.replaceAll('"', "%22")}"\r\n\r\n${text}\r\n`,
  );
  return {
    type: `multipart/form-data; boundary=${BOUNDARY}`,
    bytes: Buffer.from(`${parts.join("")}--${BOUNDARY}--\r\n`),
  };
}

function inBrackets(value: unknown, name: string): [string, string][] {
  if (typeof value !== "object" || value === null) return [[name, String(value ?? "")]];
  return Object.entries(value).flatMap(([key, inner]) => inBrackets(inner, name ? `${name}[${key}]` : key));
}

function onTheWire({ method, target, headers, body }: Input): Buffer {
  const lines = [...headers, ["host", "x"], ...(body ? [["content-length", String(body.length)]] : [])];
  const head = `${method} ${target} HTTP/1.1\r\n${lines.map(([name, text]) => `${name}: ${text}\r\n`).join("")}\r\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), body ?? Buffer.alloc(0)]);
}
