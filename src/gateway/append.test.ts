import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { idOf, installation, inWords, record, resultInWords } from "../../test/gateway-in-memory.ts";
import { type Troubles, unreliable } from "../../test/unreliable-journal.ts";
import { type Journal, JournalUnavailable, JournalUncertain } from "../journal/journal.ts";
import { amountOf } from "../payment/money.ts";

const USD = record();
const SALE = "sale 100 approved";

function node(troubles: Troubles) {
  const whole = installation([USD]);
  return { ...whole, ...whole.join((journal) => unreliable(journal, troubles)), other: whole.join() };
}

describe("an intent that may not be durable leads to no question", () => {
  test("the database was away: nothing is there, and nothing is retried", async () => {
    const { charge, followUp, parts, books, memory, merchantId } = node({ open: ["away"], append: ["away"] });
    await assert.rejects(charge(), JournalUnavailable);
    assert.deepEqual([memory.transactionsOf(merchantId), books.asked], [[], []]);
    const id = idOf(await charge());
    await assert.rejects(followUp("refund", id), JournalUnavailable);
    assert.deepEqual([books.asked.length, parts.retryQueue.size, parts.inFlight.size], [1, 0, 0]);
  });

  for (const [trouble, there] of [
    ["lost", false],
    ["done and lost", true],
  ] as const)
    test(`nobody can tell (${trouble}): what is there all the same ends as not sent`, async () => {
      const { charge, followUp, parts, books, memory, merchantId, find } = node({ open: [trouble], append: [trouble] });
      await assert.rejects(charge(), JournalUncertain);
      assert.deepEqual([parts.retryQueue.size, parts.inFlight.size], [1, 1]);
      await parts.retryQueue.retry();
      assert.deepEqual([parts.retryQueue.size, parts.inFlight.size], [0, 0]);
      const words = memory.transactionsOf(merchantId).flatMap(({ transaction }) => inWords(transaction));
      assert.deepEqual(words, there ? ["sale 100 not-sent"] : []);

      const id = idOf(await charge());
      await assert.rejects(followUp("refund", id), JournalUncertain);
      await parts.retryQueue.retry();
      assert.deepEqual(inWords(await find(id)), there ? [SALE, "refund 100 not-sent"] : [SALE]);
      assert.deepEqual([books.asked.length, parts.retryQueue.size, parts.inFlight.size], [1, 0, 0]);
    });

  // Its place is taken by an event of the other node, which is being asked about.
  test("the event of another operation in its place is not ended", async () => {
    const whole = installation([USD]);
    const unsure = whole.join((journal) => unreliable(journal, { append: ["lost"] }));
    const id = idOf(await unsure.charge());
    await assert.rejects(unsure.followUp("refund", id), JournalUncertain);
    const other = whole.join((journal) => unreliable(journal, { conclude: [() => unsure.parts.retryQueue.retry()] }));
    const answer = await other.followUp("refund", id, { amount: amountOf(40n) });
    assert.equal(resultInWords(answer), `200 ${SALE}, refund 40 approved`);
    assert.deepEqual(inWords(await other.find(id)), [SALE, "refund 40 approved"]);
    assert.equal(unsure.parts.inFlight.size, 0);
  });

  // A node that counted as dead when it wrote the intent: nobody else has it on the list.
  test("where the journal does not take that it was not sent, it is asked once more", async () => {
    const whole = installation([USD]);
    const unsure = whole.join((journal) => {
      let concluded = 0;
      const conclude: Journal["conclude"] = async (conclusion) =>
        ++concluded === 2 ? "taken-over" : journal.conclude(conclusion);
      return unreliable({ ...journal, conclude }, { append: ["done and lost"] });
    });
    const id = idOf(await unsure.charge());
    await assert.rejects(unsure.followUp("refund", id), JournalUncertain);
    await unsure.parts.retryQueue.retry();
    assert.equal(unsure.parts.inFlight.size, 0);
    await unsure.resolve();
    assert.deepEqual(inWords(await unsure.find(id)), [SALE, "refund 100 approved"]);
  });

  test("an event that another node took over is left to it", async () => {
    const whole = installation([USD]);
    const unsure = whole.join((journal) => unreliable(journal, { append: ["done and lost"] }));
    const id = idOf(await unsure.charge());
    await assert.rejects(unsure.followUp("refund", id), JournalUncertain);
    whole.memory.declareDead(unsure.id);
    const other = whole.join();
    await other.backlog.takeOverFromDeadNodes(whole.clock.now());
    await unsure.parts.retryQueue.retry();
    assert.deepEqual(inWords(await other.find(id)), [SALE, "refund 100 pending"]);
    await other.resolve();
    assert.deepEqual(inWords(await other.find(id)), [SALE, "refund 100 approved"]);
    assert.equal(unsure.parts.inFlight.size, 0);
  });
});
