// However a program writes and labels amount=4, a follow-up takes 4.00 or refuses: it never takes all that remains (decision R4).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { multipartOf } from "../../test/fixtures/echo-server.ts";
import { sized } from "../../test/random.ts";
import { renderAmount } from "../payment/money.ts";
import { parseBody } from "./body/parse-body.ts";
import type { BodyTree } from "./body/tree.ts";
import { fieldsInQuery } from "./fields-in-query.ts";
import { type FollowUpInput, parseFollowUp, parseReversal, type ReversalInput } from "./parse-follow-up.ts";
import { type FaultMessages, RequestFault } from "./request-fault.ts";

const JSON_TYPE = "application/json";
const FORM = "application/x-www-form-urlencoded";
const MULTIPART = "multipart/form-data; boundary=XX";

type Parse = (body: BodyTree, inQuery: FaultMessages) => { readonly request: FollowUpInput | ReversalInput };

/** What a follow-up with this body would take: an amount, `all`, or the status with which it is refused. */
function taken(body: string | Buffer, type: string | undefined, query = "", parse: Parse = parseFollowUp): string {
  try {
    const headers = type === undefined ? {} : { "content-type": type };
    const tree: BodyTree = parseBody(Buffer.from(body as string), headers, true);
    const { request } = parse(tree, fieldsInQuery(`/refund${query}`, tree));
    return !("amount" in request) || request.amount === undefined ? "all" : renderAmount(request.amount);
  } catch (fault) {
    if (!(fault instanceof RequestFault)) throw fault;
    return `${fault.status} ${Object.keys(fault.messages)}`;
  }
}

const json = (value: unknown) => taken(JSON.stringify(value), JSON_TYPE);
const form = (body: string | Buffer) => taken(body, FORM);

describe("a follow-up without an amount of its own", () => {
  test("takes all that remains where nothing looks like an amount", () => {
    for (const body of ["", "reason=returned", "avs_enabled=1&note=two+words%0Alines", "note=%", "reason=a b\r\n", "&"])
      assert.equal(form(body), "all", body);
    for (const value of [{}, [], { meta: { order: "5" }, items: [{ sku: 1, price: 4 }] }, { account: "7", "500": 1 }])
      assert.equal(json(value), "all", JSON.stringify(value));
    for (const body of [multipartOf([]), multipartOf([["reason", "two\r\nlines"]])])
      assert.equal(taken(body, MULTIPART), "all", body);
    assert.equal(taken("", undefined), "all");
    assert.equal(taken("", FORM, "?utm_source=shop&page=2&=&x[=%ff&_=1764340000000"), "all");
    for (const query of ["?1764340000000", "?=1764340000000", "?v2", "?"])
      assert.equal(taken("", FORM, query), "all", query);
  });

  test("is refused where a field's name contains amount, in any case, at any depth, whatever the field holds", () => {
    for (const name of [
      "Amount",
      " amount",
      "amount ",
      "amount_cents",
      "refundAmount",
      "AMOUNT[value]",
      "ａｍｏｕｎｔ",
    ])
      for (const value of ["4", 4, "", null, {}]) assert.equal(json({ [name]: value }), "422 amount", name);
    for (const name of ["am\u200bount", "amóunt", "paramount", "amount.value", "the amount", "data[amount]"])
      assert.equal(json({ [name]: 4 }), "422 amount", name);
    for (const value of [
      { items: [{ amount: 4 }] },
      { a: { b: [[{ c: { Total_Amount: 4 } }]] } },
      { refund: { amont: 4 } },
    ])
      assert.equal(json(value), "422 amount", JSON.stringify(value));
    for (const body of [
      "amount.value=4",
      "transaction[amount]=4",
      "a[0][b][amount_due]=",
      "+amount=4",
      "%2561mount=4",
      "%u0061mount=4",
      "%2575=%25u0041mount",
    ])
      assert.equal(form(body), "422 amount", body);
  });

  test("is refused where a text contains amount, however it is encoded", () => {
    for (const text of [
      "amount=4",
      "The Amount was wrong",
      '{"amount":4}',
      '{"\\u0061mount":4}',
      "<amount>4</amount>",
      "<v n='&#97;mount'>4</v>",
      "<v n='&#x61;mount'>4</v>",
      "amount%3D4",
      "%61mount%3D4",
      "%2561mount%253D4",
      "%EF%BD%81mount",
      "a\0m\0o\0u\0n\0t\0",
      'a:1:{s:6:"amount";i:4;}',
    ]) {
      assert.equal(json({ note: text }), "422 amount", text);
      assert.equal(json({ items: [{ note: [text] }] }), "422 amount", text);
      assert.equal(form(`body=${encodeURIComponent(text)}`), "422 amount", text);
      assert.equal(form(encodeURIComponent(text)), "422 amount", text);
      assert.equal(taken(multipartOf([["note", text]]), MULTIPART), "422 amount", text);
    }
  });

  test("is refused where a text is Base64 of one that contains amount", () => {
    for (const inner of ['{"amount":"4.00"}', "amount=4", "note=x&AMOUNT=4", "{'id': 1, 'amount': 4}"])
      for (const shift of ["", " ", "  "])
        for (const encoding of ["base64", "base64url"] as const) {
          const text = Buffer.from(shift + inner).toString(encoding);
          assert.equal(json({ body: text }), "422 amount", text);
          assert.equal(json({ request: { token: `eyJhbGciOiJub25lIn0.${text}.c2ln` } }), "422 amount", text);
          assert.equal(form(text), "422 amount", text);
          assert.equal(form(`body=${encodeURIComponent(text)}`), "422 amount", text);
        }
    for (const text of ["cmVhc29uPXJldHVybmVk", "01a222ac-1096-7550-93d4-812fadbad4fc"])
      assert.equal(json({ note: text }), "all");
  });

  test("is refused where a form is a value without a name", () => {
    for (const body of [
      "4",
      "4.00",
      "4,00",
      "$4.00",
      "4.00+USD",
      "USD+4.00",
      '"4.00"',
      "-4",
      "4e0",
      "1,000.00",
      "{4.00}",
      "€4",
      "٤",
    ])
      assert.equal(form(body), "422 amount", body);
    for (const body of ["reason2=", "line-1=&line_2=", "null", "returned"]) assert.equal(form(body), "all", body);
  });

  test("is refused where a value without a name stands in the query", () => {
    for (const query of ["?4.00", "?=4.00", "?4", "?a=b&4.00", "?%244.00", "?4,00", "?USD+4", "?=4", "?9999999", "?-4"])
      assert.equal(taken("", undefined, query), "422 amount", query);
    assert.equal(taken("amount=3", FORM, "?4.00"), "3.00");
  });

  test("is 415 where the body is not what its Content-Type says", () => {
    const bodies: readonly (readonly [body: string, type: string])[] = [
      [multipartOf([["amount", "4"]]), FORM],
      [multipartOf([["reason", "returned"]]), FORM],
      [multipartOf([["amount", "4"]]).replaceAll("\r\n", "\n"), FORM],
      [`a text before\r\n${multipartOf([["amount", "4"]])}`, FORM],
      [multipartOf([["amount", "4"]]), JSON_TYPE],
      ['{"amount":4}', FORM],
      ['\n {"amount":4}', FORM],
      ['["amount",4]', FORM],
      ['{"amount":4}', MULTIPART],
      ["amount=4", JSON_TYPE],
      ["amount%5Bvalue%5D=4", JSON_TYPE],
      ["amount=4", MULTIPART],
      ["<amount>4</amount>", FORM],
      ['<?xml version="1.0"?><a><amount>4</amount></a>', FORM],
      ["<amount>4</amount>", JSON_TYPE],
      ["<amount>4</amount>", MULTIPART],
      ["a=b\namount=4", FORM],
      ["note=x\r\nreason=y\r\n", FORM],
      ["sku,amount\n1,4", FORM],
      ["   ", FORM],
      ["\t", FORM],
    ];
    for (const [body, type] of bodies) assert.equal(taken(body, type), "415 base", `${type}: ${body}`);
    for (const encoding of ["utf16le", "latin1"] as const)
      for (const text of ["amount=4", "reason=ü"])
        assert.match(form(Buffer.from(text, encoding)), /^(415 base|400 base|4\.00)$/, `${encoding}: ${text}`);
    for (const type of [undefined, "text/plain", "application/xml", "text/json", `${FORM}; charset=utf-16`, "x"])
      assert.equal(taken("amount=4", type), "415 base", type);
  });

  test("is refused where the amount stands in the query", () => {
    for (const query of [
      "?amount=4",
      "?Amount[]=4",
      "?amount_cents=400",
      "?a[amount][x]=4",
      "?body=%7B%22amount%22:4%7D",
    ])
      assert.equal(taken("", FORM, query), "422 amount", query);
  });

  test("takes no amount that is not one text or number", () => {
    for (const value of [["4"], { value: "4" }, true, false, [], {}, "four", "4,00", "٤", "４"])
      assert.equal(json({ amount: value }), "422 amount", JSON.stringify(value));
    for (const body of ["amount[]=4", "amount[value]=4", "amount=4&amount=5", "amount=4;x=1", "amount=4\nnote=x"])
      assert.equal(form(body), "422 amount", body);
    assert.equal(taken('{"amount":4,"amount":4}', JSON_TYPE), "400 base");
    assert.equal(form("amount=4&amount[value]=5"), "400 base");
  });

  test("with an amount of its own, what else looks like one is ignored, apart from a misspelled amount", () => {
    for (const more of [{ amount_cents: 400 }, { note: "amount=5" }, { a: { amount: 5 } }])
      assert.equal(json({ amount: "4", ...more }), "4.00");
    assert.equal(form("amount=4&note=two\nlines"), "4.00");
    assert.equal(json({ amount: "4", amont: "5" }), "422 amount");
  });

  test("a reversal, which takes no amount, is refused the same way", () => {
    const reversal = (body: string, type: string) => taken(body, type, "", parseReversal);
    for (const [body, type, expected] of [
      ["reason=returned", FORM, "all"],
      ["amount=", FORM, "all"],
      ["note=amount%3D4", FORM, "422 amount"],
      ['{"items":[{"amount":4}]}', JSON_TYPE, "422 amount"],
      ["a=b\namount=4", FORM, "415 base"],
      [multipartOf([["amount", "4"]]), FORM, "415 base"],
    ] as const)
      assert.equal(reversal(body, type), expected, body);
  });
});

/** `amount` is 4, and some other fields, as programs write them. */
const WRITERS: readonly ((fields: Readonly<Record<string, string>>) => string)[] = [
  (fields) => JSON.stringify(fields),
  (fields) => JSON.stringify({ ...fields, amount: 4 }, null, 2),
  // A list, an envelope, JSON in JSON, JSON:API.
  (fields) => JSON.stringify([fields]),
  (fields) => JSON.stringify({ data: { attributes: fields } }),
  (fields) => JSON.stringify({ body: JSON.stringify(fields) }),
  (fields) => JSON.stringify(Object.entries(fields).map(([name, value]) => ({ name, value }))),
  // How Python, Java, Go and Ruby print a map, and PHP its serialized form.
  (fields) => `{${Object.entries(fields).map(([name, value]) => `'${name}': '${value}'`)}}`,
  (fields) =>
    `{${Object.entries(fields)
      .map(([name, value]) => `${name}=${value}`)
      .join(", ")}}`,
  (fields) =>
    `map[${Object.entries(fields)
      .map(([name, value]) => `${name}:${value}`)
      .join(" ")}]`,
  (fields) => `{${Object.entries(fields).map(([name, value]) => `:${name}=>"${value}"`)}}`,
  (fields) =>
    `a:${Object.keys(fields).length}:{${Object.entries(fields)
      .map(([n, v]) => `s:${n.length}:"${n}";s:${v.length}:"${v}";`)
      .join("")}}`,
  // urlencoded, with the separators of old servlets and of text/plain forms, and encoded as a whole.
  (fields) => new URLSearchParams(fields).toString(),
  (fields) => `${new URLSearchParams(fields)}\r\n`,
  (fields) => new URLSearchParams(fields).toString().replaceAll("&", ";"),
  (fields) => new URLSearchParams(fields).toString().replaceAll("&", "\n"),
  (fields) => encodeURIComponent(new URLSearchParams(fields).toString()),
  (fields) => `data=${encodeURIComponent(JSON.stringify(fields))}`,
  (fields) => `?${new URLSearchParams(fields)}`,
  (fields) =>
    new URLSearchParams(
      Object.entries(fields).map(([name, value]): [string, string] => [`refund[${name}]`, value]),
    ).toString(),
  (fields) =>
    new URLSearchParams(
      Object.entries(fields).map(([name, value]): [string, string] => [`${name}[]`, value]),
    ).toString(),
  // multipart, as it should be, with bare line feeds, a text before it, another boundary.
  (fields) => multipartOf(Object.entries(fields)),
  (fields) => multipartOf(Object.entries(fields)).replaceAll("\r\n", "\n"),
  (fields) => `This is a message in MIME format.\r\n${multipartOf(Object.entries(fields))}`,
  (fields) => multipartOf(Object.entries(fields)).replaceAll("XX", "YY"),
  (fields) => `${multipartOf([])}${multipartOf(Object.entries(fields))}`,
  // Other formats.
  (fields) =>
    `<refund>${Object.entries(fields)
      .map(([name, value]) => `<${name}>${value}</${name}>`)
      .join("")}</refund>`,
  (fields) =>
    Object.entries(fields)
      .map(([name, value]) => `${name}: ${value}`)
      .join("\n"),
  (fields) => `${Object.keys(fields)}\n${Object.values(fields)}`,
];

const ENCODERS: readonly ((text: string) => Buffer)[] = [
  (text) => Buffer.from(text),
  (text) => Buffer.from(text),
  (text) => Buffer.from(`\ufeff${text}`),
  (text) => Buffer.from(text, "utf16le"),
  (text) => Buffer.from(`\ufeff${text}`, "utf16le"),
  (text) => Buffer.from(text, "utf16le").swap16(),
  (text) => Buffer.from([...text].flatMap((letter) => [letter.charCodeAt(0) & 255, 0, 0, 0])),
  (text) => Buffer.from(`  ${text}\n`),
  gzipSync,
  deflateSync,
  brotliCompressSync,
];

const TYPES = [
  JSON_TYPE,
  `${JSON_TYPE}; charset=utf-8`,
  FORM,
  `${FORM};charset=UTF-8`,
  MULTIPART,
  undefined,
  "text/plain",
];

test("whatever writes, encodes and labels amount=4, it is read as 4.00 or refused", () => {
  const others = fc.dictionary(
    fc.constantFrom("reason", "note", "order", "sku"),
    fc.constantFrom("a", "b c", "ü", "1"),
  );
  const all = fc.record({
    fields: fc
      .tuple(others, fc.constantFrom("4", "4.00"), others)
      .map(([before, amount, after]) => ({ ...before, amount, ...after })),
    write: fc.constantFrom(...WRITERS),
    encode: fc.constantFrom(...ENCODERS),
    type: fc.constantFrom(...TYPES),
  });
  const seen = new Set<string>();
  fc.assert(
    fc.property(all, ({ fields, write, encode, type }) => {
      const result = taken(encode(write(fields)), type);
      seen.add(result);
      assert.match(result, /^(4\.00|400 base|415 base|422 [a-z_,]*amount)$/, write(fields));
    }),
    { numRuns: sized(5_000, 100_000) },
  );
  assert.deepEqual(
    [...seen].filter((result) => !result.startsWith("4")),
    [],
  );
  assert.ok(seen.has("4.00") && seen.size >= 4, [...seen].join());
});
