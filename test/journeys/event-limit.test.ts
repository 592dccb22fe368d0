// How many events a transaction takes over HTTP, what its merchant is told, and what a request costs that comes late.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startTestGateway } from "./gateway.ts";
import { expectStatus, type Gateway, leg, merchantOf, passenger, sale, transactionOf } from "./merchant.fixture.ts";

describe("a transaction takes so many events", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  /** As if its newest event had been asked for again and again, until there are so many. */
  async function grownTo(events: number, id: string): Promise<void> {
    await gateway.pool.unsafe(
      `with last as (select * from events where transaction_id = $1 order by sequence desc limit 1),
         places as (select last.*, place from last, generate_series(last.sequence + 1, $2::int) as place),
         added as (
           insert into events (merchant_id, transaction_id, sequence, id, type, amount, shares, processor_id, ip_address,
             reversal, node_id, created_at)
           select merchant_id, transaction_id, place, gen_random_uuid(), type, amount, shares, processor_id, ip_address,
             reversal, node_id, created_at from places)
       insert into outcomes
       select (jsonb_populate_record(o, jsonb_build_object('sequence', p.place))).*
       from places p join outcomes o on o.transaction_id = p.transaction_id and o.sequence = p.sequence`,
      [id, events],
    );
  }

  test("of 500 the last follow-up is taken, the next refused, and a reversal gives back what is left", async () => {
    const { charged, follow, found } = merchantOf(gateway);
    const { id } = await charged("sale", sale({ amount: "10.00" }));
    expectStatus(await follow(id, "refund", { amount: "0.01" }), 200);
    await grownTo(499, id);
    expectStatus(await follow(id, "refund", { amount: "0.01" }), 200);
    const { events, actions } = await found(id);
    assert.equal(events.length, 500);
    assert.deepEqual([actions.refund.reason, actions.reversal.allowed], ["too-many-events", true]);
    const { body } = expectStatus(await follow(id, "refund", { amount: "0.01" }), 422);
    assert.match(body.error.message.base[0], /500 events.*reversal/);
    const { events: after } = transactionOf(expectStatus(await follow(id, "reversal"), 200));
    assert.deepEqual([after.length, after[0].amount, after[0].success], [501, "5.01", true]);
  });

  test("a follow-up on a hundred passengers after 200 events costs a few hundred milliseconds at most", async () => {
    const { charged, follow } = merchantOf(gateway);
    const passengers = Array.from({ length: 100 }, () => passenger({ legs: [leg({ fare: "10.00" })] }));
    const charge = await charged("sale", sale({ amount: "1000.00", passenger_transport: passengers }));
    const refund = {
      amount: "1.00",
      passenger_transport: charge.passengers.map(({ id }: { id: string }) => ({ passenger_id: id, amount: "0.01" })),
    };
    expectStatus(await follow(charge.id, "refund", refund), 200);
    await grownTo(200, charge.id);
    expectStatus(await follow(charge.id, "refund", refund), 200);
    const before = process.cpuUsage();
    expectStatus(await follow(charge.id, "refund", refund), 200);
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < 500_000, `${(user + system) / 1_000} ms of processor time`);
  });
});
