// Who waits for whom among endpoints: those that answer soon for nobody, and no merchant for another.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { withDeliveries } from "../../test/fixtures/delivering.ts";
import { until } from "../../test/receiver.ts";

/** An answer after 15 seconds is none, and this is far below. */
const SOON_MS = 8_000;

describe("fair delivery of webhooks", () => {
  const { world } = withDeliveries();

  test("64 endpoints that accept and never answer keep no other merchant waiting", () =>
    world(async ({ merchant, receiver, endpoint, deliver, happen }) => {
      const [silent, shop] = [await receiver(), await receiver()];
      silent.answer = () => undefined;
      for (let n = 0; n < 4; n++) {
        const hostile = await merchant();
        for (let m = 0; m < 16; m++) await endpoint(hostile, silent);
        for (let m = 0; m < 3; m++) await happen(hostile);
      }
      const honest = await merchant();
      await endpoint(honest, shop);
      deliver();
      await until("the silent ones have some", () => silent.received.length >= 64);
      const started = performance.now();
      await happen(honest);
      await shop.got(1);
      const tookMs = performance.now() - started;
      assert.ok(tookMs < SOON_MS, `${tookMs} ms`);
    }));

  test("a merchant's own slow endpoints keep its quick one waiting no longer than a turn takes", () =>
    world(async ({ merchant, receiver, endpoint, deliver, happen, ended }) => {
      const [silent, shop, merchantId] = [await receiver(), await receiver(), await merchant()];
      silent.answer = () => undefined;
      for (let m = 0; m < 15; m++) await endpoint(merchantId, silent);
      const { id } = await endpoint(merchantId, shop);
      for (let m = 0; m < 40; m++) await happen(merchantId);
      deliver();
      const started = performance.now();
      await ended(id);
      const tookMs = performance.now() - started;
      assert.ok(tookMs < SOON_MS, `${tookMs} ms`);
    }));

  test("of bodies of a megabyte few are in hand at once, and small ones of others go by", () =>
    world(async ({ merchant, receiver, endpoint, deliver, happen }) => {
      const [silent, shop] = [await receiver(), await receiver()];
      silent.answer = () => undefined;
      for (let n = 0; n < 6; n++) {
        const hostile = await merchant();
        for (let m = 0; m < 2; m++) await endpoint(hostile, silent);
        for (let m = 0; m < 10; m++) await happen(hostile);
      }
      const honest = await merchant();
      await endpoint(honest, shop);
      const filler = "x".repeat(1_000_000);
      const represent = async ({ id, merchantId }: { readonly id: string; readonly merchantId: string }) =>
        merchantId === honest ? { id } : { id, filler };
      deliver({ represent });
      await until("as many as may are sent", () => silent.received.length >= 12);
      for (let m = 0; m < 10; m++) await happen(honest);
      await shop.got(10);
      assert.ok(silent.received.length <= 24, `${silent.received.length} in hand`);
    }));
});
