import assert from "node:assert/strict";
import { describe, test } from "node:test";
import Type from "typebox";
import { NewMerchant } from "../merchants/merchants.ts";
import { NewProcessor } from "../merchants/processor-schema.ts";
import { NewToken } from "../merchants/tokens.ts";
import { NewUser } from "../merchants/users.ts";
import { type Problems, problemsOf } from "./problems.ts";

const USER = "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77";
const NAME = "must be a text of 1 to 255 characters, without control or invisible characters";
const TIME = "must be a time of day from 00:00 to 23:59 (UTC)";

const check = (schema: Type.TSchema, rows: readonly (readonly [unknown, Problems])[]) => {
  for (const [value, problems] of rows) assert.deepEqual(problemsOf(schema, value), problems, JSON.stringify(value));
};

describe("problems of an input", () => {
  test("a name has 1 to 255 characters that can be read", () => {
    check(NewMerchant, [
      [{ name: "x" }, {}],
      [{ name: "a".repeat(255) }, {}],
      [{ name: "Café 東京 ✈" }, {}],
      [{ name: "" }, { name: [NAME] }],
      [{ name: "a".repeat(256) }, { name: [NAME] }],
      [{ name: "   " }, { name: [NAME] }],
      [{ name: "a\u0000b" }, { name: [NAME] }],
      [{ name: "a\nb" }, { name: [NAME] }],
      [{ name: 5 }, { name: [NAME] }],
      [{ name: null }, { name: [NAME] }],
      [{}, { name: ["is required"] }],
    ]);
  });

  test("a text that is too long is refused for its length alone, without a look at all of it", () => {
    // A pattern that takes the square of its length: an hour for this one.
    check(NewMerchant, [[{ name: `${"a".repeat(1_000_000)}\u0001` }, { name: [NAME] }]]);
    check(NewUser, [
      [{ name: "😀".repeat(255), email: "jane@example.com" }, {}],
      [{ name: `${"😀".repeat(254)}\u0001`, email: "jane@example.com" }, { name: [NAME] }],
    ]);
  });

  test("a card number is looked for in each text that may be kept, and in the short ones of an input that is refused anyway", () => {
    const schema = Type.Object({
      note: Type.Optional(Type.String()),
      flag: Type.Optional(Type.Boolean()),
      day: Type.Optional(Type.String({ pattern: "^\\d{4}$", "x-must-be": "a year" })),
    });
    const [card, stray] = ["4111 1111 1111 1111", "must not hold a card number"];
    const long = `${"x".repeat(1_000)} ${card}`;
    check(schema, [
      [{ note: long }, { note: [stray] }],
      [
        { note: card, day: card },
        { note: [stray], day: ["must be a year", stray] },
      ],
      [{ note: long, flag: "no" }, { flag: ["must be true or false"] }],
      [{ day: long }, { day: ["must be a year"] }],
      [{ flag: long }, { flag: ["must be true or false"] }],
      [{ note: [long] }, { note: ["must be a text"] }],
    ]);
    assert.deepEqual(problemsOf(schema, {}, [long]), { "•••": [stray] });
    assert.deepEqual(problemsOf(schema, { day: 1 }, [long]), { day: ["must be a year"] });
  });

  test("an input that is no object is wrong as a whole", () => {
    for (const value of [undefined, null, 5, "text", []])
      check(NewMerchant, [[value, { base: ["must be an object"] }]]);
  });

  test("fields that nobody knows are ignored", () => {
    check(NewMerchant, [[{ name: "x", nmae: "y" }, {}]]);
  });

  test("an e-mail address looks like one", () => {
    const email = ["must be an e-mail address like jane@example.com"];
    check(NewUser, [
      [{ name: "Jane", email: "jane@example.com" }, {}],
      [{ name: "Jane", email: "jane" }, { email }],
      [{ name: "Jane", email: `${"j".repeat(250)}@example.com` }, { email }],
    ]);
  });

  test("a token has a user, and at least one scope, each once", () => {
    const scopes = ["must be a list of at least 1, none repeated, each one of charge, follow_up, read, cards"];
    check(NewToken, [
      [{ user_id: USER, scopes: ["charge", "follow_up", "read", "cards"] }, {}],
      [{ user_id: "7", scopes: ["read"] }, { user_id: ["must be a UUID"] }],
      [{ user_id: USER, scopes: [] }, { scopes }],
      [{ user_id: USER, scopes: "read" }, { scopes }],
      [{ user_id: USER, scopes: ["read", "read"] }, { scopes }],
      [{ user_id: USER, scopes: ["read", "all"] }, { "scopes.1": ["must be one of charge, follow_up, read, cards"] }],
    ]);
  });

  test("a token's expiry and limit are times and whole numbers, or null", () => {
    const token = { user_id: USER, scopes: ["read"] };
    const expires_at = ["must be a time in the future with its offset from UTC, like 2039-01-31T00:00:00Z"];
    const rate_limit_per_minute = ["must be a whole number from 0 to 1000000000 (0: no limit)"];
    check(NewToken, [
      [{ ...token, expires_at: null, rate_limit_per_minute: null }, {}],
      [{ ...token, expires_at: "2030-01-01T00:00:00+02:00", rate_limit_per_minute: 0 }, {}],
      [{ ...token, expires_at: "2030-01-01" }, { expires_at }],
      [{ ...token, expires_at: "2030-02-30T00:00:00Z" }, { expires_at }],
      [{ ...token, expires_at: 1_900_000_000 }, { expires_at }],
      [{ ...token, rate_limit_per_minute: -1 }, { rate_limit_per_minute }],
      [{ ...token, rate_limit_per_minute: 1.5 }, { rate_limit_per_minute }],
      [{ ...token, rate_limit_per_minute: "600" }, { rate_limit_per_minute }],
      [{ ...token, rate_limit_per_minute: 1_000_000_001 }, { rate_limit_per_minute }],
    ]);
  });

  test("a time of day is of the form HH:MM", () => {
    const processor = { name: "x", kind: "simulator", currency: "CAD" };
    for (const cutoff_at of ["00:00", "09:59", "19:00", "23:59"])
      check(NewProcessor, [[{ ...processor, settlement: { cutoff_at } }, {}]]);
    for (const cutoff_at of ["24:00", "23:60", "9:00", "09:00:00", "0900", "", 900, null])
      check(NewProcessor, [[{ ...processor, settlement: { cutoff_at } }, { "settlement.cutoff_at": [TIME] }]]);
    check(NewProcessor, [
      [{ ...processor, settlement: { auto_capture_at: null } }, {}],
      [
        { ...processor, settlement: { auto_capture_at: "25:00" } },
        { "settlement.auto_capture_at": [`${TIME}, or null`] },
      ],
    ]);
  });

  test("all wrong fields are named at once, however many", () => {
    const input = {
      name: "",
      kind: 1,
      currency: "cad",
      enabled: "yes",
      in_rotation: 1,
      requires: { cvv: ["visa", "monopoly"], names: "no", document: 0 },
      settlement: { auto_capture_at: "x", cutoff_at: "x", settled_at: "x", visible_at: "x" },
      settings: [],
    };
    assert.deepEqual(Object.keys(problemsOf(NewProcessor, input)).sort(), [
      "currency",
      "enabled",
      "in_rotation",
      "kind",
      "name",
      "requires.cvv.1",
      "requires.document",
      "requires.names",
      "settings",
      "settlement.auto_capture_at",
      "settlement.cutoff_at",
      "settlement.settled_at",
      "settlement.visible_at",
    ]);
  });

  test("where a schema admits no unknown fields, each is named with those that there are", () => {
    const schema = Type.Object({ latency_ms: Type.Optional(Type.Integer()) }, { additionalProperties: false });
    check(schema, [
      [
        { latency: 1, "a/b~": 2 },
        {
          latency: ["is unknown; use one of latency_ms"],
          "a/b~": ["is unknown; use one of latency_ms"],
        },
      ],
    ]);
  });

  test("no problem repeats the value", () => {
    const value = { name: "4111111111111111\n", kind: "4111111111111111".repeat(9), currency: "4111111111111111" };
    assert.doesNotMatch(JSON.stringify(problemsOf(NewProcessor, value)), /4111/);
  });
});
