import assert from "node:assert/strict";
import { test } from "node:test";
import Type from "typebox";
import { treeOfFields } from "./body/brackets.ts";
import { readJsonObject } from "./body/json.ts";
import { fieldsOf } from "./check.ts";

const SCHEMA = Type.Object({
  text: Type.String(),
  flag: Type.Boolean(),
  whole: Type.Integer(),
  maybe: Type.Union([Type.Integer(), Type.Null()]),
  list: Type.Array(Type.Integer()),
  inner: Type.Object({ whole: Type.Integer() }),
  closed: Type.Object({ whole: Type.Integer() }, { additionalProperties: false }),
  free: Type.Record(Type.String(), Type.Unknown()),
});

const fromJson = (json: string) => fieldsOf(SCHEMA, readJsonObject(json));
const fromForm = (...fields: (readonly [string, string])[]) => fieldsOf(SCHEMA, treeOfFields(fields));

test("numbers, texts and truth values become what the schema says, where they can be read as such", () => {
  for (const [json, value] of [
    ['{"text": 7}', { text: "7" }],
    ['{"text": 1.10}', { text: "1.10" }],
    ['{"flag": 1, "whole": "-12"}', { flag: true, whole: -12 }],
    ['{"flag": "false", "whole": 1e3}', { flag: false, whole: 1000 }],
    ['{"flag": "False"}', { flag: false }],
    ['{"flag": "TRUE"}', { flag: true }],
    ['{"flag": "yes"}', { flag: "yes" }],
    ['{"flag": 2, "whole": "1e3"}', { flag: 2, whole: "1e3" }],
    ['{"whole": "0x10"}', { whole: "0x10" }],
    ['{"maybe": "5", "list": ["1", 2, "x"]}', { maybe: 5, list: [1, 2, "x"] }],
    [
      '{"inner": {"whole": "3"}, "free": {"a": 1, "b": [true, "1"]}}',
      { inner: { whole: 3 }, free: { a: 1, b: [true, "1"] } },
    ],
  ] as const)
    assert.deepEqual(plain(fromJson(json).value), value, json);
});

test("a form says the same as JSON", () => {
  const { value } = fromForm(
    ["text", "7"],
    ["flag", "1"],
    ["whole", "12"],
    ["maybe", "5"],
    ["list[]", "1"],
    ["list[]", "2"],
    ["inner[whole]", "3"],
  );
  assert.deepEqual(plain(value), { text: "7", flag: true, whole: 12, maybe: 5, list: [1, 2], inner: { whole: 3 } });
});

test("null and an empty text are an absent field, but null stays where it is a value", () => {
  const { value } = fromJson(
    '{"text": null, "flag": "", "whole": null, "maybe": null, "inner": null, "free": {"a": null, "b": ""}}',
  );
  assert.deepEqual(plain(value), { maybe: null, free: { a: null } });
});

test("unknown fields are told apart, but where none are admitted they stay, to be refused", () => {
  const { value, ignored } = fromJson(
    '{"colour": "red", "inner": {"deep": 1}, "closed": {"whole": 1, "deep": 2}, "free": {"x": 1}}',
  );
  assert.deepEqual(plain(value), { inner: {}, closed: { whole: 1, deep: 2 }, free: { x: 1 } });
  assert.deepEqual(ignored, ["colour", "inner.deep"]);
});

/** Without the numbers' literals and the trees' missing prototypes. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
