import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { multipartOf } from "../../../test/fixtures/echo-server.ts";
import { fieldsOfMultipart } from "./multipart.ts";

const read = (body: string | Buffer, boundary = "XX") => fieldsOfMultipart(Buffer.from(body), boundary);
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
    'Content-Disposition: form-data; name="a"\r\nContent-Type: application/json\r\nContent-Length: 1',
    'Content-Disposition: form-data; name="a"\r\nContent-Type: text/plain; charset="US-ASCII"\r\nContent-Transfer-Encoding: 7BIT',
  ];
  for (const lines of headers) assert.deepEqual(read(part(lines)), [["a", "1"]], lines);
  assert.deepEqual(read("\r\n--XX \t\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--XX--\r\n\r\n"), [
    ["a", "1"],
  ]);
});

test("a part that says it is in Latin-1 is read so", () => {
  const latin1 = Buffer.from(
    part('Content-Disposition: form-data; name="a"\r\nContent-Type: text/plain; charset=iso-8859-1', "ü"),
    "latin1",
  );
  assert.deepEqual(fieldsOfMultipart(latin1, "XX"), [["a", "ü"]]);
});

test("no part is skipped in silence: what cannot be understood is refused", () => {
  const good = multipartOf([["amount", "1"]]);
  const refused: [what: string, body: string, status: number, because: RegExp][] = [
    ["nothing", "x", 400, /does not begin/],
    ["garbage", "--XX\r\ngarbage", 400, /ends before its last boundary/],
    ["only the first boundary", "--XX", 400, /not followed by a line end/],
    ["cut in the headers", good.slice(0, 20), 400, /ends before its last boundary/],
    ["cut in the value", good.slice(0, -12), 400, /ends before its last boundary/],
    ["cut in the last boundary", good.slice(0, -4), 400, /not followed by a line end/],
    ["another boundary", good.replaceAll("XX", "YY"), 400, /does not begin/],
    ["a longer boundary", good.replaceAll("XX", "XXX"), 400, /not followed by a line end/],
    ["a text before it", `x\r\n${good}`, 400, /does not begin/],
    ["a text after it", `${good}x`, 400, /something follows/],
    ["a part after it", `${good}${good}`, 400, /something follows/],
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
  assert.throws(
    () => fieldsOfMultipart(Buffer.from(part("Content-Disposition: form-data; name=a", "ü"), "latin1"), "XX"),
    { status: 400, message: /UTF-8/ },
  );
  assert.throws(
    () => fieldsOfMultipart(Buffer.from(part('Content-Disposition: form-data; name="ü"'), "latin1"), "XX"),
    { status: 400, message: /UTF-8/ },
  );
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
