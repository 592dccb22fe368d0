import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { installation, record } from "../../test/gateway-in-memory.ts";
import { NOTHING_CHECKED } from "../payment/verification.ts";
import type { Answer } from "../processors/processor.ts";
import { ask, firstInquiry, pauseOfWaiting } from "./ask.ts";

const NOT_SENT: Answer = { kind: "not-sent", why: "refused" };

test("an answer in time is the answer", async () => {
  assert.deepEqual(await ask<Answer>(1_000, async () => NOT_SENT, undefined), NOT_SENT);
});

test("why there is no answer is told without control characters and card numbers", async () => {
  const [given, kept] = ["HTTP 500: card 4111111111111111\r\nis lost", "HTTP ***: card **************** is lost"];
  for (const kind of ["not-sent", "unanswered", "pending"] as const)
    assert.deepEqual(await ask<Answer>(1_000, async () => ({ kind, why: given }), undefined), {
      kind,
      why: kept,
    });
  const broken = await ask<Answer>(1_000, () => Promise.reject(new Error(given)), undefined);
  assert.deepEqual(broken, { kind: "unanswered", why: kept });
});

test("why there is no answer is told without the number of the charge's card, whatever brand that is", async () => {
  for (const [number, mask] of [
    ["9999990000001234", "999999******1234"],
    ["50000012345", "500000*2345"],
    ["9999 9900 0000 1234", "999999******1234"],
  ] as const) {
    const given = `no account ${number} here`;
    const kept = `no account ${number.replace(/\d/g, "*")} here`;
    for (const kind of ["not-sent", "unanswered", "pending"] as const)
      assert.deepEqual(await ask<Answer>(1_000, async () => ({ kind, why: given }), mask), { kind, why: kept });
    const broken = await ask<Answer>(1_000, () => Promise.reject(new Error(given)), mask);
    assert.deepEqual(broken, { kind: "unanswered", why: kept });
    assert.deepEqual(await ask<Answer>(1_000, async () => ({ kind: "not-sent", why: given }), "999999******9999"), {
      ...{ kind: "not-sent", why: given },
    });
  }
});

test("silence ends at the deadline, and the question is told to end", async () => {
  let ended = false;
  const question = (signal: AbortSignal) =>
    new Promise<Answer>(() => {
      signal.addEventListener("abort", () => {
        ended = true;
      });
    });
  assert.deepEqual(await ask<Answer>(20, question, undefined), { kind: "unanswered", why: "no answer within 20 ms" });
  assert.equal(ended, true);
});

test("an answer after the deadline is none", async () => {
  const late = async (): Promise<Answer> => {
    await sleep(40);
    return NOT_SENT;
  };
  assert.equal((await ask<Answer>(10, late, undefined)).kind, "unanswered");
});

test("a question that says at the deadline that it never left was not sent, and any other word is too late", async () => {
  const atTheEnd = (answer: Answer) => (signal: AbortSignal) =>
    new Promise<Answer>((resolve) => signal.addEventListener("abort", () => resolve(answer), { once: true }));
  assert.deepEqual(await ask<Answer>(10, atTheEnd(NOT_SENT), undefined), NOT_SENT);
  const processorResponse = { ...NOTHING_CHECKED, code: "00", message: "", transactionId: "1", authCode: null };
  for (const answer of [
    { kind: "approved", processorResponse },
    { kind: "declined", processorResponse, category: "refused" },
    { kind: "pending", why: "accepted" },
    { kind: "unanswered", why: "silence" },
  ] as const satisfies readonly Answer[])
    assert.deepEqual(await ask<Answer>(10, atTheEnd(answer), undefined), {
      kind: "unanswered",
      why: "no answer within 10 ms",
    });
});

test("a fault on the way is no answer, whenever it is thrown", async () => {
  const rejects = () => Promise.reject(new Error("broken pipe"));
  const throws = () => {
    throw new Error("broken pipe");
  };
  for (const question of [rejects, throws])
    assert.deepEqual(await ask<Answer>(1_000, question, undefined), { kind: "unanswered", why: "broken pipe" });
  assert.equal((await ask<Answer>(1_000, () => Promise.reject("text"), undefined)).kind, "unanswered");
});

test("a fault after the deadline reaches nobody", async () => {
  const late = async (): Promise<Answer> => {
    await sleep(20);
    throw new Error("too late");
  };
  assert.equal((await ask<Answer>(5, late, undefined)).kind, "unanswered");
  await sleep(40);
});

test("what was accepted is asked for after a second, then less and less often, at least every 15 minutes; or once a day", async () => {
  const USD = record();
  const [silent] = await installation([USD]).join().parts.processors.of(USD.merchantId);
  assert.ok(silent);
  const inquire = async () => NOT_SENT;
  const asked = { ...silent, processor: { ...silent.processor, inquire } };
  const seconds = (atWork: typeof silent) => [1, 2, 9, 10, 1_000].map((nth) => pauseOfWaiting(atWork, nth) / 1_000);
  assert.deepEqual(seconds(asked), [2, 4, 512, 900, 900]);
  assert.deepEqual(new Set(seconds(silent)), new Set([86_400]));
  const now = new Date(0);
  assert.deepEqual(
    [asked, silent].map((one) => firstInquiry(one, now).getTime()),
    [1_000, 86_400_000],
  );
});
