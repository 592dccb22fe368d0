// What is answered where a processor is out of reach.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
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
});
