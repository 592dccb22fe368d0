// Somebody tries card numbers with small charges: refused before anything is sent, seen and set by the operator.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { cardNumber, passesLuhn } from "../../src/payment/card.ts";
import { type Answer, startTestGateway, told } from "./gateway.ts";
import { stored } from "./harmless.fixture.ts";
import { expectStatus, type Gateway, NOBODY, newMerchant, sale } from "./merchant.fixture.ts";
import { type Installation, newInstallation } from "./nodes.fixture.ts";

/** What fails Luhn's check is declined, the others are approved. */
function guessed(count: number, range: string, wanted: (digits: string) => boolean): string[] {
  const found: string[] = [];
  for (let nth = 0; found.length < count; nth++) {
    const digits = range + String(nth * 7).padStart(10, "0");
    if (wanted(digits)) found.push(digits);
  }
  return found;
}
const fails = (digits: string) => !passesLuhn(cardNumber(digits));
const holds = (digits: string) => !fails(digits);

describe("card testing", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  const burst = async (token: string, cards: readonly string[], over: object = {}) => {
    const answers: Answer[] = [];
    for (let nth = 0; nth < cards.length; nth += 20)
      answers.push(
        ...(await Promise.all(
          cards.slice(nth, nth + 20).map((card_number) => {
            const body = sale({ amount: "1.00", card_number, ip_address: null, ...over });
            return gateway.post("/api/transactions/auth", body, { token });
          }),
        )),
      );
    return answers;
  };
  /** What is noted in the background is there within a second. */
  const noted = async (merchantId: string, refused: number) => {
    for (let left = 40; ; left--) {
      const { body } = expectStatus(
        await gateway.operator("GET", `/operator/card-testing?merchant=${merchantId}`),
        200,
      );
      const [first] = body.card_testing;
      if (first?.refused === refused || left === 0) return first;
      await sleep(50);
    }
  };

  test("a hundred declined cards of one range: 429 within fifty, and nothing of those is stored", async () => {
    const { token, merchantId } = await newMerchant(gateway, {});
    const { transactions: before = 0 } = await stored(gateway.pool);
    const answers = await burst(token, guessed(100, "422222", fails));
    const refused = answers.filter(({ status }) => status === 429);
    const { transactions: now = 0 } = await stored(gateway.pool);
    assert.equal(now - before, 100 - refused.length);
    assert.ok(refused.length >= 50, `${refused.length}`);
    const [first] = refused;
    assert.equal(first && told(first), "429 base");
    assert.equal(first?.headers.get("retry-after"), "600");

    const report = await noted(merchantId, refused.length);
    assert.deepEqual(
      { ...report, cards: 0, declined: 0, slowed: 0, refused: 0, first_at: "", newest_at: "" },
      {
        merchant_id: merchantId,
        signal: "range",
        shown: "422222**********",
        ...{ cards: 0, declined: 0, slowed: 0, refused: 0, first_at: "", newest_at: "" },
      },
    );
    assert.ok(report.refused === refused.length && report.slowed > 0 && report.cards >= 40, JSON.stringify(report));
    // Others are served on.
    const [other = ""] = guessed(1, "433333", holds);
    expectStatus((await burst(token, [other], { amount: "20.00" }))[0] as Answer, 200);
    const own = await gateway.post(
      "/api/transactions/sale",
      sale({ amount: "1.00", card_number: guessed(1, "4222227", holds)[0] }),
    );
    expectStatus(own, 200);
  });

  test("the answer to a repeated request stays what it was", async () => {
    const { token } = await newMerchant(gateway, {});
    const [first = "", ...others] = guessed(80, "444444", fails);
    const json = sale({ amount: "1.00", card_number: first });
    const keyed = { token, headers: { "idempotency-key": "once" } };
    const before = await gateway.post("/api/transactions/sale", json, keyed);
    await burst(token, others);
    assert.equal((await gateway.post("/api/transactions/sale", json, { token })).status, 429);
    const again = await gateway.post("/api/transactions/sale", json, keyed);
    assert.deepEqual([again.status, again.text], [200, before.text]);
  });

  test("in the sandbox as many cards as one likes are approved, unless the operator sets it otherwise", async () => {
    const { token, merchantId } = await newMerchant(gateway, {});
    const cards = guessed(160, "455555", holds);
    assert.deepEqual([...new Set((await burst(token, cards.slice(0, 80))).map(({ status }) => status))], [200]);
    const path = `/operator/merchants/${merchantId}/card-testing`;
    const shown = expectStatus(await gateway.operator("GET", path), 200).body.card_testing;
    assert.deepEqual(shown, {
      enabled: true,
      cards_per_range: 40,
      window_minutes: 10,
      small_amount: "10.00",
      without_declines: false,
    });
    const changed = expectStatus(
      await gateway.operator("PATCH", path, { without_declines: true, small_amount: 5 }),
      200,
    );
    const expected = { ...shown, without_declines: true, small_amount: "5.00" };
    assert.deepEqual(changed.body.card_testing, expected);
    assert.deepEqual(expectStatus(await gateway.operator("GET", path), 200).body.card_testing, expected);
    // Known within a second.
    await sleep(1_000);
    const answers = await burst(token, cards.slice(80));
    assert.ok(answers.every(({ status }) => status === 429));
    expectStatus(await gateway.operator("PATCH", path, { enabled: false }), 200);
    await sleep(1_000);
    assert.equal((await burst(token, cards.slice(80, 81)))[0]?.status, 200);
    const { entries } = (await gateway.operator("GET", `/operator/audit-log?subject=${merchantId}`)).body;
    assert.deepEqual(
      [entries[1].action, entries[1].before, entries[1].after],
      ["card-testing.change", shown, expected],
    );
  });

  test("wrong settings are named, and nobody's are not found", async () => {
    const path = `/operator/merchants/${gateway.sandbox.merchant_id}/card-testing`;
    const wrong = {
      enabled: "maybe",
      cards_per_range: 9,
      window_minutes: 61,
      small_amount: "0.001",
      without_declines: 2,
    };
    const names = "422 cards_per_range enabled small_amount window_minutes without_declines";
    assert.equal(told(await gateway.operator("PATCH", path, wrong)), names);
    assert.equal(told(await gateway.operator("PATCH", path, { small_amount: "0.00" })), "422 small_amount");
    for (const id of [NOBODY, "x"])
      for (const method of ["GET", "PATCH"])
        assert.equal(
          told(
            await gateway.operator(method, `/operator/merchants/${id}/card-testing`, method === "GET" ? undefined : {}),
          ),
          "404 base",
        );
  });
});

describe("card testing on two nodes", () => {
  let installation: Installation;
  let nodes: readonly [Gateway, Gateway];
  before(async () => {
    installation = await newInstallation();
    nodes = [await installation.startNode(), await installation.startNode()];
  });
  after(async () => {
    await Promise.all(nodes.map((node) => node.close()));
    await installation.remove();
  });

  test("what one has counted the other knows within a second: half and half gets no further than on one", async () => {
    const { token } = await newMerchant(nodes[0], {});
    const cards = guessed(70, "466666", fails);
    const through = async (node: Gateway, some: readonly string[]) => {
      const answers = await Promise.all(
        some.map((card_number) =>
          node.post("/api/transactions/sale", sale({ amount: "1.00", card_number }), { token }),
        ),
      );
      return answers.filter(({ status }) => status === 200).length;
    };
    assert.equal(await through(nodes[0], cards.slice(0, 35)), 35);
    await sleep(1_500);
    const others = await through(nodes[1], cards.slice(35));
    assert.ok(others <= 15, `${others}`);
  });
});
