// A charge that is declined goes on to the next processor, where the merchant's routing says so.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { answered, kill, saleAttempt, startProcess, tryOnce, until } from "./crash.fixture.ts";
import { startTestGateway, told } from "./gateway.ts";
import {
  expectStatus,
  type Gateway,
  type Json,
  newMerchant,
  type OwnMerchant,
  sale,
  transactionOf,
} from "./merchant.fixture.ts";
import { usedFolder } from "./used-folder.ts";

const declines = (declines_with: string) => ({ settings: { declines_with } });

/** One rule that names the merchant's records in their order. */
const inOrder = (ids: readonly string[]): Json => ({
  rules: [{ name: "In order", processors: ids.map((id) => ({ id, weight: 0 })) }],
});

describe("going on after a decline", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  const pathOf = ({ merchantId }: OwnMerchant) => `/operator/merchants/${merchantId}/routing`;
  const set = async (own: OwnMerchant, json: Json) =>
    expectStatus(await gateway.operator("PATCH", pathOf(own), json), 200).body.routing;
  const merchantWith = async (attempts_at_most: number, ...records: readonly Json[]) => {
    const own = await newMerchant(gateway, ...records);
    await set(own, { ...inOrder(own.processors), attempts_at_most });
    return own;
  };
  const sell = async ({ token }: OwnMerchant, over: Json = {}, headers: Readonly<Record<string, string>> = {}) =>
    expectStatus(await gateway.post("/api/transactions/sale", sale(over), { token, headers }), 200);

  test("one charge event, of the processor that approved; the declines before it are attempts", async () => {
    const own = await merchantWith(3, declines("05"), declines("03"), {});
    const [first, second, third] = own.processors;
    const response = await sell(own, {}, { "idempotency-key": "one" });
    const { id, processor_id, events, attempts } = transactionOf(response);
    assert.deepEqual([processor_id, events.length, events[0].status], [third, 1, "pending_settlement"]);
    assert.deepEqual(
      attempts.map(({ created_at, processor_transaction_id, ...rest }: Json) => {
        assert.match(String(created_at), /^\d{4}-\d{2}-\d{2}T/);
        assert.match(String(processor_transaction_id), /^sim-/);
        return rest;
      }),
      [
        {
          processor_id: first,
          reason: "declined",
          processor_code: "05",
          processor_message: "DO NOT HONOR",
          decline_category: "refused",
        },
        {
          processor_id: second,
          reason: "declined",
          processor_code: "03",
          processor_message: "INVALID MERCHANT",
          decline_category: "configuration",
        },
      ],
    );
    const again = await sell(own, {}, { "idempotency-key": "one" });
    assert.deepEqual([again.text, again.headers.get("idempotent-replayed")], [response.text, "true"]);
    const shown = transactionOf(await gateway.get(`/api/transactions/${id}`, { token: own.token }));
    assert.deepEqual([shown.events, shown.attempts], [events, attempts]);
    const refund = await gateway.post(`/api/transactions/${id}/void`, {}, { token: own.token });
    assert.equal(transactionOf(expectStatus(refund, 200)).events[0].success, true);
  });

  test("off unless it is set; a change is a version of its own, in the audit log, and a try shows it", async () => {
    const own = await newMerchant(gateway, declines("05"), {});
    await set(own, inOrder(own.processors));
    assert.deepEqual(transactionOf(await sell(own)).attempts, undefined);
    const changed = await set(own, { attempts_at_most: 2 });
    assert.deepEqual([changed.version, changed.attempts_at_most, changed.rules.length], [2, 2, 1]);
    assert.equal(transactionOf(await sell(own)).attempts.length, 1);
    const json = { amount: "3.56", card_start: "41111111" };
    const tried = expectStatus(await gateway.operator("POST", `${pathOf(own)}/try`, json), 200).body.route;
    assert.equal(tried.attempts_at_most, 2);
    assert.equal(tried.why.at(-1), "After a decline that another may not give, the next one is asked: 2 at most.");
    const { entries } = (await gateway.operator("GET", `/operator/audit-log?subject=${own.merchantId}`)).body;
    assert.deepEqual(
      entries
        .filter(({ action }: Json) => action === "routing.change")
        .map(({ before: was, after: is }: { before: Json; after: Json }) => [
          was.attempts_at_most,
          is.attempts_at_most,
        ]),
      [
        [1, 2],
        [1, 1],
      ],
    );
    for (const wrong of [0, 6, 1.5, "many"])
      assert.equal(
        told(await gateway.operator("PATCH", pathOf(own), { attempts_at_most: wrong })),
        "422 attempts_at_most",
      );
  });

  test("cards of the simulator's table: what is the card's own ends it, at whatever processor", async () => {
    const own = await merchantWith(2, {}, {});
    const attemptsWith = async (card_number: string) =>
      (transactionOf(await sell(own, { card_number })).attempts ?? []).length;
    for (const [card, attempts] of [
      ["4000000000000002", 1],
      ["4000000000000911", 1],
      ["4000000000000119", 1],
      ["4000000000009995", 0],
      ["4000000000000069", 0],
      ["4000000000000127", 0],
      ["4000000000000408", 0],
    ] as const) {
      if (card === "4000000000000408")
        await Promise.all(
          own.processors.map((id) =>
            gateway.operator("PATCH", `/operator/processors/${id}`, { settings: { timeout_ms: 100 } }),
          ),
        );
      assert.equal(await attemptsWith(card), attempts, card);
    }
  });

  test("if the next one is out of reach, the decline is the charge, and no 503 says that nothing was sent", async () => {
    const own = await merchantWith(2, declines("05"), { settings: { refuse_connections: true } });
    const { processor_id, events, attempts } = transactionOf(await sell(own));
    assert.deepEqual([processor_id, events.length, events[0].status], [own.processors[0], 1, "declined"]);
    assert.deepEqual(
      attempts.map(({ processor_id: id, reason, processor_code }: Json) => [id, reason, processor_code]),
      [[own.processors[1], "out_of_reach", null]],
    );
  });

  test("the tries of a card are counted durably, by a keyed hash that is no number", async () => {
    const own = await merchantWith(2, declines("05"), declines("05"));
    const card_number = "5555555555554444";
    const lengths: number[] = [];
    for (let nth = 0; nth < 6; nth++)
      lengths.push((transactionOf(await sell(own, { card_number })).attempts ?? []).length);
    assert.deepEqual(lengths, [1, 1, 1, 1, 1, 0]);
    const rows = await gateway.pool`
      select encode(card, 'hex') as card from charged_cards where merchant_id = ${own.merchantId}`;
    assert.equal(rows.length, 6);
    assert.equal(new Set(rows.map(({ card }) => card)).size, 1);
    assert.match(String(rows[0]?.card), /^[0-9a-f]{64}$/);
  });
});

test("kill -9 between a decline and the next answer: that one is taken back, nobody else is asked", async (t) => {
  const folder = await usedFolder(t);
  const gateway = await startProcess(t, folder);
  const own = await newMerchant(gateway, declines("05"), { settings: { latency_ms: 60_000, timeout_ms: 60_000 } }, {});
  const routing = { ...inOrder(own.processors), attempts_at_most: 3 };
  expectStatus(await gateway.operator("PATCH", `/operator/merchants/${own.merchantId}/routing`, routing), 200);
  const asOwn = {
    ...gateway,
    post: (path: string, json?: unknown, request = {}) => gateway.post(path, json, { ...request, token: own.token }),
  };
  const one = saleAttempt();
  const sent = tryOnce(asOwn, one);
  const inList = async (from: Pick<Gateway, "get">) =>
    (await from.get("/api/transactions", { token: own.token })).body.transactions[0];
  await until("the second processor is being asked", async () => (await inList(gateway))?.attempts?.length === 1);
  kill(gateway.pid);
  await sent;
  assert.equal(one.first, undefined);

  const next = await startProcess(t, folder);
  await next.operator("PATCH", `/operator/processors/${own.processors[1]}`, {
    settings: { latency_ms: 0, timeout_ms: 1_000 },
  });
  const nextOwn = {
    ...next,
    post: (path: string, json?: unknown, request = {}) => next.post(path, json, { ...request, token: own.token }),
  };
  const answer = transactionOf(expectStatus(await answered(nextOwn, one), 200));
  assert.deepEqual(
    [answer.processor_id, answer.events.length, answer.events[0].status, answer.events[0].processor_code],
    [own.processors[1], 1, "error", "91"],
  );
  assert.deepEqual(
    answer.attempts.map(({ processor_id, reason }: Json) => [processor_id, reason]),
    [[own.processors[0], "declined"]],
  );
  await until("nothing is unresolved", async () => {
    const { body } = await next.operator("GET", "/operator/unresolved");
    return body.unresolved.length === 0;
  });
  const after = await inList(next);
  assert.deepEqual([after.id, after.events.length, after.attempts.length], [answer.id, 1, 1]);
});
