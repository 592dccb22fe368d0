// What is answered where a processor is out of reach.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { linesOfCsv } from "./csv.fixture.ts";
import { type Request, startTestGateway, told } from "./gateway.ts";
import {
  expectStatus,
  type Gateway,
  type Json,
  merchantOf,
  newMerchant,
  sale,
  transactionOf,
} from "./merchant.fixture.ts";

const SALE = "/api/transactions/sale";

describe("processors that are out of reach", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  const charge = (over: Json, request: Request = {}) => gateway.post(SALE, sale(over), request);

  test("503: a processor that was named and is out of reach; the attempt is on record", async () => {
    const { processor } = merchantOf(gateway);
    const processor_id = await processor({ settings: { refuse_connections: true } });
    const answer = await charge({ processor_id, merchant_transaction_id: "unreached" });
    assert.equal(told(answer), "503 base");
    const { transactions } = (await gateway.get("/api/transactions?search[merchant_transaction_id]=unreached")).body;
    assert.match(answer.body.error.message.base[0], new RegExp(` in transaction ${transactions[0].id}\\.$`));
    const { success, status, processor_code } = transactions[0].events[0];
    assert.deepEqual([success, status, processor_code], [false, "error", "91"]);
  });

  test("a drawn processor that is out of reach makes way for another", async () => {
    const refusing = { settings: { refuse_connections: true } };
    const { token, processors } = await newMerchant(gateway, refusing, {}, refusing);
    for (let sales = 0; sales < 12; sales++) {
      const transaction = transactionOf(expectStatus(await charge({}, { token }), 200));
      assert.deepEqual([transaction.processor_id, transaction.events[0].success], [processors[1], true]);
    }
  });

  test("a charge that another processor took is one event, whatever was tried before it", async () => {
    const refusing = { settings: { refuse_connections: true } };
    const { token, processors } = await newMerchant(gateway, refusing, {}, refusing);
    const [first, taking, second] = processors;
    const tried = new Set<string>();
    for (let sales = 0; sales < 12; sales++) {
      const transaction = transactionOf(expectStatus(await charge({}, { token }), 200));
      const { events, attempts = [] } = transaction;
      assert.deepEqual(
        events.map(({ event_type, success }: Json) => [event_type, success]),
        [["sale", true]],
      );
      for (const attempt of attempts) {
        const { created_at: _, processor_id: id, ...said } = attempt;
        const nothing = { processor_code: null, processor_message: null, processor_transaction_id: null };
        assert.deepEqual(said, { reason: "out_of_reach", ...nothing, decline_category: null });
        assert.equal(typeof id, "string");
        tried.add(attempt.processor_id);
      }
      const found = transactionOf(await gateway.get(`/api/transactions/${transaction.id}`, { token }));
      assert.deepEqual([found.events, found.attempts, found.processor_id], [events, transaction.attempts, taking]);
    }
    // That twelve draws of three all begin with the one that takes it is one in half a million.
    assert.ok([...tried].every((id) => id === first || id === second) && tried.size > 0);
    const csv = await gateway.get("/api/transactions?format=csv", { token });
    const [header = [], ...lines] = linesOfCsv(csv.text);
    assert.ok(lines.length > 0 && lines.every((line) => line[header.indexOf("events")] === "1"));
  });

  test("a charge that no processor took is one event in error, with what was tried before it", async () => {
    const refusing = { settings: { refuse_connections: true } };
    const { token, processors } = await newMerchant(gateway, refusing, refusing);
    assert.equal(told(await charge({ merchant_transaction_id: "nobody" }, { token })), "503 base");
    const [transaction] = (await gateway.get("/api/transactions", { token })).body.transactions;
    assert.deepEqual(
      transaction.events.map(({ event_type, status }: Json) => [event_type, status]),
      [["sale", "error"]],
    );
    assert.equal(transaction.attempts.length, 1);
    assert.deepEqual([transaction.attempts[0].processor_id, transaction.processor_id].sort(), [...processors].sort());
  });
});
