// What a server may send in answer to a question, message by message; whatever does not fit it ends the connection.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Answer, Exchange, type Expected, SCRIPT, type Step } from "./exchange.ts";
import { StatementFault } from "./faults.ts";
import { frames } from "./frames.ts";

const int16 = (value: number) => Buffer.of((value >> 8) & 255, value & 255);
const int32 = (value: number) => Buffer.of((value >> 24) & 255, (value >> 16) & 255, (value >> 8) & 255, value & 255);
const text = (value: string) => Buffer.from(`${value}\0`);
const message = (type: string, ...body: Buffer[]) => {
  const bytes = Buffer.concat(body);
  return Buffer.concat([Buffer.from(type), int32(bytes.length + 4), bytes]);
};
const value = (of: string | null) =>
  of === null ? int32(-1) : Buffer.concat([int32(Buffer.byteLength(of)), Buffer.from(of)]);
const row = (...values: readonly (string | null)[]) => message("D", int16(values.length), ...values.map(value));
const column = (name: string, { type = 23, format = 0 } = {}) =>
  Buffer.concat([text(name), int32(0), int16(0), int32(type), int16(4), int32(-1), int16(format)]);
const columns = (...all: Buffer[]) => message("T", int16(all.length), ...all);
const tag = (of: string) => message("C", text(of));
const parsed = message("1");
const bound = message("2");
const noData = message("n");
const empty = message("I");
const described = columns(column("n"), column("m"));
const ready = (status = "I") => message("Z", Buffer.from(status));
const fault = message("E", text("SERROR"), text("C23505"), text("Mduplicate key"), Buffer.of(0));

const NONCE = "asked7";
const STEPS: readonly Step[] = ["bound", "nonce", "nonce-end", "parsed", "bound", "described", "rows", "ready"];
const SELECT: Expected = { steps: STEPS, nonce: NONCE, tag: /^SELECT \d+$/, columns: undefined };
const INSERT: Expected = { ...SELECT, tag: /^INSERT 0 \d+$/ };
const begun = [bound, row(NONCE), tag("SELECT 1")];
const planned = [...begun, parsed, bound];

/** What comes of these messages, with the last of them. */
function answerTo(expected: Expected, messages: readonly Buffer[]) {
  const exchange = new Exchange(expected);
  const answers: Answer[] = [];
  const next = frames((type, bytes, start, end) => {
    assert.equal(answers.length, 0, "an answer before the last message");
    const answer = exchange.take(type, bytes, start, end);
    if (answer !== undefined) answers.push(answer);
  });
  // At once: behind each message stand the bytes of the next one.
  next(Buffer.concat(messages));
  return answers[0];
}

const shown = (answer: Answer | undefined) =>
  answer && { ...answer, rows: [...answer.rows], count: answer.rows.count, fault: answer.fault?.code };

describe("the answer to a question", () => {
  const right: Record<string, [Expected, readonly Buffer[], object]> = {
    "with rows": [
      SELECT,
      [...planned, described, row("1", "2"), row("3", null), tag("SELECT 2"), ready("T")],
      {
        rows: [
          { n: 1, m: 2 },
          { n: 3, m: null },
        ],
        count: 2,
        tag: "SELECT 2",
        status: "T",
        fault: undefined,
      },
    ],
    "without rows": [
      INSERT,
      [...planned, noData, tag("INSERT 0 5"), ready()],
      { rows: [], count: 5, tag: "INSERT 0 5", status: "I", fault: undefined },
    ],
    "of a statement that fails": [
      SELECT,
      [...planned, described, row("1", "2"), fault, ready("E")],
      { rows: [{ n: 1, m: 2 }], count: 0, tag: "", status: "E", fault: "23505" },
    ],
    "of one that cannot be planned": [
      SELECT,
      [...begun, fault, ready()],
      { rows: [], count: 0, tag: "", status: "I", fault: "23505" },
    ],
    "of several, each with rows": [
      SCRIPT,
      [
        columns(column("a")),
        row("1"),
        tag("SELECT 1"),
        empty,
        tag("SET"),
        columns(column("b")),
        row("2"),
        row("3"),
      ].concat(tag("SELECT 2"), ready()),
      { rows: [{ b: 2 }, { b: 3 }], count: 2, tag: "SELECT 2", status: "I", fault: undefined },
    ],
  };
  for (const [which, [expected, messages, answer]] of Object.entries(right))
    test(`${which} is taken, with its last message and not before`, () => {
      assert.deepEqual(shown(answerTo(expected, messages)), answer);
      for (let most = 0; most < messages.length; most++)
        assert.equal(answerTo(expected, messages.slice(0, most)), undefined, `after ${most} messages`);
    });
});

describe("a message that does not fit what was asked ends the connection:", () => {
  const cut = (whole: Buffer, bytes: number) => {
    const body = whole.subarray(5, whole.length - bytes);
    return message(String.fromCharCode(whole[0] as number), body);
  };
  const longer = (whole: Buffer) => message(String.fromCharCode(whole[0] as number), whole.subarray(5), Buffer.of(0));

  const wrong: Record<string, [Expected, readonly Buffer[], RegExp]> = {
    "the nonce of another question": [SELECT, [bound, row("asked8")], /not nonce/],
    "a longer nonce that begins like it": [SELECT, [bound, row(`${NONCE}1`)], /not nonce/],
    "the nonce among other values": [SELECT, [bound, row(NONCE, "1")], /not nonce/],
    "no nonce in a row's place": [SELECT, [bound, row(null)], /not nonce/],
    "the end of the statement in the nonce's place": [SELECT, [bound, tag("SELECT 1")], /not nonce/],
    "a nonce that says another length": [
      SELECT,
      [bound, message("D", int16(1), int32(NONCE.length + 1), Buffer.from(NONCE))],
      /not nonce/,
    ],
    "a nonce that says more values": [SELECT, [bound, message("D", int16(2), value(NONCE))], /not nonce/],
    "the nonce in something that is no row": [SELECT, [bound, message("d", int16(1), value(NONCE))], /not nonce/],
    "two rows of the nonce": [SELECT, [bound, row(NONCE), row(NONCE)], /not nonce-end/],
    "another end of the nonce": [SELECT, [bound, row(NONCE), tag("SELECT 2")], /not nonce-end/],
    "ready in the place of the nonce": [SELECT, [bound, ready()], /not nonce/],
    "ready in the place of rows": [SELECT, [...planned, described, ready()], /Z/],
    "a fault before the nonce": [SELECT, [bound, fault], /duplicate key/],
    "a fault in the place of the nonce's end": [SELECT, [bound, row(NONCE), fault], /duplicate key/],
    "a fault behind the end of the statement": [
      SELECT,
      [...planned, described, row("1", "2"), tag("SELECT 1"), fault],
      /duplicate key/,
    ],
    "a second fault": [SELECT, [...begun, fault, fault], /duplicate key/],
    "a row behind a fault": [SELECT, [...planned, described, fault, row("1", "2")], /D/],
    "the end of the statement behind a fault": [SELECT, [...planned, described, fault, tag("SELECT 0")], /C/],
    "bound before parsed": [SELECT, [...begun, bound], /not parsed/],
    "parsed twice": [SELECT, [...begun, parsed, parsed], /not bound/],
    "parsed, with something in it": [SELECT, [...begun, longer(parsed)], /not parsed/],
    "bound, with something in it": [SELECT, [longer(bound)], /not bound/],
    "rows without columns": [SELECT, [...planned, row("1", "2")], /not described/],
    "rows where there was to be none": [INSERT, [...planned, noData, row("1")], /D/],
    "columns a second time": [SELECT, [...planned, described, described], /T/],
    "a row too few": [SELECT, [...planned, described, row("1", "2"), tag("SELECT 2")], /1 rows of 2/],
    "a row too many": [SELECT, [...planned, described, row("1", "2"), row("3", "4"), tag("SELECT 1")], /2 rows of 1/],
    "the end of another statement": [SELECT, [...planned, described, tag("INSERT 0 0")], /another statement/],
    "an end with more behind it": [SELECT, [...planned, described, tag("SELECT 0\0")], /goes on/],
    "an end that does not end": [SELECT, [...planned, described, cut(tag("SELECT 0"), 1), ready()], /without an end/],
    "an empty statement that was to be one": [SELECT, [...planned, described, empty], /I/],
    "a row with a column less": [SELECT, [...planned, described, row("1")], /other columns/],
    "a row with a column more": [SELECT, [...planned, described, row("1", "2", "3")], /other columns/],
    "a row whose last value is cut off": [SELECT, [...planned, described, cut(row("1", "234"), 1), ready()], /cut off/],
    "a row without its last value": [SELECT, [...planned, described, cut(row("1", "2"), 5), ready()], /cut off/],
    "a row that goes on": [SELECT, [...planned, described, longer(row("1", "2"))], /goes on/],
    "a value of less than nothing": [
      SELECT,
      [...planned, described, message("D", int16(2), value("1"), int32(-2))],
      /cut off/,
    ],
    "columns that go on": [SELECT, [...planned, longer(described)], /goes on/],
    "columns that are cut off": [SELECT, [...planned, cut(described, 1), ready()], /cut off/],
    "a column whose name does not end": [
      SELECT,
      [...planned, cut(columns(column("n")), 19), ready()],
      /without an end/,
    ],
    "a column that is not text": [SELECT, [...planned, columns(column("n", { format: 1 }))], /not text/],
    "no such status": [SELECT, [...planned, described, tag("SELECT 0"), ready("X")], /status/],
    "two statuses": [SELECT, [...planned, described, tag("SELECT 0"), ready("II")], /status/],
    "a fault that is cut off": [SELECT, [...planned, cut(fault, 1), ready()], /cut off/],
    "a fault that ends otherwise": [SELECT, [...planned, message("E", text("SERROR"), Buffer.of(1))], /cut off/],
    "a fault whose text does not end": [SELECT, [...planned, cut(fault, 2), ready()], /without an end/],
    "rows of several statements without columns": [
      SCRIPT,
      [columns(column("a")), row("1"), tag("SELECT 1"), row("2")],
      /D/,
    ],
  };
  for (const [what, [expected, messages, said]] of Object.entries(wrong))
    test(what, () => {
      assert.throws(() => answerTo(expected, messages), said);
      const before = answerTo(expected, messages.slice(0, messages.at(-1)?.equals(ready()) ? -2 : -1));
      assert.equal(before, undefined, "what came before fits");
    });

  test("another's fault is told as such", () => {
    assert.throws(() => answerTo(SELECT, [bound, fault]), StatementFault);
  });
});

describe("messages", () => {
  const taken = (chunks: readonly Buffer[]) => {
    const all: string[] = [];
    const next = frames((type, bytes, start, end) =>
      all.push(`${String.fromCharCode(type)} ${bytes.toString("latin1", start, end)}`),
    );
    for (const chunk of chunks) next(chunk);
    return all;
  };
  const three = [message("a"), message("b", Buffer.from("word")), message("c", Buffer.from("x".repeat(300)))];
  const whole = Buffer.concat(three);
  const read = ["a ", "b word", `c ${"x".repeat(300)}`];

  test("are the same, wherever they are cut", () => {
    for (let at = 0; at <= whole.length; at++)
      assert.deepEqual(taken([whole.subarray(0, at), whole.subarray(at)]), read, `at ${at}`);
    assert.deepEqual(taken([...whole].map((byte) => Buffer.of(byte))), read);
  });

  test("are taken as soon as they are whole", () => {
    for (let at = 0, nth = 0; nth < three.length; nth++) {
      at += (three[nth] as Buffer).length;
      assert.deepEqual(taken([whole.subarray(0, at)]), read.slice(0, nth + 1));
      assert.deepEqual(taken([whole.subarray(0, at - 1)]), read.slice(0, nth));
    }
  });

  test("behind one that came in parts are taken as soon as they are whole, too", () => {
    const long = three[2] as Buffer;
    const short = three[1] as Buffer;
    assert.deepEqual(taken([long.subarray(0, 9), long.subarray(9), short]), [read[2], read[1]]);
  });

  test("of a length that cannot be end the connection", () => {
    const OF_256_MB = 256 * 1024 * 1024;
    for (const length of [3, 0, -1, -5, OF_256_MB + 1])
      assert.throws(() => taken([Buffer.from("a"), int32(length), message("b")]), /a message of/, `${length}`);
    assert.deepEqual(taken([Buffer.from("a"), int32(OF_256_MB), message("b")]), []);
  });
});
