// Where a merchant's charges go: the operator's rules, the weighted draw, and what a try says of it.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { chiSquare, MOST_BY_CHANCE } from "../chi-square.ts";
import { startTestGateway, told } from "./gateway.ts";
import {
  expectStatus,
  type Gateway,
  type Json,
  NOBODY,
  newMerchant,
  type OwnMerchant,
  passenger,
  sale,
  transactionOf,
} from "./merchant.fixture.ts";

describe("routing", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  const pathOf = (merchantId: string) => `/operator/merchants/${merchantId}/routing`;
  const change = (merchantId: string, json: unknown) => gateway.operator("PATCH", pathOf(merchantId), json);
  const set = async ({ merchantId }: OwnMerchant, ...rules: readonly Json[]) =>
    expectStatus(await change(merchantId, { rules }), 200).body.routing;
  const attempt = async ({ merchantId }: OwnMerchant, json: Json = {}) => {
    const whole = { amount: "3.56", card_start: "41111111", ...json };
    return expectStatus(await gateway.operator("POST", `${pathOf(merchantId)}/try`, whole), 200).body.route;
  };
  const sell = async ({ token }: OwnMerchant, over: Json = {}) =>
    transactionOf(expectStatus(await gateway.post("/api/transactions/sale", sale(over), { token }), 200));
  const to = (...ids: readonly (string | undefined)[]) => ids.map((id) => ({ id }));

  test("rules replace all others under the next version, and the audit log has them", async () => {
    const { merchantId, processors } = await newMerchant(gateway, {}, {});
    const [first = "", second = ""] = processors;
    const shown = async () => expectStatus(await gateway.operator("GET", pathOf(merchantId)), 200).body.routing;
    assert.deepEqual(await shown(), { version: 0, rules: [], attempts_at_most: 1 });
    const when = {
      currencies: ["USD"],
      brands: ["visa"],
      card_ranges: ["411111-411199", "4"],
      countries: ["CA"],
      amount_at_least: "1.00",
      amount_at_most: "10.00",
      airline: false,
      meta: [{ name: "channel", values: ["app", "17"] }],
    };
    const given = {
      name: "All of it",
      when: { ...when, amount_at_least: 1, amount_at_most: "010", meta: [{ name: "channel", values: ["app", 17] }] },
      processors: [{ id: first.toUpperCase(), weight: 3 }, { id: second }],
    };
    const expected = {
      version: 1,
      rules: [
        {
          name: "All of it",
          when,
          processors: [
            { id: first, weight: 3 },
            { id: second, weight: 1 },
          ],
        },
      ],
      attempts_at_most: 1,
    };
    assert.deepEqual(expectStatus(await change(merchantId, { rules: [given] }), 200).body.routing, expected);
    assert.deepEqual(await shown(), expected);
    assert.equal(expectStatus(await change(merchantId, { rules: expected.rules }), 200).body.routing.version, 1);
    assert.equal(expectStatus(await change(merchantId, {}), 200).body.routing.version, 1);
    const none = { version: 2, rules: [], attempts_at_most: 1 };
    assert.deepEqual(expectStatus(await change(merchantId, { rules: [], version: 1 }), 200).body.routing, none);
    assert.equal(told(await change(merchantId, { rules: expected.rules, version: 1 })), "422 version");

    const { entries } = (await gateway.operator("GET", `/operator/audit-log?subject=${merchantId}`)).body;
    const changes = entries.filter(({ action }: Json) => action === "routing.change");
    assert.deepEqual(
      changes.map(({ before, after: now }: Json) => [before, now]),
      [
        [expected, none],
        [{ version: 0, rules: [], attempts_at_most: 1 }, expected],
      ],
    );
  });

  test("all that is wrong is named at once, by its place, and nothing changes", async () => {
    const own = await newMerchant(gateway, {});
    const others = gateway.sandbox.processors.usd ?? "";
    const [id] = own.processors;
    const rules = [
      { when: { currencies: ["XQQ", "usd"] }, processors: to(id) },
      { name: "x", when: { currencys: ["USD"], brands: ["visas"], countries: ["can"] }, processors: [] },
      { name: "y", when: { card_ranges: ["411111111"], amount_at_most: "0.001", meta: [{}] }, processors: [{}] },
      { name: "z", processors: [{ id, weight: -1 }], colour: "red" },
    ];
    const wrong = await change(own.merchantId, { rules });
    assert.deepEqual(told(wrong).split(" "), [
      "422",
      "rules.0.name",
      "rules.0.when.currencies.1",
      "rules.1.processors",
      "rules.1.when.brands.0",
      "rules.1.when.countries.0",
      "rules.1.when.currencys",
      "rules.2.processors.0.id",
      "rules.2.when.amount_at_most",
      "rules.2.when.card_ranges.0",
      "rules.2.when.meta.0.name",
      "rules.2.when.meta.0.values",
      "rules.3.colour",
      "rules.3.processors.0.weight",
    ]);
    const beyond = [
      { name: "a", when: { currencies: ["XQQ"], card_ranges: ["42-41", "4-4111"] }, processors: to(id, id) },
      { name: "b", when: { amount_at_least: "2.00", amount_at_most: "1.99" }, processors: to(others, NOBODY) },
      { name: "c", when: { amount_at_least: "0" }, processors: to(id) },
    ];
    assert.deepEqual(told(await change(own.merchantId, { rules: beyond })).split(" "), [
      "422",
      "rules.0.processors.1.id",
      "rules.0.when.card_ranges.0",
      "rules.0.when.card_ranges.1",
      "rules.0.when.currencies.0",
      "rules.1.processors.0.id",
      "rules.1.processors.1.id",
      "rules.1.when.amount_at_most",
      "rules.2.when.amount_at_least",
    ]);
    const many = Array.from({ length: 51 }, () => ({ name: "n", processors: to(id) }));
    assert.equal(told(await change(own.merchantId, { rules: many })), "422 rules");
    const { version } = (await gateway.operator("GET", pathOf(own.merchantId))).body.routing;
    assert.equal(version, 0);
    for (const nobody of [NOBODY, "x"]) {
      assert.equal(told(await gateway.operator("GET", pathOf(nobody))), "404 base");
      assert.equal(told(await change(nobody, { rules: [] })), "404 base");
      const json = { amount: "1.00", card_start: "41111111" };
      assert.equal(told(await gateway.operator("POST", `${pathOf(nobody)}/try`, json)), "404 base");
    }
  });

  test("a sale goes where the first rule says that applies to it, at once after the change", async () => {
    const own = await newMerchant(gateway, {}, {}, {}, {});
    const [airline, mobile, amex, rest] = own.processors;
    await sell(own);
    await set(
      own,
      { name: "Airline data", when: { airline: true }, processors: to(airline) },
      { name: "App", when: { meta: [{ name: "channel", values: ["app"] }] }, processors: to(mobile) },
      { name: "Amex from Canada", when: { brands: ["amex"], countries: ["CA"] }, processors: to(amex) },
      { name: "The rest", processors: to(rest) },
    );
    const flight = { amount: "100.00", passenger_transport: [passenger()] };
    const rows: readonly (readonly [Json, string | undefined])[] = [
      [flight, airline],
      [{ ...flight, meta: { channel: "app" } }, airline],
      [{ meta: { channel: "app" } }, mobile],
      [{ meta: { channel: "web" } }, rest],
      [{ card_number: "378282246310005", country: "CA" }, amex],
      [{ card_number: "378282246310005", country: "US" }, rest],
      [{ processor_id: amex }, amex],
      [{}, rest],
    ];
    for (const [over, expected] of rows)
      assert.equal((await sell(own, over)).processor_id, expected, JSON.stringify(over));
  });

  test("weights are kept, a try with the sale's id says where it went, and how often", async () => {
    const own = await newMerchant(gateway, {}, {});
    const [often, seldom] = own.processors;
    await set(own, {
      name: "Three in four",
      processors: [
        { id: often, weight: 3 },
        { id: seldom, weight: 1 },
      ],
    });
    const sales: Json[] = [];
    for (let nth = 0; nth < 10; nth++) sales.push(...(await Promise.all(Array.from({ length: 16 }, () => sell(own)))));
    const seen = own.processors.map((id) => sales.filter(({ processor_id }) => processor_id === id).length);
    assert.ok(chiSquare(seen, [120, 40]) < MOST_BY_CHANCE[1], String(seen));
    for (const { id, processor_id } of sales.slice(0, 10)) {
      const route = await attempt(own, { transaction_id: id });
      assert.deepEqual([route.transaction_id, route.processor_id, route.version], [id, processor_id, 1]);
      assert.deepEqual(
        [route.rule, route.refused, route.why],
        ["Three in four", [], ["Rule 1 (Three in four) decides."]],
      );
      const shares = new Map(route.order.map((one: Json) => [one.processor_id, [one.name, one.weight, one.share]]));
      assert.deepEqual(shares.get(often), ["Own", 3, 0.75]);
      assert.deepEqual(shares.get(seldom), ["Own", 1, 0.25]);
    }
  });

  test("without rules a draw follows from the transaction's id too", async () => {
    const own = await newMerchant(gateway, {}, {}, {});
    for (let nth = 0; nth < 8; nth++) {
      const { id, processor_id } = await sell(own);
      const route = await attempt(own, { transaction_id: id });
      assert.deepEqual([route.processor_id, route.version, route.rule], [processor_id, 0, null]);
    }
  });

  test("where nothing was sent, the others of the rule are tried, those without a weight last", async () => {
    const refusing = { settings: { refuse_connections: true } };
    const own = await newMerchant(gateway, refusing, refusing, {}, {});
    const [first, second, spare] = own.processors;
    await set(own, {
      name: "In turn",
      processors: [
        { id: spare, weight: 0 },
        { id: second, weight: 1 },
        { id: first, weight: 1_000 },
      ],
    });
    for (let nth = 0; nth < 3; nth++) {
      const { attempts, processor_id } = await sell(own);
      assert.equal(processor_id, spare);
      assert.deepEqual(attempts.map((one: Json) => one.processor_id).sort(), [first, second].sort());
    }
  });

  test("a try says what a charge lacks, by its own words", async () => {
    const own = await newMerchant(gateway, { requires: { cvv: ["visa"] } }, { currency: "CAD", in_rotation: false });
    const route = await attempt(own, { cvv: false });
    assert.deepEqual([route.processor_id, route.order, route.refused], [null, [], ["cvv-required"]]);
    assert.deepEqual(route.why, [
      "Own cannot take the charge: it needs card_cvv.",
      "Own cannot take the charge: it is not in rotation.",
    ]);
    const named = await attempt(own, { processor_id: own.processors[1] });
    assert.equal(named.processor_id, own.processors[1]);
    const path = `${pathOf(own.merchantId)}/try`;
    assert.equal(told(await gateway.operator("POST", path, {})), "422 amount card_start");
    const wrong = {
      amount: "0.00",
      card_start: "4111111111111111",
      currency: "usd",
      transaction_id: "x",
      airline: "maybe",
    };
    assert.equal(told(await gateway.operator("POST", path, wrong)), "422 airline card_start currency transaction_id");
    assert.equal(told(await gateway.operator("POST", path, { amount: "0.00", card_start: "41111111" })), "422 amount");
    const before = await gateway.get("/api/transactions", { token: own.token });
    assert.deepEqual(before.body.transactions, []);
  });

  describe("a processor that fails", () => {
    /** Two records, of which the first is drawn as long as it is in the draw. */
    const pair = async (settings: Json) => {
      const own = await newMerchant(gateway, { settings }, {});
      const [bad, good] = own.processors;
      const inTurn = [
        { id: bad, weight: 1 },
        { id: good, weight: 0 },
      ];
      await set(own, { name: "In turn", processors: inTurn });
      return { own, bad, good };
    };
    const failingSince = async ({ token }: OwnMerchant) =>
      (await gateway.get("/api/processors", { token })).body.processors.map((one: Json) => one.failing_since);
    const later = async (seconds: number) => {
      const { now } = (await gateway.operator("GET", "/operator/clock")).body;
      const moved = new Date(Date.parse(now) + seconds * 1_000).toISOString();
      expectStatus(await gateway.operator("POST", "/operator/clock", { now: moved }), 200);
    };

    test("is taken out of the draw, shown, and back in as soon as it takes a charge again", async () => {
      const { own, bad, good } = await pair({ refuse_connections: true });
      for (let nth = 0; nth < 5; nth++) {
        assert.deepEqual(await failingSince(own), [null, null]);
        assert.deepEqual((await sell(own)).attempts.length, 1);
      }
      const [since, other] = await failingSince(own);
      assert.match(since, /^\d{4}-\d{2}-\d{2}T/);
      assert.equal(other, null);
      for (let nth = 0; nth < 3; nth++) {
        const { processor_id, attempts } = await sell(own);
        assert.deepEqual([processor_id, attempts], [good, undefined]);
      }
      const route = await attempt(own);
      assert.deepEqual(
        route.order.map(({ processor_id, share }: Json) => [processor_id, share]),
        [
          [good, 1],
          [bad, 0],
        ],
      );
      assert.equal(route.why.at(-1), "Own is out of the draw, because charges fail there: it is tried last.");

      // Its processor is asked whether it answers, and does not.
      await later(2);
      for (let nth = 0; nth < 2; nth++) assert.equal((await sell(own)).attempts, undefined);
      await gateway.operator("PATCH", `/operator/processors/${bad}`, { settings: { refuse_connections: false } });
      await later(4);
      assert.equal((await sell(own)).processor_id, good);
      assert.equal((await sell(own)).processor_id, bad);
      assert.deepEqual(await failingSince(own), [null, null]);
      assert.equal((await sell(own)).processor_id, bad);
    });

    test("costs one charge at a time to find out that it still does not answer", async () => {
      const { own, bad, good } = await pair({ silent_operations: ["sale"], timeout_ms: 100 });
      const first = await Promise.all(Array.from({ length: 5 }, () => sell(own)));
      for (const { processor_id, events } of first) assert.deepEqual([processor_id, events[0].status], [bad, "error"]);
      assert.equal((await sell(own)).processor_id, good);
      await later(2);
      // It says that it is there; the next charge finds out more.
      assert.equal((await sell(own)).processor_id, good);
      const some = await Promise.all(Array.from({ length: 6 }, () => sell(own)));
      assert.deepEqual(some.map(({ processor_id }) => processor_id).filter((id) => id === bad).length, 1);
      assert.equal((await sell(own)).processor_id, good);
      assert.notEqual((await failingSince(own))[0], null);
    });

    test("is asked where a charge names it, and where there is no other", async () => {
      const own = await newMerchant(gateway, { settings: { refuse_connections: true } });
      const [only] = own.processors;
      for (let nth = 0; nth < 6; nth++)
        assert.equal((await gateway.post("/api/transactions/sale", sale(), { token: own.token })).status, 503);
      assert.notEqual((await failingSince(own))[0], null);
      await gateway.operator("PATCH", `/operator/processors/${only}`, { settings: { refuse_connections: false } });
      assert.equal((await sell(own, { processor_id: only })).processor_id, only);
      assert.deepEqual(await failingSince(own), [null]);
    });
  });
});
