import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Line } from "../../test/acquirer.ts";
import { idOf, installation, record, resultInWords } from "../../test/gateway-in-memory.ts";
import { at } from "../../test/transactions.ts";
import { unreliable } from "../../test/unreliable-journal.ts";
import { CAD_TERMS, ORDINARY_TERMS } from "../payment/account-terms.ts";
import { asOf } from "../payment/as-of.ts";
import { amountOf } from "../payment/money.ts";
import { movementsOf } from "../payment/movements.ts";
import { defaultSchedule } from "../payment/settlement.ts";

const USD = record();
const CAD = record({ currency: "CAD" });
const MINUTE_MS = 60_000;
const SALE = "sale 100 approved";

/** One node, with these lines for the questions after the first. */
function node(given = USD, ...lines: Line[]) {
  let first = true;
  const line = (): Line => {
    if (!first) return lines.shift() ?? "answers";
    first = false;
    return "answers";
  };
  const whole = installation([given], { line });
  return { ...whole.join(), ...whole };
}

describe("the terms of the record decide, whatever its currency", () => {
  const LIKE_CAD = record({ terms: CAD_TERMS, schedule: defaultSchedule("CAD") });
  const FREE_CAD = record({ currency: "CAD", terms: ORDINARY_TERMS });

  test("before settlement: all of it is voided, and nothing refunded", async () => {
    for (const given of [CAD, LIKE_CAD]) {
      const { charge, followUp } = node(given);
      const id = idOf(await charge());
      assert.equal(
        resultInWords(await followUp("void", id, { amount: amountOf(40n) })),
        "void-must-be-whole on amount",
      );
      assert.equal(resultInWords(await followUp("refund", id)), "refund-before-settlement on base");
      assert.equal(resultInWords(await followUp("void", id)), `200 ${SALE}, void 100 approved`);
    }
  });

  test("inside the window a void may come too late", async () => {
    for (const given of [CAD, LIKE_CAD]) {
      const { charge, followUp, clock } = node(given);
      const id = idOf(await charge());
      clock.set(at("2 02:19"));
      assert.equal(resultInWords(await followUp("void", id)), `422 ${SALE}, void 100 already-settled`);
    }
  });

  test("and an account that has other terms than its currency's goes by its own", async () => {
    const { charge, followUp } = node(FREE_CAD);
    const id = idOf(await charge());
    assert.equal(resultInWords(await followUp("void", id, { amount: amountOf(40n) })), `200 ${SALE}, void 40 approved`);
    assert.equal(resultInWords(await followUp("refund", id)), `200 ${SALE}, void 40 approved, refund 60 approved`);
  });
});

describe("a follow-up is asked once it is allowed and durable, and what the processor says is on record", () => {
  test("approved", async () => {
    const { charge, followUp, find, books } = node();
    const id = idOf(await charge());
    assert.equal(
      resultInWords(await followUp("refund", id, { amount: amountOf(40n) })),
      `200 ${SALE}, refund 40 approved`,
    );
    const [, refund] = (await find(id)).events;
    assert.deepEqual(books.entriesOf(id).at(-1)?.reference, refund?.id);
  });

  test("declined", async () => {
    const { charge, followUp } = node();
    const id = idOf(await charge({ digits: "4000000000005126" }));
    assert.equal(resultInWords(await followUp("refund", id)), `200 ${SALE}, refund 100 declined`);
  });

  test("refused by the rules: nothing is written and nobody is asked", async () => {
    const { charge, followUp, find, books } = node();
    const id = idOf(await charge());
    assert.equal(resultInWords(await followUp("capture", id)), "sale-is-captured on base");
    assert.deepEqual([(await find(id)).events.length, books.asked.length], [1, 1]);
  });

  test("of a transaction that does not exist", async () => {
    const { followUp } = node();
    assert.equal(
      resultInWords(await followUp("void", "01970000-0000-7000-8000-000000000000")),
      "transaction-unknown on base",
    );
  });

  test("a void that comes too late is on record as that", async () => {
    const { charge, followUp, clock } = node(CAD);
    const id = idOf(await charge());
    clock.set(at("2 02:19"));
    assert.equal(resultInWords(await followUp("void", id)), `422 ${SALE}, void 100 already-settled`);
    assert.equal(
      resultInWords(await followUp("refund", id)),
      `200 ${SALE}, void 100 already-settled, refund 100 approved`,
    );
  });

  test("an event is never older than the one before it, whatever this node's clock says", async () => {
    const { charge, followUp, find, clock } = node();
    const id = idOf(await charge());
    clock.set(at("1 11:00"));
    await followUp("refund", id);
    assert.deepEqual((await find(id)).events[1]?.createdAt, at("1 12:00"));
  });

  test("nor than an outcome that it was decided by, and its own is no older: by their times it can be told how all was", async () => {
    const line = (_: string, type: string): Line => {
      if (type === "auth") whole.clock.set(at("1 12:10"));
      return "answers";
    };
    const whole = installation([USD], { line });
    const { charge, followUp, find } = whole.join();
    const id = idOf(await charge({ type: "auth" }));
    whole.clock.set(at("1 12:05"));
    assert.equal(resultInWords(await followUp("capture", id)), "200 auth 100 approved, capture 100 approved");
    const transaction = await find(id);
    const [, capture] = transaction.events;
    assert.ok(capture?.outcome);
    assert.deepEqual([capture.createdAt, capture.outcome.at], [at("1 12:10"), at("1 12:10")]);
    const moment = { at: capture.outcome.at, sequence: 2, concluded: true };
    assert.deepEqual(asOf(transaction, moment), transaction);
    assert.equal(movementsOf(transaction).length, 1);
  });
});

describe("nothing was sent: 503, and the money is free for another try", () => {
  test("the connection is refused", async () => {
    const { charge, followUp, parts, memory } = node(USD, "refuses");
    const id = idOf(await charge());
    assert.equal(resultInWords(await followUp("refund", id)), `503 ${SALE}, refund 100 not-sent`);
    assert.deepEqual([parts.inFlight.size, memory.unresolved], [0, 0]);
    assert.equal(resultInWords(await followUp("refund", id)), `200 ${SALE}, refund 100 not-sent, refund 100 approved`);
  });
});

describe("sent and not answered: 202, and the same question is repeated until there is an outcome", () => {
  for (const line of ["loses question", "loses answer", "answers late", "breaks"] as const)
    test(`the line ${line}`, async () => {
      const { charge, followUp, find, resolve, parts, books, clock } = node(USD, line, "refuses", "loses answer");
      const id = idOf(await charge());
      assert.equal(resultInWords(await followUp("refund", id)), `202 ${SALE}, refund 100 pending`);
      assert.equal(resultInWords(await followUp("refund", id)), "operation-in-flight on base");
      assert.equal(parts.inFlight.size, 0);
      for (let rounds = 0; rounds < 3; rounds++) {
        assert.equal((await find(id)).events[1]?.outcome, null);
        assert.equal(await resolve(), 1);
        clock.set(new Date(clock.now().getTime() + MINUTE_MS));
      }
      const [, refund] = (await find(id)).events;
      assert.equal(refund?.outcome?.kind, "approved");
      assert.deepEqual(
        books.asked.slice(1).map(({ reference }) => reference),
        Array(4).fill(refund?.id),
      );
      assert.equal(books.entriesOf(id).length, 2);
    });
});

test("of many follow-ups at once on one transaction each reads it once, whoever is first", async () => {
  let reads = 0;
  const { charge, followUp, find } = installation([record()]).join((journal) => ({
    ...journal,
    find: (...of) => {
      reads++;
      return journal.find(...of);
    },
  }));
  const id = idOf(await charge());
  const answers = await Promise.all(Array.from({ length: 30 }, () => followUp("refund", id, { amount: amountOf(1n) })));
  assert.equal(answers.filter(({ kind }) => kind === "responded").length, 30);
  assert.equal(reads, 30);
  assert.equal((await find(id)).events.length, 31);
});

describe("whoever loses a race looks again and decides anew", () => {
  test("of two refunds at once that do not both fit, one is asked", async () => {
    const { charge, followUp, books } = node();
    const id = idOf(await charge());
    const amount = amountOf(60n);
    const answers = await Promise.all([followUp("refund", id, { amount }), followUp("refund", id, { amount })]);
    assert.deepEqual(answers.map(resultInWords).sort(), [
      `200 ${SALE}, refund 60 approved`,
      "operation-in-flight on base",
    ]);
    assert.equal(books.entriesOf(id).length, 2);
  });

  test("who is beaten by another node at the moment of writing asks nobody, and decides by what is left", async () => {
    const made = installation([USD]);
    const winner = made.join();
    const id = idOf(await winner.charge());
    const amount = amountOf(60n);
    const first = async () => void (await winner.followUp("refund", id, { amount }));
    const beaten = made.join((journal) => unreliable(journal, { append: [first] }));
    assert.equal(resultInWords(await beaten.followUp("refund", id, { amount })), "refund-exceeds-captured on amount");
    assert.equal(made.books.entriesOf(id).length, 2);
    assert.equal((await winner.find(id)).events.length, 2);
  });

  test("of two that fit both are", async () => {
    const { charge, followUp, find } = node();
    const id = idOf(await charge());
    const amount = amountOf(50n);
    await Promise.all([followUp("refund", id, { amount }), followUp("refund", id, { amount })]);
    assert.deepEqual(
      (await find(id)).events.map(({ outcome }) => outcome?.kind),
      Array(3).fill("approved"),
    );
  });

  test("a void and a refund of the same money never both happen", async () => {
    const { charge, followUp, books } = node();
    const id = idOf(await charge());
    await Promise.all([followUp("void", id), followUp("refund", id), followUp("void", id), followUp("refund", id)]);
    assert.equal(books.entriesOf(id).length, 2);
  });
});
