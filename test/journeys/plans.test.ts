// Plans that are made, listed, moved and canceled: what is right, and what is wrong with each field.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { startTestGateway, told } from "./gateway.ts";
import {
  expectStatus,
  type Gateway,
  type Json,
  leg,
  merchantOf,
  NOBODY,
  newMerchant,
  passenger,
} from "./merchant.fixture.ts";
import { DAY_MS, plansOf, wordsOf } from "./plans.fixture.ts";

describe("a plan", () => {
  let gateway: Gateway;
  let plans: ReturnType<typeof plansOf>;
  let cardId: string;
  before(async () => {
    gateway = await startTestGateway();
    plans = plansOf(gateway);
    cardId = await plans.card({ first_name: "Jane", last_name: "Doe" });
  });
  after(() => gateway.close());

  const due = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();
  const post = async (over: Json = {}) => gateway.post("/api/plans", await plans.body({ card_id: cardId, ...over }));
  const pay = (days: number, amount: string): Json => ({ due_at: due(days), amount });
  const move = (id: string, ...payments: readonly Json[]) =>
    gateway.call("PATCH", `/api/plans/${id}`, { json: { payments } });
  const cancel = (id: string) => gateway.call("DELETE", `/api/plans/${id}`);

  test("comes back with its payments, their dates and amounts, and nothing of it is charged", async () => {
    const plan = await plans.make({ card_id: cardId });
    assert.deepEqual(
      plan.payments.map(({ due_at: _, next_charge_at: __, ...payment }: Json) => payment),
      [
        { number: 1, amount: "100.00", status: "scheduled", transaction_id: null, declines: 0, reason: null },
        {
          number: 2,
          amount: "400.00",
          rest: true,
          status: "scheduled",
          transaction_id: null,
          declines: 0,
          reason: null,
        },
      ],
    );
    const { status, total, charged, currency, merchant_transaction_id: order, processor_id: processor } = plan;
    assert.deepEqual(
      [status, total, charged, currency, order, processor],
      ["active", "500.00", "0.00", "USD", "order-77", null],
    );
    assert.deepEqual(await plans.find(plan.id), plan);
  });

  const WRONG: readonly (readonly [string, string, Json])[] = [
    [
      "without anything",
      "422 card_id merchant_transaction_id payments total",
      { card_id: null, merchant_transaction_id: null, payments: null, total: null },
    ],
    ["with a card that is not there", "422 card_id", { card_id: NOBODY }],
    ["with a processor that is not there", "422 processor_id", { processor_id: NOBODY }],
    ["in a currency that nobody charges in", "422 currency", { currency: "CHF" }],
    ["without payments", "422 payments", { payments: [] }],
    ["with too many", "422 payments", { payments: Array.from({ length: 61 }, (_, n) => pay(n, "1.00")) }],
    ["with a cent too little", "422 total", { payments: [pay(0, "100.00"), pay(1, "399.99")] }],
    ["with a cent too much", "422 total", { payments: [pay(0, "100.00"), pay(1, "400.01")] }],
    ["with nothing left for the rest", "422 total", { payments: [pay(0, "500.00"), { due_at: due(1), rest: true }] }],
    [
      "with a rest that is not the last",
      "422 payments.0.rest",
      { payments: [{ due_at: due(0), rest: true }, pay(1, "1.00")] },
    ],
    [
      "with two rests",
      "422 payments.0.rest",
      {
        payments: [
          { due_at: due(0), rest: true },
          { due_at: due(1), rest: true },
        ],
      },
    ],
    [
      "with an amount and rest",
      "422 payments.1.rest",
      { payments: [pay(0, "1.00"), { ...pay(1, "499.00"), rest: true }] },
    ],
    ["with neither", "422 payments.1.amount", { payments: [pay(0, "1.00"), { due_at: due(1) }] }],
    ["with rest: false", "422 payments.1.amount", { payments: [pay(0, "1.00"), { due_at: due(1), rest: false }] }],
    ["with an amount of nothing", "422 payments.0.amount", { payments: [pay(0, "0.00"), pay(1, "500.00")] }],
    ["with three decimals", "422 payments.0.amount", { payments: [pay(0, "0.005"), pay(1, "500.00")] }],
    ["in the past", "422 payments.0.due_at", { payments: [pay(-1, "100.00"), pay(1, "400.00")] }],
    ["too far ahead", "422 payments.1.due_at", { payments: [pay(0, "100.00"), pay(2_000, "400.00")] }],
    ["in the wrong order", "422 payments.1.due_at", { payments: [pay(2, "100.00"), pay(1, "400.00")] }],
    [
      "with a day instead of an instant",
      "422 payments.0.due_at",
      { payments: [{ due_at: "2039-05-01", amount: "100.00" }, pay(1, "400.00")] },
    ],
    ["with fares that add up to something else", "422 passenger_transport", { passenger_transport: [passenger()] }],
    ["with several mistakes", "422 payments.0.due_at total", { payments: [pay(-1, "1.00")] }],
    [
      "with its own card number in its order number",
      "422 merchant_transaction_id",
      { merchant_transaction_id: "4111111111111111 Jane" },
    ],
  ];
  for (const [what, answer, over] of WRONG)
    test(`is refused ${what}`, async () => assert.equal(told(await post(over)), answer));

  test("is refused at a processor that could not take its charges", async () => {
    const { processor } = merchantOf(gateway);
    const made = async (over: Json) => ({ processor_id: await processor(over) });
    const refused = async (over: Json, plan: Json = {}) => {
      const answer = await post({ ...(await made(over)), ...plan });
      return `${told(answer)} ${answer.headers.get("faregate-refusal")}`;
    };
    assert.equal(await refused({ enabled: false }), "422 processor_id processor-disabled");
    assert.equal(await refused({ requires: { document: true } }), "422 document_number document-required");
    assert.equal(await refused({ currency: "JPY" }, { total: "500.50" }), "422 total amount-not-in-currency");
    const halves = { payments: [pay(0, "100.50"), pay(1, "399.50")] };
    assert.equal(
      await refused({ currency: "JPY" }, halves),
      "422 payments.0.amount payments.1.amount amount-not-in-currency",
    );
    const withDocument = { ...(await made({ requires: { document: true } })), document_number: "111.444.777-35" };
    assert.equal(expectStatus(await post(withDocument), 201).body.plan.document_number, "111.444.777-35");
  });

  test("of an airline has whole fares, which come back, and each payment is enough for a part of each", async () => {
    const legs = [leg({ fare: "400.00" }), leg({ fare: "99.99" }), leg({ fare: "0.01" })];
    const answer = await post({ passenger_transport: [passenger({ legs })] });
    assert.equal(
      `${told(answer)} ${answer.headers.get("faregate-refusal")}`,
      "422 payments.0.amount payment-too-small",
    );
    const whole = [passenger({ legs: [leg({ fare: "400.00" }), leg({ fare: "100.00" })] })];
    const { plan } = expectStatus(await post({ passenger_transport: whole }), 201).body;
    assert.deepEqual(plan.passenger_transport, whole);
    const { plans: listed } = (await gateway.get("/api/plans")).body;
    assert.equal(listed.find(({ id }: Json) => id === plan.id).passenger_transport, undefined);
  });

  test("is made once under an idempotency key, and another body under that key is refused", async () => {
    const json = await plans.body({ card_id: cardId });
    const headers = { "idempotency-key": randomUUID() };
    const [first, again] = [
      await gateway.post("/api/plans", json, { headers }),
      await gateway.post("/api/plans", json, { headers }),
    ];
    assert.deepEqual([again.status, again.body, again.headers.get("idempotent-replayed")], [201, first.body, "true"]);
    const other = await gateway.post("/api/plans", { ...json, total: "501.00" }, { headers });
    assert.equal(other.headers.get("faregate-refusal"), "key-of-another-request");
    const key = { "idempotency-key": randomUUID() };
    const together = await Promise.all([1, 2, 3].map(() => gateway.post("/api/plans", json, { headers: key })));
    const made = together.filter(({ status }) => status === 201).map(({ body }) => body.plan.id);
    assert.equal(new Set(made).size, 1);
  });

  test("is moved, and its payments keep their order; what is wrong is told by its place", async () => {
    const { id } = await plans.make({ card_id: cardId });
    const moved = expectStatus(await move(id, { number: 2, due_at: due(20) }), 200).body.plan;
    assert.equal(moved.payments[1].due_at.slice(0, 19), due(20).slice(0, 19));
    assert.deepEqual(await plans.find(id), moved);
    for (const [answer, ...payments] of [
      ["422 payments.0.due_at", { number: 1, due_at: due(30) }],
      ["422 payments.0.due_at", { number: 1, due_at: due(-1) }],
      ["422 payments.0.number", { number: 3, due_at: due(30) }],
      ["422 payments.1.number", { number: 1, due_at: due(2) }, { number: 1, due_at: due(3) }],
      ["422 payments.0.due_at payments.0.number", { number: 0, due_at: "soon" }],
      ["422 payments"],
    ] as const)
      assert.equal(told(await move(id, ...payments)), answer, JSON.stringify(payments));
    assert.deepEqual(await plans.find(id), moved);
  });

  test("is canceled, again without harm, and then it neither moves nor charges", async () => {
    const { id } = await plans.make({ card_id: cardId });
    const canceled = expectStatus(await cancel(id), 200).body.plan;
    assert.deepEqual([canceled.status, ...wordsOf(canceled)], ["canceled", "canceled", "canceled"]);
    assert.deepEqual(expectStatus(await cancel(id), 200).body.plan, canceled);
    const moved = await move(id, { number: 1, due_at: due(2) });
    assert.deepEqual([moved.status, moved.headers.get("faregate-refusal")], [422, "plan-ended"]);
  });

  test("is its merchant's alone, on every path, and what is no id is no plan", async () => {
    const { id } = await plans.make({ card_id: cardId });
    const { token } = await newMerchant(gateway, {});
    for (const [method, path, json] of [
      ["GET", id, undefined],
      ["PATCH", id, { payments: [{ number: 1, due_at: due(2) }] }],
      ["DELETE", id, undefined],
      ["GET", NOBODY, undefined],
      ["GET", "none", undefined],
    ] as const)
      assert.equal(
        (await gateway.call(method, `/api/plans/${path}`, { json, ...(path === id && { token }) })).status,
        404,
      );
    assert.deepEqual((await gateway.get("/api/plans", { token })).body.plans, []);
    // Nor does another merchant's card make one.
    assert.equal(
      told(await gateway.post("/api/plans", await plans.body({ card_id: cardId }), { token })),
      "422 card_id",
    );
  });

  test("needs the scope charge to be made, moved and canceled, and read to be seen", async () => {
    const { token } = merchantOf(gateway);
    const { id } = await plans.make({ card_id: cardId });
    const [charges, reads, cards] = [
      await token({ scopes: ["charge"] }),
      await token({ scopes: ["read"] }),
      await token({ scopes: ["cards", "follow_up"] }),
    ];
    const statuses = async (token: string) => [
      (await gateway.post("/api/plans", await plans.body({ card_id: cardId }), { token })).status,
      (await gateway.get("/api/plans", { token })).status,
      (await gateway.get(`/api/plans/${id}`, { token })).status,
      (await gateway.call("PATCH", `/api/plans/${id}`, { token, json: { payments: [{ number: 2, due_at: due(12) }] } }))
        .status,
      (await gateway.call("DELETE", `/api/plans/${id}`, { token })).status,
    ];
    assert.deepEqual(await statuses(reads), [403, 200, 200, 403, 403]);
    assert.deepEqual(await statuses(cards), [403, 403, 403, 403, 403]);
    assert.deepEqual(await statuses(charges), [201, 403, 403, 200, 200]);
  });

  test("is listed by page, by card and by status; an unknown or empty filter is refused", async () => {
    const card_id = await plans.card();
    const [first, second] = [await plans.make({ card_id }), await plans.make({ card_id })];
    expectStatus(await cancel(first.id), 200);
    const list = async (query: string) => (await gateway.get(`/api/plans?${query}`)).body;
    const ids = async (query: string) => (await list(query)).plans.map(({ id }: { id: string }) => id);
    assert.deepEqual(await ids(`card_id=${card_id}`), [second.id, first.id]);
    assert.deepEqual(await ids(`card_id=${card_id}&status=canceled`), [first.id]);
    assert.deepEqual((await list(`card_id=${card_id}&page=2`)).plans, []);
    assert.equal((await list(`card_id=${card_id}`)).meta.total, 2);
    for (const query of ["card=1", "status=", "status=late", "card_id=1", "page=0"])
      assert.equal((await gateway.get(`/api/plans?${query}`)).status, 422, query);
  });

  test("is in the audit log when it is made, moved and canceled, without a name", async () => {
    const { id } = await plans.make({ card_id: cardId });
    expectStatus(await move(id, { number: 2, due_at: due(20) }), 200);
    expectStatus(await cancel(id), 200);
    const { entries } = (await gateway.operator("GET", `/operator/audit-log?subject=${id}`)).body;
    assert.deepEqual(
      entries.map(({ action, subject }: Json) => `${action} ${subject}`),
      ["plan.delete", "plan.change", "plan.create"].map((action) => `${action} plan ${id}`),
    );
    assert.doesNotMatch(JSON.stringify(entries), /Jane/);
  });
});
