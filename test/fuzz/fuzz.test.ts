// Some hundreds of the inputs of `npm run fuzz`; and that a harmful answer would be noticed.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startTestGateway } from "../journeys/gateway.ts";
import { SECRET_CARD } from "../journeys/harmless.fixture.ts";
import { type Gateway, merchantOf } from "../journeys/merchant.fixture.ts";
import { SEED, sized } from "../random.ts";
import { fuzz, judge } from "./fuzz.ts";
import { inputOf } from "./input.ts";
import { seedsFor } from "./seeds.ts";

describe("mutated requests", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  test("do no harm", async (t) => {
    const seeds = await seedsFor(gateway);
    const inputs = sized(600, 20_000);
    const { found, tally } = await fuzz({
      url: gateway.url,
      seeds,
      seed: SEED,
      first: 0,
      inputs,
      boundMs: 30_000,
      atOnce: 16,
    });
    t.diagnostic([...tally].map(([status, count]) => `${count} × ${status}`).join(", "));
    assert.deepEqual(found, []);
    // A generator that makes one kind of input only would show.
    for (const status of ["200", "201", "400", "401", "404", "422"])
      assert.ok((tally.get(status) ?? 0) > inputs / 150, status);
    await merchantOf(gateway).charged("sale", {
      amount: "1.00",
      card_number: "4111111111111111",
      card_expiry_month: "12",
      card_expiry_year: "2039",
      merchant_transaction_id: "after",
      ip_address: "::1",
    });
  });

  test("the same seed makes the same inputs, another one others", async () => {
    const seeds = await seedsFor(gateway);
    const made = (seed: number) => Array.from({ length: 50 }, (_, nth) => inputOf(seeds, seed, nth));
    assert.deepEqual(made(7), made(7));
    assert.notDeepEqual(made(7), made(8));
  });
});

test("an answer that does harm is noticed", () => {
  const headers = "content-type\napplication/json; charset=utf-8";
  const error = (message: object, status = 422) => ({
    status,
    headers,
    text: JSON.stringify({ error: { status, code: "invalid-request", message }, debug: [] }),
  });
  judge({ method: "POST" }, error({ base: ["It is wrong."] }));
  for (const received of [
    error({ fatal: ["Something broke."] }, 500),
    error({ base: ["at charge (/srv/src/gateway/charge.ts:12:3)"] }),
    error({ base: ['relation "merchants" does not exist'] }),
    error({ card_number: [`${SECRET_CARD} is wrong`] }),
    { status: 422, headers, text: "{}" },
    { status: 200, headers, text: `{"card":"${SECRET_CARD}"}` },
  ])
    assert.throws(() => judge({ method: "POST" }, received), JSON.stringify(received));
});
