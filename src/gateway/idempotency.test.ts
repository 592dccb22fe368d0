import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { claim } from "../../test/conformance/intents.ts";
import { type Installation, idOf, installation, record, resultInWords } from "../../test/gateway-in-memory.ts";
import { at } from "../../test/transactions.ts";
import { type Troubles, unreliable } from "../../test/unreliable-journal.ts";
import { amountOf } from "../payment/money.ts";
import { refuse } from "../payment/refusal.ts";
import { settlesAt } from "../processors/simulator/follow-up.ts";
import { idempotencyKeys } from "./idempotency.ts";
import type { Result } from "./result.ts";

const USD = record();
const OTHER = record();
const CAD = record({ currency: "CAD" });
const KEY = claim("key");

const node = (whole: Installation, troubles: Troubles = {}) => whole.join((journal) => unreliable(journal, troubles));
const soon = () => new Promise((resolve) => setTimeout(resolve, 20));

describe("the same key and the same request: the first answer again", () => {
  test("of a charge", async () => {
    const { charge, ...rest } = alone();
    const first = resultInWords(await charge({ claim: KEY }));
    assert.equal(resultInWords(await charge({ claim: KEY })), `replayed ${first}`);
    assert.equal(rest.books.asked.length, 1);
  });

  test("of a follow-up, whatever happened since", async () => {
    const { charge, followUp, books } = alone();
    const id = idOf(await charge());
    const given = { amount: amountOf(40n), claim: KEY };
    const first = resultInWords(await followUp("refund", id, given));
    await followUp("refund", id);
    assert.equal(resultInWords(await followUp("refund", id, given)), `replayed ${first}`);
    assert.equal(books.entriesOf(id).length, 3);
  });

  test("of a reversal, with both its steps", async () => {
    const whole = installation([CAD]);
    const { charge, reverse } = node(whole);
    const id = idOf(await charge());
    whole.clock.set(settlesAt(id, { cutoffAt: at("1 22:00"), settledAt: at("2 02:00"), visibleAt: at("2 02:20") }));
    const first = resultInWords(await reverse(id, { claim: KEY }));
    assert.match(first, /void 100 already-settled, refund 100 approved$/);
    assert.equal(resultInWords(await reverse(id, { claim: KEY })), `replayed ${first}`);
  });

  test("of what is still pending: the 202, also after it was resolved", async () => {
    let lines = 0;
    const { charge, followUp, resolve } = alone(() => (++lines === 2 ? "loses answer" : "answers"));
    const id = idOf(await charge());
    const first = resultInWords(await followUp("refund", id, { claim: KEY }));
    await resolve();
    assert.match(first, /^202 /);
    assert.equal(resultInWords(await followUp("refund", id, { claim: KEY })), `replayed ${first}`);
  });

  test("also when the processor was switched off since", async () => {
    const whole = installation([USD]);
    const { charge } = node(whole);
    await charge({ claim: KEY });
    whole.records.splice(0, 1, { ...USD, enabled: false });
    assert.match(resultInWords(await charge({ claim: KEY })), /^replayed 200/);
    assert.equal(resultInWords(await charge({ claim: claim("new") })), "no-processor-in-rotation on processor_id");
  });
});

function alone(line?: () => "answers" | "loses answer") {
  const whole = installation([USD], line && { line });
  return { ...whole, ...whole.join() };
}

test("the same key for another request is refused, and what is refused uses no key up", async () => {
  const { charge, followUp } = alone();
  const id = idOf(await charge({ claim: KEY }));
  const another = claim("key", "another request");
  assert.equal(resultInWords(await charge({ claim: another })), "key-of-another-request on base");
  assert.equal(resultInWords(await followUp("refund", id, { claim: another })), "key-of-another-request on base");
  const unused = claim("unused");
  assert.equal(resultInWords(await followUp("capture", id, { claim: unused })), "sale-is-captured on base");
  assert.match(resultInWords(await followUp("refund", id, { claim: unused })), /^200/);
});

test("in one process the second request with a key does not begin while the first runs", async () => {
  const keys = idempotencyKeys();
  const done: Result = { kind: "responded", response: { status: 200, body: "" }, replayed: false };
  let finish = (_: Result): void => undefined;
  const first = keys.once("m", KEY, () => new Promise((resolve) => (finish = resolve)));
  const never = () => assert.fail("it began");
  assert.deepEqual(await keys.once("m", KEY, never), refuse("key-in-use"));
  for (const [merchantId, other] of [
    ["m", claim("other")],
    ["other", KEY],
    ["m", null],
    ["m", null],
  ] as const)
    assert.equal(await keys.once(merchantId, other, async () => done), done);
  finish(done);
  assert.equal(await first, done);
  await assert.rejects(
    keys.once("m", KEY, () => Promise.reject(new Error("fault"))),
    /fault/,
  );
  assert.equal(await keys.once("m", KEY, async () => done), done);
});

describe("the first request's gateway died", () => {
  test("before the outcome: 409 until the resolver has ended the event, then the answer that follows from it", async () => {
    const whole = installation([USD]);
    const dying = node(whole, { conclude: ["stops before"] });
    void dying.charge({ claim: KEY });
    await soon();
    const other = node(whole);
    assert.equal(resultInWords(await other.charge({ claim: KEY })), "key-in-use on base");
    whole.memory.declareDead(dying.id);
    await other.resolve();
    assert.equal(resultInWords(await other.charge({ claim: KEY })), "replayed 200 sale 100 unanswered");
    assert.equal(whole.memory.transactionsOf(whole.merchantId).length, 1);
  });

  test("after it, and the answer was never stored: it is rendered now, and stays", async () => {
    const whole = installation([USD]);
    const { charge, followUp } = node(whole);
    const id = idOf(await charge());
    const dying = node(whole, { conclude: ["stops before"] });
    void dying.followUp("refund", id, { amount: amountOf(40n), claim: KEY });
    await soon();
    whole.memory.declareDead(dying.id);
    const other = node(whole);
    await other.resolve();
    await followUp("refund", id, { amount: amountOf(10n) });
    const late = resultInWords(await other.followUp("refund", id, { amount: amountOf(40n), claim: KEY }));
    assert.equal(late, "replayed 200 sale 100 approved, refund 40 approved");
    assert.equal(resultInWords(await followUp("refund", id, { amount: amountOf(40n), claim: KEY })), late);
  });

  test("the late answer is of its own operation: not of a later one, nor held up by another", async () => {
    let lines = 0;
    const whole = installation([USD], { line: () => (["answers", "loses question"] as const)[lines++] ?? "answers" });
    const { charge, followUp } = node(whole);
    const id = idOf(await charge());
    await followUp("refund", id, { amount: amountOf(10n) });
    // Its intent is there, its process never learnt that: it was not sent, and no answer was stored with that.
    const unsure = node(whole, { append: ["done and lost"] });
    await assert.rejects(unsure.followUp("refund", id, { amount: amountOf(20n), claim: KEY }), /lost/);
    await unsure.parts.retryQueue.retry();
    await followUp("refund", id, { amount: amountOf(30n) });
    assert.equal(
      resultInWords(await followUp("refund", id, { amount: amountOf(20n), claim: KEY })),
      "replayed 503 sale 100 approved, refund 10 pending, refund 20 not-sent",
    );
  });
});

test("the late answer of a reversal that came to nothing is not that of the next one", async () => {
  const lines = ["answers", "refuses"] as const;
  let asked = 0;
  const whole = installation([CAD], { line: () => lines[asked++] ?? "answers" });
  const { charge, reverse } = node(whole);
  const id = idOf(await charge());
  const unsure = node(whole, { conclude: ["lost"] });
  await assert.rejects(unsure.reverse(id, { claim: KEY }), /not yet durable/);
  await unsure.parts.retryQueue.retry();
  whole.clock.set(at("2 02:20"));
  assert.equal(resultInWords(await reverse(id)), "200 sale 100 approved, void 100 not-sent, refund 100 approved");
  assert.equal(resultInWords(await reverse(id, { claim: KEY })), "replayed 503 sale 100 approved, void 100 not-sent");
});

describe("the same key at once on two nodes", () => {
  test("a charge is opened once, and the loser is told that the first is in flight", async () => {
    const whole = installation([USD]);
    const [one, other] = [node(whole), node(whole)];
    const answers = (await Promise.all([one.charge({ claim: KEY }), other.charge({ claim: KEY })])).map(resultInWords);
    assert.ok(answers.includes("200 sale 100 approved"));
    assert.equal(whole.memory.transactionsOf(whole.merchantId).length, 1);
  });

  test("while one moves from a processor that refuses to the next, the other is told that it is in flight", async () => {
    const whole = installation([USD, OTHER], { line: (id) => (id === USD.id ? "refuses" : "answers") });
    const other = node(whole);
    const seen: string[] = [];
    const look = async () => void seen.push(resultInWords(await other.charge({ claim: KEY })));
    // Each write of the first node's after its intent, and the question to the second processor.
    const one = node(whole, { append: [look], conclude: [look, look] });
    const answer = resultInWords(await one.charge({ claim: KEY }));
    assert.equal(answer, "200 sale 100 not-sent, sale 100 approved");
    assert.deepEqual(new Set(seen), new Set(["key-in-use on base"]));
    assert.equal(resultInWords(await other.charge({ claim: KEY })), `replayed ${answer}`);
  });

  test("a follow-up that the other has ended meanwhile is answered with that one's answer, not refused", async () => {
    const whole = installation([USD]);
    const other = node(whole);
    const id = idOf(await other.charge());
    const first: Result[] = [];
    const meanwhile = async () => void first.push(await other.followUp("refund", id, { claim: KEY }));
    const one = node(whole, { find: [meanwhile] });
    const answer = resultInWords(await one.followUp("refund", id, { claim: KEY }));
    assert.deepEqual(first.map(resultInWords), ["200 sale 100 approved, refund 100 approved"]);
    assert.equal(answer, "replayed 200 sale 100 approved, refund 100 approved");
  });

  test("a claim that is lost in the race finds the winner's answer", async () => {
    const whole = installation([USD]);
    const other = node(whole);
    const id = idOf(await other.charge());
    const meanwhile = async () => void (await other.followUp("refund", id, { amount: amountOf(40n), claim: KEY }));
    const one = node(whole, { append: [meanwhile] });
    assert.equal(
      resultInWords(await one.followUp("refund", id, { amount: amountOf(40n), claim: KEY })),
      "replayed 200 sale 100 approved, refund 40 approved",
    );
    assert.equal(whole.books.entriesOf(id).length, 2);
  });
});
