import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyMessage, DIALECTS } from "../../../../test/fixtures/generated-message.ts";
import { answerTo, someQuestion } from "../../../../test/fixtures/scripted-host.ts";
import type { Dialect } from "../codec/dialect.ts";
import { CodecFault } from "../codec/fault.ts";
import type { Message } from "../codec/message.ts";
import { decodeMessage, encodeMessage } from "../codec/message-codec.ts";
import { STANDARD } from "../dialect/standard.ts";
import { Pending, type Reply } from "./pending.ts";

/** Ten million by hand: CODEC_RUNS=10000000. */
const RUNS = Number(process.env.CODEC_RUNS ?? 10_000);

/** What these bytes are taken for while this question waits. */
function takenFor(question: Message, bytes: Buffer, dialect: Dialect): Reply | null {
  const pending = new Pending(STANDARD);
  let reply: Reply | null = null;
  pending.add(question, {}, (given) => {
    reply = given;
  });
  try {
    pending.answer(decodeMessage(bytes, dialect));
  } catch (fault) {
    if (!(fault instanceof CodecFault)) throw fault;
    return null; // what does not decode never comes as far as this
  }
  return reply;
}

test("random bytes and messages of any kind are never taken for an answer", () => {
  const question = someQuestion();
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      anyMessage,
      fc.constantFrom(...DIALECTS),
      (bytes, message, dialect) => {
        assert.equal(takenFor(question, Buffer.from(bytes), dialect), null);
        assert.equal(takenFor(question, encodeMessage(message, dialect), dialect), null);
      },
    ),
    { numRuns: RUNS },
  );
});

test("another question's approval, cut or with some bytes changed, is never taken for this one's", () => {
  const [mine, others] = [someQuestion("0200", 1234), someQuestion("0200", 5678)];
  // Bytes of a wrong STAN, RRN and amount are more than three.
  const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 });
  fc.assert(
    fc.property(fc.constantFrom(...DIALECTS), changes, fc.option(fc.nat()), (dialect, changed, cut) => {
      const bytes = encodeMessage(answerTo(others), dialect);
      for (const [at, byte] of changed) bytes[at % bytes.length] = byte;
      const sent = cut === null ? bytes : bytes.subarray(0, cut % bytes.length);
      assert.equal(takenFor(mine, sent, dialect), null);
    }),
    { numRuns: RUNS },
  );
});

test("an answer is taken once, and only by the question that it belongs to", () => {
  const pending = new Pending(STANDARD);
  const questions = [someQuestion(), someQuestion("0400"), someQuestion("0221")];
  const ended: number[] = [];
  for (const [index, question] of questions.entries()) pending.add(question, {}, () => ended.push(index));
  for (const index of [2, 0, 1]) {
    const question = questions[index];
    assert.ok(question);
    assert.equal(pending.answer(answerTo(question)), null);
    assert.equal(pending.answer(answerTo(question)), "late, doubled or foreign");
  }
  assert.deepEqual(ended, [2, 0, 1]);
  assert.equal(pending.size, 0);
});

test("an answer that differs from its question in any field that it brings back is not taken", () => {
  for (const [field, other] of Object.entries({
    ...{ 3: "200000", 4: "000000001001", 11: "999999", 32: "654321" },
    ...{ 37: "ANOTHER00001", 41: "TERM02  ", 42: "MERCHANT2      ", 49: "124" },
  })) {
    const pending = new Pending(STANDARD);
    const question = someQuestion();
    pending.add(question, {}, () => assert.fail(`field ${field}`));
    assert.notEqual(pending.answer(answerTo(question).with({ [field]: other })), null);
    assert.equal(pending.size, 1);
  }
});

test("only what left by a connection is given up with it, and nothing ends twice", () => {
  const pending = new Pending(STANDARD);
  const [one, other] = [{}, {}];
  const ended: string[] = [];
  const first = someQuestion();
  pending.add(first, one, () => ended.push("one"));
  pending.add(someQuestion(), other, () => ended.push("other"));
  const forget = pending.add(someQuestion(), one, () => ended.push("forgotten"));
  forget();
  pending.giveUp("lost", one);
  assert.deepEqual(ended, ["one"]);
  assert.equal(pending.answer(answerTo(first)), "late, doubled or foreign");
  pending.giveUp("closed");
  forget();
  assert.deepEqual([ended, pending.size], [["one", "other"], 0]);
});
