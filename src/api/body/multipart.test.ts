import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { multipartOf } from "../../../test/fixtures/echo-server.ts";
import { literalOf, type NumberLiteral } from "../../validation/number-literal.ts";
import { readMultipart } from "./multipart.ts";
import { parseBody } from "./parse-body.ts";

const read = (body: string | Buffer, boundary = "XX") =>
  readMultipart(Buffer.from(body as string), boundary).fields as [string, string][];
const part = (headers: string, value = "1") => `--XX\r\n${headers}\r\n\r\n${value}\r\n--XX--\r\n`;

test("names and values are kept as they are, line ends and boundaries within a line included", () => {
  const fields: [string, string][] = [
    ["a", "1"],
    ["meta[x]", "two\r\nlines\n"],
    ["p[0][legs][1][fare]", ""],
    ["text", " --XX"],
    ["text", "\r\n-XX --XX--"],
    ["nul", "\0"],
    ['quote " and\r\nline', "x"],
    ["цвет", "😀"],
    ["back\\slash\\", "\\"],
    ["", "no name"],
    ["100%", "%22"],
  ];
  assert.deepEqual(read(multipartOf(fields)), fields);
});

test("a form without fields is a form", () => {
  for (const body of ["--XX--", "--XX--\r\n", "\r\n--XX--"]) assert.deepEqual(read(body), []);
});

test("what clients in the field put into the headers of a part is understood", () => {
  const headers = [
    'Content-Disposition: form-data; name="a"',
    'content-disposition:form-data;name="a"',
    "Content-Disposition: form-data; name=a",
    'Content-Disposition: FORM-DATA ;  NAME="a" ',
    'Content-Disposition: form-data; x=y; name="a"; z="; filename="',
    'Content-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; name="a"',
    'Content-Disposition: form-data; name="a"\r\nContent-Type: text/plain; charset=ISO-8859-1\r\nContent-Transfer-Encoding: 8bit',
    'Content-Disposition: form-data; name="a"\r\nContent-Type: text/json\r\nContent-Length: 1',
    'Content-Disposition: form-data; name="a"\r\nContent-Type: text/plain; charset="US-ASCII"\r\nContent-Transfer-Encoding: 7BIT',
  ];
  for (const lines of headers) assert.deepEqual(read(part(lines)), [["a", "1"]], lines);
  assert.deepEqual(read("\r\n--XX \t\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--XX--\r\n\r\n"), [
    ["a", "1"],
  ]);
});

test("texts before the first boundary and after the last one are ignored", () => {
  const good = multipartOf([["a", "1"]]);
  for (const before of [
    "",
    "\r\n",
    "This is a message in MIME format.\r\n",
    "x\r\n\r\n",
    " --XX \r\n-XX\r\n",
    "\0ü\r\n",
  ])
    for (const after of ["", "\r\n", "The end.", " \t\r\nThe end.\r\n"])
      assert.deepEqual(read(`${before}${good.trimEnd()}${after && "\r\n"}${after}`), [["a", "1"]], before + after);
  assert.deepEqual(read(`x\r\n${multipartOf([])}`), []);
});

const json = (name: string, text: string, type = "application/json") =>
  `--XX\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: ${type}\r\n\r\n${text}\r\n`;
const plain = (value: unknown) => JSON.parse(JSON.stringify(value));
const tree = (parts: string, ofFollowUp = false) =>
  parseBody(Buffer.from(`${parts}--XX--`), { "content-type": "multipart/form-data; boundary=XX" }, ofFollowUp);

test("a part with Content-Type application/json is read as JSON: objects, lists, texts, numbers, flags and null", () => {
  for (const [text, expected] of [
    ['{"order":"A1","n":[1.10,true,null]}', { order: "A1", n: [1.1, true, null] }],
    ["[]", []],
    ['"order-1"', "order-1"],
    ["1.10", 1.1],
    ["true", true],
    ["null", null],
    ["", ""],
    [' \n{"a":{"b":[]}} ', { a: { b: [] } }],
  ] as const)
    assert.deepEqual(plain(tree(json("meta", text))), { meta: expected }, text);
  assert.equal(literalOf(tree(json("amount", "1.10")).amount as NumberLiteral), "1.10");
  for (const type of ["Application/JSON", "application/json; charset=utf-8", 'application/json;charset="UTF-8"'])
    assert.deepEqual(plain(tree(json("meta", '{"a":"ü"}', type))), { meta: { a: "ü" } }, type);
  // As browsers and Node send a Blob with a type.
  const blob = json("meta", '{"a":"1"}').replace('name="meta"', 'name="meta"; filename="blob"');
  assert.deepEqual(plain(tree(blob)), { meta: { a: "1" } });
  assert.deepEqual(plain(tree(json("meta", '{"a":1}', "text/plain"))), { meta: '{"a":1}' }, "a text is a text");
});

test("a list is one JSON part, a part for each item, numbered, or beside fields in brackets", () => {
  const [jane, john] = [{ passenger_name: "JANE" }, { passenger_name: "JOHN", legs: [{ fare: "1" }] }];
  const name = "passenger_transport";
  const one = (passenger: object) => JSON.stringify(passenger);
  for (const parts of [
    json(name, JSON.stringify([jane, john])),
    json(name, one(jane)) + json(name, one(john)),
    json(`${name}[]`, one(jane)) + json(`${name}[]`, one(john)),
    json(`${name}[1]`, one(john)) + json(`${name}[0]`, one(jane)),
    json(`${name}[0]`, one(jane)) +
      json(`${name}[1][legs][]`, '{"fare":"1"}') +
      json(`${name}[1][passenger_name]`, '"JOHN"'),
  ])
    assert.deepEqual(plain(tree(parts))[name], [jane, john], parts);
  assert.deepEqual(plain(tree(json(name, one(jane))))[name], [jane], "a list of one");
  assert.throws(() => tree(json("a", '{"b":1}') + json("a[c]", "2")), { status: 400 });
});

test("a JSON part is bound as a JSON body is, together with all others", () => {
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
  tree(json("meta", nested(31)));
  assert.throws(() => tree(json("meta", nested(32))), { status: 400, message: /nested/ });
  assert.throws(() => tree(json("meta[a][b]", nested(30))), { status: 400, message: /nested/ });
  const many = `[${"1,".repeat(4_999)}1]`;
  tree(json("meta", many) + json("more", many));
  assert.throws(() => tree(json("meta", many) + json("more", many) + json("x", "1")), { status: 413 });
  const branches = `[${"[],".repeat(4_998)}[]]`;
  tree(json("meta", branches) + json("more", branches));
  assert.throws(() => tree(json("meta", branches) + json("more", branches) + json("x", "[]")), { status: 413 });
  for (const [text, because] of [
    ['{"a":1', /The part "meta" is not valid JSON: look at line 1, column 7/],
    ["order-1", /not valid JSON/],
    ['{"a":1,"a":2}', /the same name in it twice: a/],
    ['{"__proto__":{"x":1}}', /__proto__/],
    ['"\\ud800"', /half of one/],
  ] as const)
    assert.throws(() => tree(json("meta", text)), { status: 400, message: because }, text);
  assert.throws(() => tree(json("meta", "{}", "application/json; charset=iso-8859-1")), { status: 415 });
});

test("a follow-up's amount may be JSON, and is refused where it stands outside of the parts", () => {
  assert.equal(literalOf(tree(json("amount", "4.00"), true).amount as NumberLiteral), "4.00");
  const outside = { status: 422, message: /before the first boundary/ };
  assert.throws(() => tree(`amount=4\r\n${json("a", "1")}`, true), outside);
  assert.throws(() => tree(`${json("a", "1")}--XX--\r\n<Amount>4</Amount>\r\n`, true), outside);
  assert.equal(tree(`an amount\r\n${json("amount", '"4"')}`, true).amount, "4");
  assert.deepEqual(plain(tree(`an amount\r\n${json("a", '"1"')}`)), { a: "1" }, "a charge requires one");
});

test("a part that says it is in Latin-1 is read so", () => {
  const latin1 = Buffer.from(
    part('Content-Disposition: form-data; name="a"\r\nContent-Type: text/plain; charset=iso-8859-1', "ü"),
    "latin1",
  );
  assert.deepEqual(read(latin1), [["a", "ü"]]);
});

test("no part is skipped in silence: what cannot be understood is refused", () => {
  const good = multipartOf([["amount", "1"]]);
  const refused: [what: string, body: string, status: number, because: RegExp][] = [
    ["nothing", "x", 400, /does not have the boundary/],
    ["garbage", "--XX\r\ngarbage", 400, /ends before its last boundary/],
    ["only the first boundary", "--XX", 400, /not followed by a line end/],
    ["cut in the headers", good.slice(0, 20), 400, /ends before its last boundary/],
    ["cut in the value", good.slice(0, -12), 400, /ends before its last boundary/],
    ["cut in the last boundary", good.slice(0, -4), 400, /not followed by a line end/],
    ["another boundary", good.replaceAll("XX", "YY"), 400, /does not have the boundary/],
    ["a longer boundary", good.replaceAll("XX", "XXX"), 400, /not followed by a line end/],
    ["a text right before it", `x${multipartOf([])}`, 400, /does not have the boundary/],
    ["a text right after it", `${multipartOf([])}`.replace("--\r\n", "--x"), 400, /something follows/],
    ["a part before it", `${good.replaceAll("XX", "YY")}${good}`, 400, /a part is before/],
    [
      "a part before it, with bare line feeds",
      `${good.replaceAll("\r\n", "\n")}\r\n${good}`,
      400,
      /not followed by a line end/,
    ],
    ["a part after it", `${good}${good}`, 400, /a part is before its first boundary or after/],
    ["line ends without CR", good.replaceAll("\r\n", "\n"), 400, /not followed by a line end/],
    ["no headers", "--XX\r\n\r\n1\r\n--XX--\r\n", 400, /lacks its headers/],
    ["no empty line", "--XX\r\nContent-Disposition: form-data; name=a\r\n--XX--\r\n", 400, /lacks its headers/],
    [
      "an empty line that is the boundary's",
      "--XX\r\nContent-Disposition: form-data; name=a\r\n\r\n--XX--\r\n",
      400,
      /lacks its headers/,
    ],
    ["no disposition", part("Content-Type: text/plain"), 400, /lacks Content-Disposition/],
    ["another disposition", part("Content-Disposition: attachment; name=a"), 400, /lacks Content-Disposition/],
    ["no name", part("Content-Disposition: form-data"), 400, /lacks Content-Disposition/],
    [
      "a name in the extended form only",
      part("Content-Disposition: form-data; name*=utf-8''a"),
      400,
      /lacks Content-Disposition/,
    ],
    ["two names", part("Content-Disposition: form-data; name=a; name=b"), 400, /lacks Content-Disposition/],
    ["an open quote", part('Content-Disposition: form-data; name="a'), 400, /lacks Content-Disposition/],
    ["a quote in a name", part('Content-Disposition: form-data; name="a\\"b"'), 400, /lacks Content-Disposition/],
    ["a header without colon", part("Content-Disposition: form-data; name=a\r\ngarbage"), 400, /malformed header/],
    ["a folded header", part("Content-Disposition: form-data;\r\n name=a"), 400, /malformed header/],
    ["a bare CR in a header", part("Content-Disposition: form-data; name=a\rb"), 400, /malformed header/],
    [
      "two dispositions",
      part("Content-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=b"),
      400,
      /header twice/,
    ],
    [
      "a Content-Type without end",
      part(`Content-Disposition: form-data; name=a\r\nContent-Type: text/plain; charset=utf-8; a=${"b".repeat(255)}`),
      400,
      /Content-Type that is too long/,
    ],
    ["a file", part('Content-Disposition: form-data; name="a"; filename="card.txt"'), 400, /has a file/],
    ["a file without a name", part('Content-Disposition: form-data; name="a"; filename=""'), 400, /has a file/],
    [
      "a file named the extended way",
      part("Content-Disposition: form-data; name=a; filename*=utf-8''card.txt"),
      400,
      /has a file/,
    ],
    [
      "base64",
      part("Content-Disposition: form-data; name=a\r\nContent-Transfer-Encoding: base64"),
      400,
      /Transfer-Encoding/,
    ],
    [
      "a malformed type",
      part("Content-Disposition: form-data; name=a\r\nContent-Type: charset"),
      400,
      /malformed Content-Type/,
    ],
    [
      "another charset",
      part("Content-Disposition: form-data; name=a\r\nContent-Type: text/plain; charset=utf-16le"),
      415,
      /UTF-8/,
    ],
    [
      "a charset that objects have",
      part("Content-Disposition: form-data; name=a\r\nContent-Type: text/plain; charset=constructor"),
      415,
      /UTF-8/,
    ],
  ];
  for (const [what, body, status, message] of refused) assert.throws(() => read(body), { status, message }, what);
  assert.throws(() => read(Buffer.from(part("Content-Disposition: form-data; name=a", "ü"), "latin1")), {
    status: 400,
    message: /UTF-8/,
  });
  assert.throws(() => read(Buffer.from(part('Content-Disposition: form-data; name="ü"'), "latin1")), {
    status: 400,
    message: /UTF-8/,
  });
});

test("50,000 parts are read and one more is not", () => {
  const parts = (count: number) => multipartOf(Array.from({ length: count }, (_, i) => [`k${i}`, "1"] as const));
  assert.equal(read(parts(50_000)).length, 50_000);
  assert.throws(() => read(parts(50_001)), { status: 413 });
});

// undici's reader is another implementation of the same grammar, and a strict one too.
async function readByFetch(body: string): Promise<[string, string][] | undefined> {
  try {
    const form = await new Response(body, {
      headers: { "content-type": "multipart/form-data; boundary=XX" },
    }).formData();
    return Array.from(form, ([name, value]) => [name, String(value)]);
  } catch {
    return undefined;
  }
}

test("what fetch's own reader takes and this one takes is read the same, whole and after any change", async () => {
  const sample = multipartOf([
    ["amount", "1.10"],
    ["meta[x]", "a\r\nb"],
    ["zip", ""],
  ]);
  const edit = fc.record({
    at: fc.nat(sample.length),
    cut: fc.nat(6),
    put: fc.oneof(
      fc.string({ maxLength: 3 }),
      fc.constantFrom("\r\n", "--XX", "\r\n--XX", "--", "\r\n\r\n", '"', ";", " "),
    ),
  });
  let both = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { maxLength: 2 }), async (edits) => {
      const body = edits.reduce(
        (before, { at, cut, put }) => before.slice(0, at) + put + before.slice(at + cut),
        sample,
      );
      const expected = await readByFetch(body);
      if (expected === undefined) return;
      let fields: readonly (readonly [string, string])[];
      try {
        fields = read(body);
      } catch {
        return;
      }
      both += 1;
      assert.deepEqual(fields, expected, body);
    }),
    { numRuns: 3_000 },
  );
  assert.ok(both > 300, `${both} bodies were compared`);
});
