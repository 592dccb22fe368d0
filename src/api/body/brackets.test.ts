import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { flatten, formTree } from "../../../test/fixtures/echo-server.ts";
import { type Field, treeOfFields } from "./brackets.ts";
import { fieldsOfUrlencoded } from "./urlencoded.ts";

/** As JSON, so that objects without a prototype compare with the usual ones. */
const treeOf = (body: string): unknown => JSON.parse(JSON.stringify(treeOfFields(fieldsOfUrlencoded(body))));

test("brackets nest, and whole numbers without a gap make lists", () => {
  const trees: [body: string, tree: unknown][] = [
    ["a=1&b=", { a: "1", b: "" }],
    ["a[b][c]=1&a[b][d]=2&a[e]=3", { a: { b: { c: "1", d: "2" }, e: "3" } }],
    [
      "p[0][legs][0][fare]=1&p[0][legs][1][fare]=2&p[1][legs][0][fare]=3",
      { p: [{ legs: [{ fare: "1" }, { fare: "2" }] }, { legs: [{ fare: "3" }] }] },
    ],
    ["p[1]=b&p[0]=a", { p: ["a", "b"] }],
    ["p[]=a&p[]=b", { p: ["a", "b"] }],
    ["p[][a]=1&p[][b]=2", { p: [{ a: "1" }, { b: "2" }] }],
    ["p[0]=a&p[]=b", { p: ["a", "b"] }],
    ["p[][]=a", { p: [["a"]] }],
    ["p[1]=a&p[2]=b", { p: { 1: "a", 2: "b" } }],
    ["p[0]=a&p[x]=b", { p: { 0: "a", x: "b" } }],
    ["p[00]=a&p[-1]=b&p[1.0]=c&p[1e3]=d", { p: { "00": "a", "-1": "b", "1.0": "c", "1e3": "d" } }],
    ["year[2031]=a", { year: { 2031: "a" } }],
    ["0=a&1=b", { 0: "a", 1: "b" }],
    [
      "passenger_transport[999999999][legs][888888888][fare]=1",
      { passenger_transport: { 999999999: { legs: { 888888888: { fare: "1" } } } } },
    ],
    ["a[999999999999999999999]=1&a[]=2", { a: { "999999999999999999999": "1", 0: "2" } }],
    ["amount=1&amount=2&amount=3", { amount: ["1", "2", "3"] }],
    ["a[x]=1&a[x]=2", { a: { x: ["1", "2"] } }],
    ["amount[x]=1", { amount: { x: "1" } }],
    ["=1", { "": "1" }],
    ["=&=&&", { "": ["", ""] }],
    ["a.b[c.d]=1", { "a.b": { "c.d": "1" } }],
    [
      "toString=1&a[hasOwnProperty]=2&constructor=3&a[prototype]=4",
      { toString: "1", a: { hasOwnProperty: "2", prototype: "4" }, constructor: "3" },
    ],
  ];
  for (const [body, tree] of trees) assert.deepEqual(treeOf(body), tree, body);
});

test("a sparse list takes no room", () => {
  const { a } = treeOfFields([
    ["a[4294967294]", "1"],
    ["a[999999998]", "2"],
  ]);
  assert.ok(!Array.isArray(a) && Object.keys(a ?? {}).length === 2);
});

test("names that mean nothing certain are refused with 400", () => {
  const refused: [body: string, because: RegExp][] = [
    ["a[b=1", /do not match/],
    ["a]=1", /do not match/],
    ["a[b]c=1", /do not match/],
    ["a[b]c[d]=1", /do not match/],
    ["a[[b]]=1", /do not match/],
    ["[a]=1", /do not match/],
    ["[]=1", /do not match/],
    ["a=1&a[b]=2", /both with a value/],
    ["a[b]=1&a=2", /both with a value/],
    ["a[b]=1&a[b][c]=2", /both with a value/],
    ["__proto__=1", /__proto__/],
    ["__proto__[admin]=1", /__proto__/],
    ["meta[__proto__][x]=1", /__proto__/],
    ["meta[x][__proto__]=1", /__proto__/],
    ["%5f_proto_%5F[x]=1", /__proto__/],
    ["meta%5B__proto__%5D=1", /__proto__/],
    ["constructor[prototype][x]=1", /constructor/],
    ["a[prototype][x]=1", /constructor/],
  ];
  for (const [body, message] of refused) assert.throws(() => treeOf(body), { status: 400, message }, body);
});

test("32 levels are read and 33 are not, however many follow", () => {
  const deep = (brackets: number) => `meta${"[0]".repeat(brackets)}=1`;
  assert.ok(treeOf(deep(31)));
  for (const brackets of [32, 5_000, 300_000])
    assert.throws(() => treeOf(deep(brackets)), { status: 400, message: /32 levels/ });
});

test("10,000 fields are read and one more is not, objects and lists likewise", () => {
  const wide = (count: number, rest = "") => Array.from({ length: count }, (_, i) => `k${i}${rest}=1`).join("&");
  for (const body of [wide(10_000), wide(9_999, "[x]"), wide(4_999, "[][]")]) assert.ok(treeOf(body));
  for (const body of [wide(10_001), wide(10_000, "[x]"), wide(5_000, "[][x]"), wide(100_000)])
    assert.throws(() => treeOf(body), { status: 413 });
});

test("ten thousand items, in lists or of one name, take no time that grows with their square", () => {
  const bodies = [
    Array.from({ length: 10_000 }, (_, i) => `a[${i}]=1`),
    Array.from({ length: 10_000 }, (_, i) => `a[${9_999 - i}]=1`),
    Array.from({ length: 10_000 }, () => "a=1"),
    Array.from({ length: 10_000 }, () => "a[]=1"),
    Array.from({ length: 6_000 }, (_, i) => `a${"[9999]".repeat(28)}[k${i}]=1`),
  ];
  for (const body of bodies) {
    const before = process.threadCpuUsage();
    assert.ok(treeOf(body.join("&")));
    const { user, system } = process.threadCpuUsage(before);
    assert.ok(user + system < 500_000, `${body[1]}: ${user + system} µs of processor time`);
  }
});

test("a percent sign and bytes that are no UTF-8: the first stands for itself, the second is refused", () => {
  const texts: [encoded: string, text: string][] = [
    ["%", "%"],
    ["50%25+50%", "50% 50%"],
    ["%zz%4", "%zz%4"],
    ["%2B+%2b", "+ +"],
    ["%C3%BC%F0%9F%98%80ü", "ü😀ü"],
    ["%00", "\0"],
    ["a=b=c", "a=b=c"],
  ];
  for (const [encoded, text] of texts) assert.deepEqual(treeOf(`a=${encoded}`), { a: text }, encoded);
  for (const encoded of ["%FC", "%ED%A0%80", "%C0%80", "%C3", "%C3%"])
    assert.throws(() => treeOf(`a=${encoded}`), { status: 400, message: /UTF-8/ }, encoded);
});

test("a line end after the last field is ignored", () => {
  for (const end of ["\n", "\r\n", "\r\n\r\n", "\r"])
    assert.deepEqual(treeOf(`a=1&zip=95030${end}`), { a: "1", zip: "95030" });
  assert.deepEqual(treeOf("\r\n"), {});
});

test("a tree of texts that is flattened to fields comes back, in whatever order they arrive", () => {
  const shuffled = formTree.chain((tree) =>
    fc.record({
      tree: fc.constant(tree),
      fields: fc.shuffledSubarray<Field>(flatten(tree), { minLength: flatten(tree).length }),
    }),
  );
  fc.assert(
    fc.property(shuffled, ({ tree, fields }) => {
      assert.deepEqual(JSON.parse(JSON.stringify(treeOfFields(fields))), JSON.parse(JSON.stringify(tree)));
    }),
    { numRuns: 500 },
  );
});

test("fields are split and decoded as browsers do it", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }))), (fields) => {
      assert.deepEqual(fieldsOfUrlencoded(new URLSearchParams(fields).toString()), fields);
    }),
  );
  fc.assert(
    fc.property(fc.stringMatching(/^[z=&%+ 2-7]{0,40}$/), (text) => {
      assert.deepEqual(fieldsOfUrlencoded(text), [...new URLSearchParams(`&${text}`)]);
    }),
    { numRuns: 1_000 },
  );
});
