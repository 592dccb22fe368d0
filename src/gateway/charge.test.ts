import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Asked, Line } from "../../test/acquirer.ts";
import { claim } from "../../test/conformance/intents.ts";
import { idOf, installation, record, render, resultInWords, SALE } from "../../test/gateway-in-memory.ts";
import { at } from "../../test/transactions.ts";
import { amountOf } from "../payment/money.ts";
import { charge as chargeBy } from "./charge.ts";

const USD = record();
const OTHER = record();
const CAD = record({ currency: "CAD" });
const MERCHANT = USD.merchantId;

/** One node, before which the line to each processor is as given, for every charge. */
function node(lines: Readonly<Record<string, Line>> = {}, records = [USD]) {
  const { join, ...rest } = installation(records, {
    line: (processorId, type) => (type === "reversal" ? "answers" : (lines[processorId] ?? "answers")),
  });
  return { ...join(), ...rest };
}

describe("a charge", () => {
  for (const type of ["sale", "auth"] as const)
    test(`${type}: the processor is asked once, about a durable intent, and what it says is on record`, async () => {
      const { charge, find, books, parts } = node();
      const result = await charge({ type, amount: amountOf(250n) });
      assert.equal(resultInWords(result), `200 ${type} 250 approved`);
      const transaction = await find(idOf(result));
      const [event] = transaction.events;
      const settlement = { cutoffAt: at("1 22:00"), settledAt: at("2 02:00"), visibleAt: at("2 02:20") };
      assert.ok(event.outcome?.kind === "approved");
      assert.deepEqual(event.outcome.settlement, type === "sale" ? settlement : null);
      assert.match(event.outcome.processorResponse.transactionId ?? "", /^sim-/);
      assert.deepEqual(
        books.asked.map(({ reference, amount, given }) => [reference, amount, given]),
        [[event.id, 250n, "approved"]],
      );
      assert.equal(parts.inFlight.size, 0);
    });

  test("a decline is an answer like any other", async () => {
    const { charge } = node();
    assert.equal(resultInWords(await charge({ digits: "4000000000000002" })), "200 sale 100 declined");
  });

  test("what the routing refuses leaves no trace", async () => {
    const { charge, memory, books } = node();
    assert.equal(resultInWords(await charge({ processorId: OTHER.id })), "processor-unknown on processor_id");
    assert.deepEqual([memory.transactionsOf(MERCHANT), books.asked], [[], []]);
  });
});

describe("a charge without an answer is answered as unsuccessful, and taken back until the processor confirms it", () => {
  const rows: readonly (readonly [string, Line, string])[] = [
    ["the question is lost", "loses question", "4111111111111111"],
    ["the answer is lost", "loses answer", "4111111111111111"],
    ["the answer comes after the deadline", "answers late", "4111111111111111"],
    ["our own side breaks", "breaks", "4111111111111111"],
    ["the processor is silent", "answers", "4000000000000408"],
  ];
  for (const [name, line, digits] of rows)
    test(name, async () => {
      const { charge, books, resolve, memory } = node({ [USD.id]: line });
      const result = await charge({ digits });
      assert.equal(resultInWords(result), "200 sale 100 unanswered");
      const [entry] = books.entriesOf(idOf(result));
      assert.equal(entry?.reversed ?? false, false);
      assert.equal(await resolve(), 1);
      assert.equal(books.asked.at(-1)?.type, "reversal");
      for (const { reversed } of books.entriesOf(idOf(result))) assert.equal(reversed, true);
      assert.equal(memory.unresolved, 0);
      assert.equal(await resolve(), 0);
    });
});

describe("where nothing was sent, a drawn processor gives way to the next", () => {
  test("the second is asked, and the first's refusal stays on record", async () => {
    const { charge, find, books } = node({ [USD.id]: "refuses" }, [USD, OTHER]);
    const result = await charge();
    assert.equal(resultInWords(result), "200 sale 100 not-sent, sale 100 approved");
    const { events } = await find(idOf(result));
    assert.deepEqual(
      events.map(({ processorId, sequence }) => [processorId, sequence]),
      [
        [USD.id, 1],
        [OTHER.id, 2],
      ],
    );
    assert.notEqual(events[0].id, events[1]?.id);
    assert.deepEqual(
      books.asked.map(({ given }) => given),
      ["not-sent", "approved"],
    );
  });

  test("all of them refuse: 503, each attempt on record, nothing left to resolve", async () => {
    const { charge, parts, memory } = node({ [USD.id]: "refuses", [OTHER.id]: "refuses" }, [USD, OTHER]);
    assert.equal(resultInWords(await charge()), "503 sale 100 not-sent, sale 100 not-sent");
    assert.deepEqual([parts.inFlight.size, memory.unresolved], [0, 0]);
  });

  test("a named processor has no substitute", async () => {
    const { charge, books } = node({ [USD.id]: "refuses" }, [USD, OTHER]);
    assert.equal(resultInWords(await charge({ processorId: USD.id })), "503 sale 100 not-sent");
    assert.equal(books.asked.length, 1);
  });

  test("a decline is not tried elsewhere unless the routing says so, nor is silence", async () => {
    const declined = node({}, [USD, OTHER]);
    assert.equal(resultInWords(await declined.charge({ digits: "4000000000000002" })), "200 sale 100 declined");
    const silent = node({ [USD.id]: "loses question" }, [USD, OTHER]);
    assert.equal(resultInWords(await silent.charge()), "200 sale 100 unanswered");
    assert.deepEqual([declined.books.asked.length, silent.books.asked.length], [1, 1]);
  });

  test("follow-ups go to the processor that answered", async () => {
    const { charge, followUp, books } = node({ [USD.id]: "refuses" }, [USD, OTHER]);
    const id = idOf(await charge());
    assert.equal(
      resultInWords(await followUp("refund", id)),
      "200 sale 100 not-sent, sale 100 approved, refund 100 approved",
    );
    assert.equal(books.asked.at(-1)?.processorId, OTHER.id);
  });

  test("a processor of another currency is no substitute", async () => {
    const { charge } = node({ [USD.id]: "refuses" }, [USD, CAD]);
    assert.equal(resultInWords(await charge({ fields: { currency: "USD" } })), "503 sale 100 not-sent");
  });
});

test("a charge that was answered before, or looks like card testing, does not use up the one that may try a failing processor", async () => {
  const { charge, parts, clock } = node({}, [USD, OTHER]);
  const tester = { merchantId: MERCHANT, userId: "user", admit: async () => undefined };
  const again = { claim: claim("key") };
  const first = resultInWords(await charge(again));
  parts.failing.learn(USD.id, clock.now());
  clock.set(at("1 12:05"));
  const [atWork] = await parts.processors.of(MERCHANT);
  assert.ok(atWork);
  while (!parts.failing.admits(atWork)) await new Promise(setImmediate);
  for (let nth = 0; nth < 3; nth++) {
    assert.equal(resultInWords(await charge(again)), `replayed ${first}`);
    assert.ok(parts.failing.admits(atWork));
    const refused = await chargeBy(parts, tester, SALE, null, render);
    assert.equal(resultInWords(refused), "card-testing-suspected on base");
    assert.ok(parts.failing.admits(atWork));
  }
  await charge();
  assert.equal(parts.failing.since(USD.id), undefined);
});

test("follow-ups without an answer take no record out of the draw, and charges without one do", async () => {
  let silent: Asked["type"] = "refund";
  const { charge, followUp, parts } = installation([USD], {
    line: (_, type) => (type === silent ? "loses question" : "answers"),
  }).join();
  for (let nth = 0; nth < 5; nth++) await followUp("refund", idOf(await charge()));
  assert.equal(parts.failing.since(USD.id), undefined);
  silent = "sale";
  for (let nth = 0; nth < 5; nth++) await charge();
  assert.notEqual(parts.failing.since(USD.id), undefined);
});

test("a transaction's time is never before that of the one before it, whatever this node's clock says", async () => {
  const { charge, find, clock } = node();
  clock.set(at("1 13:00"));
  await charge();
  clock.set(at("1 12:00"));
  const { createdAt, events } = await find(idOf(await charge()));
  assert.deepEqual([createdAt, events[0].createdAt], [at("1 13:00"), at("1 13:00")]);
});
