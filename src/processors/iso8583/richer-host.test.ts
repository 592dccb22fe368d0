// A host that says more than the dialect names, or says it in its own way: an approval stays one, and an answer to another question never
// becomes one.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Check } from "typebox/value";
import { openProcessor, testRecord, testSettings, type Writing } from "../../../test/conformance/iso8583-subject.ts";
import { chargeQuestion, followUpQuestion } from "../../../test/conformance/questions.ts";
import { answerTo, HOW, scriptedHost } from "../../../test/fixtures/scripted-host.ts";
import type { Answer } from "../processor.ts";
import type { Dialect } from "./codec/dialect.ts";
import { frame } from "./codec/frames.ts";
import type { Message } from "./codec/message.ts";
import { encodeMessage } from "./codec/message-codec.ts";
import { STANDARD } from "./dialect/standard.ts";
import { ISO8583_SETTINGS } from "./settings.ts";

const WRITING: Writing = { framing: "binary-2", digits: "bcd", bitmap: "binary" };

/** A host's dialect: ours with these fields more, and every field in every message. */
function richer(more: Readonly<Record<number, Dialect["fields"][number]>>): Dialect {
  return { ...HOW.dialect, fields: { ...STANDARD.fields, ...more } };
}
const n = (length: number) => ({ content: "n", rule: "fixed", length, name: "" }) as const;
const upTo = (length: number, rule: "llvar" | "lllvar") => ({ content: "ans", rule, length, name: "" }) as const;
const text = (length: number) => ({ content: "ans", rule: "fixed", length, name: "" }) as const;

/** What becomes of a sale whose answer is sent as these bytes. */
async function answered(
  bytesOf: (question: Message) => Buffer,
  settings: object = {},
  withinMs = 5_000,
): Promise<Answer> {
  const host = await scriptedHost({
    asked: (question, caller) => caller.sendBytes(frame(bytesOf(question), HOW.framing)),
  });
  const processor = openProcessor(testRecord({ ...testSettings(host.peer.port, WRITING), ...settings }));
  try {
    return await processor.charge(chargeQuestion("sale"), AbortSignal.timeout(withinMs));
  } finally {
    await processor.close();
    await host.stop();
  }
}

describe("an approval stays an approval with", () => {
  for (const [name, change, dialect, settings] of [
    ["5, the amount of settlement", { 5: "000000001000" }, richer({ 5: n(12) })],
    ["15 and 18, dates and the merchant's type", { 15: "0516", 18: "5999" }, richer({ 15: n(4), 18: n(4) })],
    ["23 and 24, the card's sequence and the network", { 23: "001", 24: "003" }, richer({ 23: n(3), 24: n(3) })],
    ["28, a fee", { 28: "C0000" }, richer({ 28: text(5) })],
    [
      "33 and 100, institutions",
      { 33: "12345", 100: "678" },
      richer({ 33: { ...n(11), rule: "llvar" }, 100: { ...n(11), rule: "llvar" } }),
    ],
    ["54, more amounts", { 54: "0001840C000000001000" }, richer({ 54: upTo(120, "lllvar") })],
    ["55, chip data", { 55: "9F2608" }, richer({ 55: upTo(999, "lllvar") })],
    [
      "60 to 62, private data",
      { 60: "a", 61: "b b", 62: "0123" },
      richer({ 60: upTo(999, "lllvar"), 61: upTo(999, "lllvar"), 62: upTo(999, "lllvar") }),
    ],
    [
      "123 and 127, private data",
      { 123: "x", 127: "y".repeat(500) },
      richer({ 123: upTo(999, "lllvar"), 127: upTo(999, "lllvar") }),
    ],
    ["text in 48 that is no list of tags", { 48: "APPROVED BY HOST 7" }, richer({ 48: upTo(999, "lllvar") })],
    [
      "its question's own 2, 14, 22, 25 and 43",
      { 2: "4111111111111111", 14: "3912", 22: "810", 25: "59", 43: "x".repeat(40) },
      HOW.dialect,
    ],
    ["times of its own", { 7: "0101235959", 12: "235959", 13: "0101" }, HOW.dialect],
    ["no time of sending", { 7: undefined, 12: undefined, 13: undefined }, HOW.dialect],
    ["an auth code that is padded", { 38: "A1B2  " }, HOW.dialect],
    [
      "55 and 60 in lengths of its own",
      { 55: "9F26", 60: "0123" },
      richer({ 55: upTo(99, "llvar"), 60: upTo(99, "llvar") }),
      { field_layouts: "55 llvar, 60 llvar" },
    ],
    ["63 with a shorter length", { 63: "host-77" }, richer({ 63: upTo(99, "llvar") }), { field_layouts: "63 llvar" }],
  ] as const)
    test(name, async () => {
      const answer = await answered((question) => encodeMessage(answerTo(question).with(change), dialect), settings);
      assert.equal(answer.kind, "approved", JSON.stringify(answer));
    });

  for (const mti of ["0211", "0212", "0213"])
    test(`the type ${mti}`, async () => {
      const answer = await answered((question) => {
        const bytes = encodeMessage(answerTo(question), HOW.dialect);
        bytes.write(mti, 0, "hex");
        return bytes;
      });
      assert.equal(answer.kind, "approved");
    });

  test("fields in the answer to the sign-on that nobody needs", async () => {
    const dialect = richer({ 24: n(3), 62: upTo(999, "lllvar") });
    let calls = 0;
    const host = await scriptedHost({
      signOn: null,
      network: (question, caller) => {
        calls++;
        const answer = question.with({ 7: undefined, 12: "235959", 24: "003", 39: "00", 62: "WELCOME" }, "0810");
        caller.sendBytes(frame(encodeMessage(answer, dialect), HOW.framing));
      },
      asked: (question, caller) => caller.send(answerTo(question)),
    });
    const processor = openProcessor(testRecord(testSettings(host.peer.port, WRITING)));
    const answer = await processor.charge(chargeQuestion("sale"), AbortSignal.timeout(1_500));
    assert.deepEqual([answer.kind, calls], ["approved", 1]);
    await processor.close();
    await host.stop();
  });
});

describe("an answer is none, whatever it says more, with", () => {
  const dialect = richer({ 5: n(12), 62: upTo(999, "lllvar") });
  const more = { 5: "000000001000", 62: "APPROVED" };
  for (const [name, change] of [
    ["another STAN", { 11: "999999" }],
    ["another RRN", { 37: "ANOTHER00001" }],
    ["another amount", { 4: "000000000600" }],
    ["another currency", { 49: "978" }],
    ["another terminal", { 41: "TERM02  " }],
    ["another merchant", { 42: "MERCHANT2      " }],
    ["another processing code", { 3: "200000" }],
    ["no response code", { 39: undefined }],
    ["a response code with a space", { 39: "0 " }],
  ] as const)
    test(name, async () => {
      const lax = { ...dialect, fields: { ...dialect.fields, 39: text(2) } };
      const answer = await answered(
        (question) => encodeMessage(answerTo(question).with({ ...more, ...change }), lax),
        {},
        300,
      );
      assert.equal(answer.kind, "unanswered");
    });
});

test("a padded auth code goes back to the host as six characters", async () => {
  const host = await scriptedHost({
    asked: (question, caller) => caller.send(answerTo(question).with({ 38: question.get(38) ?? "A1    " })),
  });
  const processor = openProcessor(testRecord(testSettings(host.peer.port, WRITING)));
  const charge = chargeQuestion("auth");
  const auth = await processor.charge(charge, AbortSignal.timeout(1_500));
  assert.ok(auth.kind === "approved" && auth.processorResponse.authCode === "A1");
  const capture = await processor.followUp(
    followUpQuestion("capture", charge, auth.processorResponse),
    AbortSignal.timeout(1_500),
  );
  assert.equal(capture.kind, "approved");
  assert.equal(host.heard.find(({ mti }) => mti === "0220")?.get(38), "A1    ");
  await processor.close();
  await host.stop();
});

test("field_layouts takes what can be skipped by it, and nothing that decides", () => {
  const least = { host: "a", port: 1, terminal_id: "T", merchant_id: "M", acquirer_id: "1" };
  const takes = (field_layouts: string) => Check(ISO8583_SETTINGS, { ...least, field_layouts });
  for (const right of [
    "55 llvar",
    "55 llvar, 60 lllvar digits, 127 fixed 8",
    "2 llvar, 32 lllvar, 48 llvar, 63 llvar",
    "28 fixed 9",
  ])
    assert.ok(takes(right), right);
  for (const wrong of [
    ...[
      "",
      "55",
      "55 llvar,60 llvar",
      "55 llvar, ",
      "0 llvar",
      "1 llvar",
      "65 llvar",
      "129 llvar",
      "55 fixed",
      "55 fixed 0",
    ],
    ...["39 fixed 3", "11 llvar", "4 fixed 10", "37 llvar", "63 fixed 20", "2 llvar digits", "055 llvar", "55 lvar"],
  ])
    assert.ok(!takes(wrong), wrong);
});
