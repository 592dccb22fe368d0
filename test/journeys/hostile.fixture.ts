// Generated requests that are wrong in the ways in which requests go wrong: right ones with some fields changed for the
// worse, in each of the three formats, spoilt once more as text; and plain noise.

import fc from "fast-check";
import { ANY_CHARACTER } from "../fixtures/any-character.ts";
import { SECRET_CARD, SECRET_CVV, type Sent } from "./harmless.fixture.ts";
import { type Json, leg, passenger, sale, THREE_D_SECURE } from "./merchant.fixture.ts";

// TypeScript does not know these yet: https://tc39.es/proposal-json-parse-with-source/
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): object;
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
};

const RIGHT_CHARGES: readonly Json[] = [
  {},
  { ...THREE_D_SECURE, threeds_version: 2 },
  { amount: "200.00", passenger_transport: [passenger(), passenger()] },
  {
    ...{ first_name: "Jane", last_name: "Doe", email: "jane@example.com", mobile_phone: "15145550199", city: "Oslo" },
    ...{ street_address_1: "1 Main St", street_address_2: "Flat 2", state: "CA", country: "US", zip: "95030" },
    ...{ shipping_street_address_1: "1 Main St", shipping_city: "Oslo", shipping_state: "CA", shipping_zip: "95030" },
    ...{ shipping_country: "US", document_number: "111.444.777-35", dynamic_descriptor: "SHOP|1", currency: "USD" },
    meta: { cart: { lines: [1, 2] } },
  },
].map((over) => sale({ card_number: SECRET_CARD, card_cvv: SECRET_CVV, ...over }));

const FIELDS_OF_CHARGE = [
  ...new Set(RIGHT_CHARGES.flatMap((body) => Object.keys(body))),
  ...["processor_id", "transaction_type", "favourite_colour", "constructor", "__proto__", "a\r\nb", ""],
  ...Object.keys(passenger()).map((field) => `passenger_transport.0.${field}`),
  ...Object.keys(leg()).map((field) => `passenger_transport.1.legs.0.${field}`),
  ...["passenger_transport.0", "passenger_transport.1.legs.0", "meta.cart.lines.7"],
];
const FIELDS_OF_FOLLOW_UP = [
  ...["amount", "ip_address", "passenger_transport", "passenger_transport.0", "favourite_colour"],
  ...["passenger_transport.0.passenger_id", "passenger_transport.0.amount", "passenger_transport.1.amount"],
];

/** Lengths at which a limit of the tables lies, and one more. */
const LIMITS = [0, 1, 2, 3, 4, 8, 13, 15, 18, 19, 20, 25, 36, 255].flatMap((limit) => [limit, limit + 1]);
const FILLING = fc.constantFrom("a", "1", "é", "\u0000", "\u{1f600}", "\u0301", "\ud800", " ", "%", "=", "漢", "\n");

const text = fc.oneof(
  fc.tuple(fc.constantFrom(...LIMITS), FILLING).map(([length, one]) => one.repeat(length)),
  fc.string({ unit: ANY_CHARACTER, maxLength: 300 }),
  fc.constantFrom(
    ...["true", "0", "null", "NaN", "Infinity", "1e2", "0x10", "-1", "1,00", "9999999.01", "2031-02-30", "%%%", "{}"],
    ...["[1]", '{"a":', "' or 1=1 --", "<script>", "../../etc/passwd", "\u202e", "=cmd|' /C calc'!A0", "१२३"],
    ...["::1%eth0", "256.1.1.1", "4111 1111 1111 1111"],
  ),
);
const number = fc
  .oneof(
    fc.constantFrom("1e400", "-0", "1e-7", "1.00000000000000000001", "0.30000000000000004", "99999999999999999999"),
    fc.constantFrom("1E+2", "-1", "0", "1", "3.560", `1${"0".repeat(400)}`, `0.${"1".repeat(400)}`),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.integer().map(String),
  )
  .map((literal) => rawJSON(literal));
const nested = fc
  .tuple(fc.constantFrom("a", "0", "legs", "fare", "constructor", "__proto__", "\ud800"), fc.constantFrom(1, 2, 31, 40))
  .map(([key, depth]) => {
    let value: unknown = "x";
    for (let level = 0; level < depth; level++) value = Object.fromEntries([[key, value]]);
    return value;
  });
const wrongValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: text },
  { weight: 3, arbitrary: number },
  { weight: 2, arbitrary: nested },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null], [{}], [1, 1]) },
  { weight: 1, arbitrary: fc.array(fc.oneof(text, number, nested), { maxLength: 5 }) },
);

const [first, rest] = [SECRET_CARD.slice(0, 4), SECRET_CARD.slice(4)];
/** The secret in a form in which it is no card number: here alone may it stand where an error could repeat it. */
const wrongCard = fc.record({
  field: fc.constant("card_number"),
  value: fc.constantFrom<unknown>(`${first} ${rest}`, `${SECRET_CARD}0000`, [SECRET_CARD], { [SECRET_CARD]: 1 }, rest),
});
const change = (fields: readonly string[]): fc.Arbitrary<Change> =>
  fc.oneof(
    {
      weight: 15,
      arbitrary: fc.record({ field: fc.constantFrom(...fields), value: fc.option(wrongValue, { nil: undefined }) }),
    },
    { weight: fields.includes("card_number") ? 1 : 0, arbitrary: wrongCard },
  );
type Change = { readonly field: string; readonly value: unknown };

/** A copy with one field set, or left out where the value is undefined; what is on the way there is made. */
function changed(body: unknown, [name = "", ...rest]: readonly string[], value: unknown): unknown {
  const copy: Record<string, unknown> | unknown[] = Array.isArray(body)
    ? [...body]
    : Object.assign(Object.create(null), body);
  const key = name as keyof typeof copy;
  const set = rest.length === 0 ? value : changed(isHolder(copy[key]) ? copy[key] : {}, rest, value);
  Object.defineProperty(copy, name, { value: set, enumerable: true, configurable: true, writable: true });
  return copy;
}
const isHolder = (value: unknown): value is object => typeof value === "object" && value !== null && !isRawJSON(value);

const pathOf = (field: string): readonly string[] =>
  /^(passenger_transport|meta)\./.test(field) ? field.split(".") : [field];

const wrongBody = (right: readonly Json[], fields: readonly string[]): fc.Arbitrary<unknown> =>
  fc
    .tuple(fc.constantFrom(...right), fc.array(change(fields), { minLength: 1, maxLength: 4 }))
    .map(([body, changes]) =>
      changes.reduce<unknown>((before, { field, value }: Change) => changed(before, pathOf(field), value), body),
    );

/** Cuts and insertions in the body as text: what a broken client or network would make of it. */
const edits = fc.oneof(
  { weight: 4, arbitrary: fc.constant([]) },
  {
    weight: 1,
    arbitrary: fc.array(
      fc.record({
        at: fc.double({ min: 0, max: 1, noNaN: true }),
        cut: fc.nat(6),
        put: fc.oneof(
          fc.string({ maxLength: 4 }),
          fc.constantFrom(...'{}[]",:&=%+\r\n\0', "%00", "%ff", "%C3%28", "--x", '"amount":1,', "amount=1&", "[]", "é"),
        ),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  },
);
const spoilt = (body: string, changes: readonly { at: number; cut: number; put: string }[]): string =>
  changes.reduce((before, { at, cut, put }) => {
    const place = Math.floor(at * before.length);
    return before.slice(0, place) + put + before.slice(place + cut);
  }, body);

type Format = "json" | "form" | "multipart";
const TYPES: Readonly<Record<Format, string>> = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
  multipart: "multipart/form-data; boundary=x",
};

function written(format: Format, body: unknown): string {
  if (format === "json") return JSON.stringify(body) ?? "";
  const pairs = fieldsOf(body, "");
  if (format === "form") return new URLSearchParams(pairs).toString();
  const parts = pairs.map(
    ([name, value]) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return `${parts.join("")}--x--\r\n`;
}

function fieldsOf(value: unknown, name: string): [string, string][] {
  if (value === undefined) return [];
  if (isRawJSON(value)) return [[name, value.rawJSON]];
  if (typeof value !== "object" || value === null) return [[name, String(value ?? "")]];
  return Object.entries(value).flatMap(([key, inner]) => fieldsOf(inner, name === "" ? key : `${name}[${key}]`));
}

const post = (path: fc.Arbitrary<string>, body: fc.Arbitrary<unknown>): fc.Arbitrary<Sent> =>
  fc
    .tuple(path, fc.constantFrom<Format>("json", "form", "multipart"), body, edits)
    .map(([to, format, tree, changes]) => ({
      method: "POST",
      path: to,
      headers: { "content-type": TYPES[format] },
      body: spoilt(written(format, tree), changes),
    }));

export const wrongCharges: fc.Arbitrary<Sent> = post(
  fc.constantFrom("/api/transactions/sale", "/api/transactions/auth", "/api/transactions"),
  wrongBody(RIGHT_CHARGES, FIELDS_OF_CHARGE),
);

/** @param bodies that are right for these transactions, by id */
export const wrongFollowUps = (bodies: ReadonlyMap<string, Json>): fc.Arbitrary<Sent> =>
  post(
    fc
      .tuple(fc.constantFrom(...bodies.keys()), fc.constantFrom("capture", "void", "refund", "reversal"))
      .map(([id, operation]) => `/api/transactions/${id}/${operation}`),
    wrongBody([...bodies.values()], FIELDS_OF_FOLLOW_UP),
  );

const PATHS = ["/api/transactions", "/api/transactions/sale", "/api/transactions/x/void", "/api/processors"];
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"];

/** Bytes of no format, under the name of any. */
export const noise: fc.Arbitrary<Sent> = fc.record({
  method: fc.constant("POST"),
  path: fc.constantFrom(...PATHS, "/operator/merchants", "/nowhere"),
  headers: fc
    .oneof(
      fc.constantFrom(...Object.values(TYPES)),
      fc.constantFrom("multipart/form-data", "text/plain", "application/json; charset=utf-16", "", "x", "a/b;c=\xff"),
    )
    .map((type) => ({ "content-type": type })),
  body: fc.tuple(fc.uint8Array({ maxLength: 600 }), fc.constantFrom(0, 0, 0, 70_000)).map(noisy),
});

function noisy([bytes, more]: [Uint8Array, number]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(bytes.length + more).fill(0x41);
  all.set(bytes);
  return all;
}

const FILTER_NAMES = [
  ...["merchant_transaction_id", "card_number", "first_name", "email", "mobile_phone", "user_id", "state", "zip"],
  ...["created_at_gte", "updated_at_lte", "shipping_zip", "no_such_field", "__proto__", "constructor", ""],
];
const FILTER_VALUES = fc.oneof(
  text,
  fc.constantFrom(
    "411111********",
    "0000-01-01 00:00:00",
    "9999-12-31 23:59:59",
    "2031-01-01 24:00:00",
    "\\",
    "%",
    "_",
  ),
  fc.uuid(),
);
const parameter = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom("search[%s]", "search[%s][]", "serach[%s]", "search.%s"), fc.constantFrom(...FILTER_NAMES))
      .map(([form, name]) => form.replace("%s", name)),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom("page", "format", "search", "page[]", "limit", "search[a", "[x]", "search[a]b"),
  },
);
const pageAndFormat = fc.constantFrom("0", "1", "2147483648", "2147483649", "1e3", "csv", "json", "xml", "999999");

/** Queries of the list; now and then broken beyond what a client would encode. */
export const wrongQueries: fc.Arbitrary<Sent> = fc
  .tuple(
    fc.array(fc.tuple(parameter, fc.oneof(FILTER_VALUES, pageAndFormat)), { maxLength: 4 }),
    fc.oneof(
      { weight: 5, arbitrary: fc.constant("") },
      { weight: 1, arbitrary: fc.constantFrom("&%", "&%ff=%ff", "&&==&", "&a%5D=1") },
    ),
  )
  .map(([pairs, tail]) => ({ method: "GET", path: `/api/transactions?${new URLSearchParams(pairs)}${tail}` }));

const headerValue = fc.oneof(
  fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)), maxLength: 300 }),
  fc.string({ unit: fc.integer({ min: 0xa1, max: 0xff }).map((code) => String.fromCharCode(code)), maxLength: 30 }),
  fc.constantFrom(
    "",
    "x",
    "k".repeat(255),
    "k".repeat(256),
    "Bearer",
    "Bearer  x",
    "bearer ä",
    "*/*",
    "gzip",
    "a=b, a=c",
  ),
);
const HEADERS = ["idempotency-key", "authorization", "content-type", "content-encoding", "accept", "x-forwarded-for"];

/** Any method on any path with any headers; the body is that of a sale, which is right. */
export const wrongHeadersAndPaths: fc.Arbitrary<Sent> = fc
  .record({
    method: fc.constantFrom(...METHODS),
    path: fc.oneof(
      fc.constantFrom(...PATHS, "/api/transactions/sale"),
      fc.string({ maxLength: 40 }).map((path) => `/api/${encodeURIComponent(path.toWellFormed())}`),
      fc.constantFrom(
        "/api/%ZZ",
        "/api/transactions/%00",
        `/api/transactions/${"x".repeat(3_000)}`,
        "/api//",
        "/api/%E0",
      ),
    ),
    headers: fc.dictionary(fc.constantFrom(...HEADERS), headerValue, { maxKeys: 3 }),
  })
  .map(({ method, path, headers }) => {
    const typed = { "content-type": "application/json", ...headers };
    return method === "GET" || method === "HEAD"
      ? { method, path, headers }
      : { method, path, headers: typed, body: JSON.stringify(RIGHT_CHARGES[0]) };
  });
