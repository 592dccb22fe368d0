// Going on after a decline: who is asked, what is on record at each moment, and what ends it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Line } from "../../test/acquirer.ts";
import { idOf, installation, record, render, resultInWords } from "../../test/gateway-in-memory.ts";
import { type Troubles, unreliable } from "../../test/unreliable-journal.ts";
import { attemptsOf, chargeOf } from "../payment/transaction.ts";

const declining = (code: string, given = {}) =>
  record({ settings: { timeout_ms: 100, declines_with: code, ...given } });
const APPROVES = record();

/** One node whose merchant lets a charge go on to three processors, in the order of the records. */
function node(records = [declining("05"), APPROVES], lines: Readonly<Record<string, Line>> = {}, most = 3) {
  const line = (id: string, type: string): Line => (type === "reversal" ? "answers" : (lines[id] ?? "answers"));
  const routing = { version: 1, rules: [], attemptsAtMost: most };
  const made = installation(records, { line }, routing);
  return { ...made, ...made.join() };
}
const VISA = "4111111111111111";
const MASTERCARD = "5555555555554444";

describe("a charge that is declined goes on", () => {
  test("the next one approves: its event is the charge, the decline an attempt, and follow-ups go there", async () => {
    const records = [declining("05"), APPROVES];
    const { charge, find, followUp, books } = node(records);
    const result = await charge();
    assert.equal(resultInWords(result), "200 sale 100 declined, sale 100 approved");
    const transaction = await find(idOf(result));
    assert.equal(chargeOf(transaction).processorId, APPROVES.id);
    assert.deepEqual(
      attemptsOf(transaction).map(({ processorId, outcome }) => [processorId, outcome?.kind]),
      [[records[0]?.id, "declined"]],
    );
    assert.equal(new Set(transaction.events.map(({ id }) => id)).size, 2, "each question has a reference of its own");
    await followUp("refund", transaction.id);
    assert.deepEqual(
      books.asked.map(({ processorId }) => processorId),
      [records[0]?.id, APPROVES.id, APPROVES.id],
    );
  });

  const rows: readonly (readonly [rule: string, codes: readonly string[], most: number, digits: string, is: string])[] =
    [
      ["the setting is off", ["05", ""], 1, VISA, "200 sale 100 declined"],
      ["all decline", ["05", "03", "96"], 3, VISA, "200 sale 100 declined, sale 100 declined, sale 100 declined"],
      ["as many as may be asked decline", ["05", "05", ""], 2, VISA, "200 sale 100 declined, sale 100 declined"],
      ["the card is wrong", ["14", ""], 3, VISA, "200 sale 100 declined"],
      ["it is expired", ["54", ""], 3, VISA, "200 sale 100 declined"],
      ["the CVV does not match", ["N7", ""], 3, VISA, "200 sale 100 declined"],
      ["money is missing", ["51", ""], 3, VISA, "200 sale 100 declined"],
      ["the second decline ends it", ["05", "51", ""], 3, VISA, "200 sale 100 declined, sale 100 declined"],
      ["another processor may be reached now", ["91", ""], 3, VISA, "200 sale 100 declined, sale 100 approved"],
      ["Mastercard says later", ["91", ""], 3, MASTERCARD, "200 sale 100 declined"],
      ["Mastercard says nothing", ["05", ""], 3, MASTERCARD, "200 sale 100 declined, sale 100 approved"],
    ];
  for (const [rule, codes, most, digits, expected] of rows)
    test(`${rule}: ${expected.slice(4)}`, async () => {
      const records = codes.map((code) => (code === "" ? record() : declining(code)));
      const { charge, parts, memory, books } = node(records, {}, most);
      assert.equal(resultInWords(await charge({ digits })), expected);
      assert.equal(books.asked.length, expected.split(",").length);
      assert.deepEqual([parts.inFlight.size, memory.unresolved], [0, 0]);
    });

  test("a processor that the request names has no substitute", async () => {
    const first = declining("05");
    const { charge } = node([first, APPROVES]);
    assert.equal(resultInWords(await charge({ processorId: first.id })), "200 sale 100 declined");
  });

  test("a processor of another currency, without the brand, or with fields that are missing is not asked", async () => {
    const others = [
      record({ currency: "CAD" }),
      record({ settings: { card_brands: ["amex"] } }),
      record({ requires: { cvv: ["visa"], names: false, document: false } }),
      record({ requires: { cvv: [], names: true, document: false } }),
      record({ enabled: false }),
      record({ inRotation: false }),
    ];
    const { charge } = node([declining("05"), ...others]);
    assert.equal(resultInWords(await charge({ fields: { currency: "USD" } })), "200 sale 100 declined");
  });

  test("a processor that fails is not asked: the decline is an answer, and that one may give none", async () => {
    const failing = record();
    const { charge, parts } = node([declining("05"), failing]);
    parts.failing.learn(failing.id, new Date());
    assert.equal(resultInWords(await charge()), "200 sale 100 declined");
  });

  test("the last one is out of reach: the last decline stands, under its own processor", async () => {
    const records = [declining("03"), declining("05"), APPROVES];
    const { charge, find, memory } = node(records, { [APPROVES.id]: "refuses" });
    const result = await charge();
    assert.equal(resultInWords(result), "200 sale 100 declined, sale 100 declined, sale 100 not-sent");
    assert.equal(chargeOf(await find(idOf(result))).processorId, records[1]?.id);
    assert.equal(memory.unresolved, 0);
  });

  test("one that is out of reach is no attempt", async () => {
    const records = [declining("05"), record(), APPROVES];
    const { charge } = node(records, { [records[1]?.id ?? ""]: "refuses" }, 2);
    assert.equal(resultInWords(await charge()), "200 sale 100 declined, sale 100 not-sent, sale 100 approved");
  });
});

describe("doubt ends it", () => {
  for (const line of ["loses question", "loses answer", "answers late", "breaks"] as const)
    test(`the second ${line}: nobody else is asked, and the second alone is taken back`, async () => {
      const records = [declining("05"), APPROVES, record()];
      const { charge, resolve, books, memory } = node(records, { [APPROVES.id]: line });
      assert.equal(resultInWords(await charge()), "200 sale 100 declined, sale 100 unanswered");
      assert.equal(await resolve(), 1);
      assert.deepEqual(
        books.asked.map(({ processorId, type }) => [processorId, type]),
        [
          [records[0]?.id, "sale"],
          [APPROVES.id, "sale"],
          [APPROVES.id, "reversal"],
        ],
      );
      assert.equal(memory.unresolved, 0);
    });

  test("the first gave no answer: nobody else is asked, though it is found out that it had declined", async () => {
    const records = [declining("05"), APPROVES];
    const { charge, books, parts, merchantId } = node(records, { [records[0]?.id ?? ""]: "loses answer" });
    const [first] = await parts.processors.of(merchantId);
    assert.ok(first);
    first.processor.inquire = async ({ reference }) => books.entry(reference)?.answer ?? { kind: "unknown" };
    assert.equal(resultInWords(await charge()), "200 sale 100 declined");
    assert.equal(books.asked.length, 1);
  });

  /** A node stops at a write; another takes its events over. */
  const stopped = async (troubles: Troubles, events: number) => {
    const records = [declining("05"), APPROVES, record()];
    const made = installation(records, {}, { version: 1, rules: [], attemptsAtMost: 3 });
    const dead = made.join((journal) => unreliable(journal, troubles));
    const claim = { key: "key", requestHash: Buffer.from("hash") };
    void dead.charge({ claim });
    const written = () => made.memory.transactionsOf(made.merchantId)[0]?.transaction.events.length;
    while (made.books.asked.length === 0 || written() !== events) await new Promise(setImmediate);
    const alive = made.join();
    made.memory.declareDead(dead.id);
    await alive.resolve();
    const again = await alive.charge({ claim });
    return { ...made, again, alive };
  };

  test("its gateway stops before the decline is on record: the first is taken back, nobody else is asked", async () => {
    const { again, books } = await stopped({ conclude: ["stops before"] }, 1);
    assert.equal(resultInWords(again), "replayed 200 sale 100 unanswered");
    assert.deepEqual(
      books.asked.map(({ type }) => type),
      ["sale", "reversal"],
    );
  });

  test("its gateway stops between the decline and the next question: that one is taken back, and none follows", async () => {
    const { again, books, memory } = await stopped({ conclude: ["stops after"] }, 2);
    assert.equal(resultInWords(again), "replayed 200 sale 100 declined, sale 100 unanswered");
    assert.deepEqual(
      books.asked.map(({ type, processorId }) => [type, processorId === APPROVES.id]),
      [
        ["sale", false],
        ["reversal", true],
      ],
    );
    assert.equal(memory.unresolved, 0);
  });
});

describe("an idempotency key", () => {
  test("replays the answer of the last processor, to the byte, and asks nobody again", async () => {
    const { charge, books } = node();
    const claim = { key: "key", requestHash: Buffer.from("hash") };
    const [first, again] = [await charge({ claim }), await charge({ claim })];
    assert.ok(first.kind === "responded" && again.kind === "responded");
    assert.deepEqual([again.response, again.replayed], [first.response, true]);
    assert.equal(books.asked.length, 2);
  });
});

describe("the schemes' limits", () => {
  /** What each of so many sales with this card is answered, an hour after the one before. */
  async function sales(digits: string, count: number, hours: number): Promise<number[]> {
    const { charge, clock } = node([declining("05"), declining("05")], {}, 2);
    const asked: number[] = [];
    for (let nth = 0; nth < count; nth++) {
      asked.push(resultInWords(await charge({ digits })).split(",").length);
      clock.set(new Date(clock.now().getTime() + hours * 3_600_000));
    }
    return asked;
  }

  test("a Mastercard goes on until it was tried ten times in a day: the merchant's own charges count", async () => {
    assert.deepEqual(await sales(MASTERCARD, 8, 0), [2, 2, 2, 2, 2, 1, 1, 1]);
    assert.deepEqual(await sales(MASTERCARD, 7, 5), [2, 2, 2, 2, 2, 2, 2]);
  });

  test("a Visa card goes on until it was tried sixteen times in thirty days", async () => {
    assert.deepEqual(await sales(VISA, 10, 24), [2, 2, 2, 2, 2, 2, 2, 2, 1, 1]);
  });

  test("cards of other merchants and other cards do not count, approvals and what was not sent neither", async () => {
    const records = [declining("05"), declining("05")];
    const { charge } = node(records, {}, 2);
    for (let nth = 0; nth < 5; nth++) await charge({ digits: MASTERCARD });
    assert.equal(resultInWords(await charge({ digits: MASTERCARD })), "200 sale 100 declined");
    assert.equal(
      resultInWords(await charge({ digits: "5105105105105100" })),
      "200 sale 100 declined, sale 100 declined",
    );
    const approved = node([APPROVES], {}, 2);
    for (let nth = 0; nth < 12; nth++) await approved.charge({ digits: MASTERCARD });
    assert.equal(approved.books.asked.length, 12);
  });

  test("at the limit the decline is the answer, and stays it under its key", async () => {
    const { charge } = node([declining("05"), declining("05")], {}, 2);
    for (let nth = 0; nth < 5; nth++) await charge({ digits: MASTERCARD });
    const claim = { key: "key", requestHash: Buffer.from("hash") };
    assert.equal(resultInWords(await charge({ digits: MASTERCARD, claim })), "200 sale 100 declined");
    assert.equal(resultInWords(await charge({ digits: MASTERCARD, claim })), "replayed 200 sale 100 declined");
  });
});

test("nothing of a card is counted where charges do not go on", async () => {
  for (const [most, counted] of [
    [1, false],
    [2, true],
  ] as const) {
    const made = installation([APPROVES], {}, { version: 1, rules: [], attemptsAtMost: most });
    const keys: (Buffer | undefined)[] = [];
    const { charge } = made.join(
      (journal) => ({
        ...journal,
        open: (intent, ...rest) => {
          keys.push(intent.cardKey);
          return journal.open(intent, ...rest);
        },
      }),
      render,
    );
    await charge();
    assert.deepEqual(
      keys.map((key) => key !== undefined),
      [counted],
    );
  }
});
