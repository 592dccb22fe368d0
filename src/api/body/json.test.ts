import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isNumberLiteral, literalOf, numberLiteral } from "../../validation/number-literal.ts";
import { RequestFault } from "../request-fault.ts";
import { readJsonObject } from "./json.ts";
import { isBodyTree } from "./tree.ts";

function faultOf(text: string): RequestFault {
  try {
    readJsonObject(text);
  } catch (error) {
    if (error instanceof RequestFault) return error;
    throw error;
  }
  throw new Error(`${text.slice(0, 60)} was read`);
}

test("numbers keep the literal that was sent, and print it again", () => {
  const literals = [
    "1.10",
    "12345678901234567890",
    "1e400",
    "-0",
    "1E+5",
    "0.10000000000000000555",
    "1.00000000000000000001",
  ];
  for (const literal of literals) {
    const tree = readJsonObject(`{"meta":[{"n":${literal}}],"n":${literal}}`);
    const { n } = tree;
    assert.ok(isNumberLiteral(n));
    assert.equal(literalOf(n), literal);
    assert.equal(JSON.stringify(tree), `{"meta":[{"n":${literal}}],"n":${literal}}`);
  }
});

test("nothing that a body holds passes for a number but a number", () => {
  const { like, list, text } = readJsonObject('{"like":{"rawJSON":"1"},"list":[1],"text":"1"}');
  assert.deepEqual([like, list, text].map(isNumberLiteral), [false, false, false]);
  assert.deepEqual([like, list, text, numberLiteral("1"), null, undefined].map(isBodyTree), [
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});

test("a key is in the tree only if it was sent", () => {
  const tree = readJsonObject('{"a":{"b":1}}');
  assert.ok(isBodyTree(tree.a));
  for (const object of [tree, tree.a]) {
    for (const key of ["toString", "constructor", "__proto__", "hasOwnProperty"]) assert.equal(object[key], undefined);
  }
});

test("names and texts are kept as they are", () => {
  const sent = {
    "a\r\nx-smuggled: 1": "\0",
    цвет: "красный",
    "": "empty",
    "a[b]": "brackets",
    "k.d": "😀",
    constructor: "x",
  };
  assert.deepEqual({ ...readJsonObject(JSON.stringify(sent)) }, sent);
});

test("only an object is a body", () => {
  for (const text of ["[]", '"x"', "1", "null", "true", "[{}]"]) {
    assert.deepEqual(
      [faultOf(text).status, faultOf(text).messages],
      [400, { base: ['The body must be a JSON object: {"name": "value", …}.'] }],
    );
  }
});

test("what is not JSON is refused with the place where it breaks", () => {
  const broken: [text: string, line: number, column: number][] = [
    ["", 1, 1],
    ["\r\n", 2, 1],
    ['{"a": 1', 1, 8],
    ['{"a": 1,}', 1, 9],
    ['{"a": abc}', 1, 7],
    ['{"a": tru}', 1, 7],
    ['{"amount": ,"card": 1}', 1, 12],
    ['{"a": [1,\n 2,]}', 2, 4],
    ['{\n  "a": NaN\n}', 2, 8],
    ['{"a": .5}', 1, 7],
    ['{"a": +1}', 1, 7],
    ['{"a": 0x10}', 1, 8],
    ['{"a": 01}', 1, 8],
    ['{"a": 1.}', 1, 9],
    ["{'a': 1}", 1, 2],
    ["{\"a\": 'b'}", 1, 7],
    ['{"a": "b\n"}', 1, 9],
    ['{"a": "\\x"}', 1, 9],
    ['{"a": 1} {"b": 2}', 1, 10],
    ['{"a": "\\", "b": x}', 1, 13],
    ['{"a": [}', 1, 8],
    ['{"a": 1, // note\n "b": 2}', 1, 10],
  ];
  for (const [text, line, column] of broken) {
    const { base } = faultOf(text).messages;
    assert.deepEqual(base, [`The body is not valid JSON: look at line ${line}, column ${column}.`], text);
  }
});

test("no message repeats any of the body", () => {
  const card = "4111111111111111";
  for (const text of [
    `{"card": ${card}x}`,
    `{"card": x${card}}`,
    `{"${card}": `,
    card,
    `"${card}"`,
    `{"${card}":1,"${card}":2}`,
    `{'${card}'}`,
  ]) {
    assert.ok(!faultOf(text).message.includes("4111"), text);
  }
});

test("a name that an object has twice is refused, on every level and however it is written", () => {
  for (const text of [
    '{"a":1,"a":1}',
    '{"a":{"b":1,"c":2,"b":3}}',
    '{"a":[{"b":1,"b":2}]}',
    '{"a":1,"\\u0061":2}',
    '{"a":{"x":1,"y":2},"a":3}',
    '{"a":1,"a":{"x":{}}}',
  ]) {
    assert.match(faultOf(text).message, /same name in it twice/, text);
  }
  assert.deepEqual(Object.keys(readJsonObject('{"a":[{"b":1},{"b":"\\":,{"}],"b":{"a":{},"b":[]}}')), ["a", "b"]);
});

test("names that reach an object's prototype are refused wherever they stand", () => {
  for (const text of [
    '{"__proto__":1}',
    '{"a":[{"__proto__":{"x":1}}]}',
    '{"\\u005f_proto__":null}',
    '{"constructor":{}}',
    '{"a":{"prototype":[1]}}',
  ]) {
    assert.match(faultOf(text).message, /__proto__/, text);
  }
  assert.deepEqual(
    { ...readJsonObject('{"constructor":"x","prototype":null}') },
    { constructor: "x", prototype: null },
  );
});

test("32 levels are read and 33 are not, however many follow", () => {
  const nested = (levels: number) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
  assert.ok(readJsonObject(nested(32)));
  for (const levels of [33, 5_000, 500_000]) assert.deepEqual([faultOf(nested(levels)).status], [400]);
  assert.equal(faultOf('{"a":'.repeat(5_000)).status, 400);
  assert.ok(readJsonObject(`{"a":"${"[".repeat(100)}","b":[[],[],[[]]]}`));
});

test("10,000 values are read and one more is not, objects or lists likewise", () => {
  const members = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":1`).join()}}`;
  const items = (count: number, item: string) => `{"a":[${Array.from({ length: count }, () => item).join()}]}`;
  for (const text of [members(10_000), items(10_000, '"a,b"'), items(9_998, "{}"), items(4_999, "[[]]")])
    assert.ok(readJsonObject(text));
  for (const text of [
    members(10_001),
    items(10_001, "1"),
    items(9_999, "{}"),
    items(5_000, "[[]]"),
    items(300_000, "[]"),
  ]) {
    assert.equal(faultOf(text).status, 413);
  }
});

test("half a character is refused, as a text and as a name", () => {
  for (const text of ['{"a":"\\ud83d"}', '{"\\ude00":1}', '{"a":["x\\uD83Dx"]}'])
    assert.match(faultOf(text).message, /only half/, text);
  assert.deepEqual({ ...readJsonObject('{"a":"\\ud83d\\ude00"}') }, { a: "😀" });
});

test("a text within a field is called by the name it is given", () => {
  assert.throws(() => readJsonObject("text", "meta"), { message: "meta is not valid JSON: look at line 1, column 1." });
  assert.throws(() => readJsonObject("[]", "meta"), /^RequestFault: meta must be a JSON object/);
});

const allowedKey = (key: string) => !["__proto__", "constructor", "prototype"].includes(key);

const { value: jsonValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.string({ unit: "grapheme" }),
    fc.boolean(),
    fc.constant(null),
    tie("object"),
    fc.array(tie("value"), { maxLength: 4 }),
  ),
  object: fc.dictionary(fc.string().filter(allowedKey), tie("value"), { maxKeys: 5, noNullPrototype: true }),
}));

test("whatever has no numbers in it survives the way to a tree", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[a-z_]{1,9}$/).filter(allowedKey), jsonValue), (sent) => {
      assert.equal(JSON.stringify(readJsonObject(JSON.stringify(sent))), JSON.stringify(sent));
    }),
    { numRuns: 500 },
  );
});

test("what JSON.parse refuses is refused, and what it reads is read the same or refused for a reason of ours", () => {
  const sample = '{"amount":1.10,"a":[true,null,{"b":"x\\u00e9\\n"},-2e3],"meta":{"k":"v","l":[]}}';
  const edit = fc.record({
    at: fc.nat(sample.length),
    cut: fc.nat(4),
    put: fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom(...'{}[],:"\\0189.-+eE \n\t', "null", "__proto__")),
  });
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), (edits) => {
      const text = edits.reduce(
        (before, { at, cut, put }) => before.slice(0, at) + put + before.slice(at + cut),
        sample,
      );
      let expected: unknown;
      try {
        expected = JSON.parse(text);
      } catch {
        // Of a member that is there twice, the one that JSON.parse drops may hold the malformed number. A name is looked at before the number
        // behind it.
        assert.match(faultOf(text).message, /not valid JSON|half|twice|__proto__/, text);
        return;
      }
      try {
        assert.deepEqual(JSON.parse(JSON.stringify(readJsonObject(text))), expected, text);
      } catch (error) {
        if (!(error instanceof RequestFault)) throw error;
        assert.match(error.message, /twice|JSON object|__proto__|half/, text);
      }
    }),
    { numRuns: 5_000 },
  );
});
