// Two gateways on one database: whatever is asked of whichever of them, at once or right after each other, comes out as if
// there were one. What one is told the other knows within a second.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Answer, told } from "./gateway.ts";
import {
  expectStatus,
  type Gateway,
  type Json,
  merchantOf,
  money,
  newMerchant,
  sale,
  transactionOf,
} from "./merchant.fixture.ts";
import { type Installation, newInstallation } from "./nodes.fixture.ts";

const SALE = "/api/transactions/sale";
const keyed = () => ({ headers: { "idempotency-key": randomUUID() } });
const succeeded = ({ status, body }: Answer): boolean =>
  status === 200 && (body.transaction ?? body).events[0].success === true;

describe("two gateways on one database", () => {
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

  /** One call after the other to each node in turn, all at once. */
  const onBoth = (count: number, call: (node: Gateway, nth: number) => Promise<Answer>): Promise<Answer[]> =>
    Promise.all(Array.from({ length: count }, (_, nth) => call(nodes[nth % 2 === 0 ? 0 : 1], nth)));
  const eventsOf = async (id: string) =>
    (await merchantOf(nodes[0]).found(id)).events as { event_type: string; success: boolean; amount: string }[];

  test("a storm of one idempotency key charges once", async () => {
    const { processors, token, merchantId } = await newMerchant(nodes[0], { settings: { latency_ms: 100 } });
    const key = keyed();
    const answers = await onBoth(40, (node) =>
      node.post(SALE, sale({ processor_id: processors[0] }), { ...key, token }),
    );
    for (const answer of answers) assert.ok([200, 409].includes(answer.status), answer.text);
    assert.equal(new Set(answers.filter(({ status }) => status === 200).map(({ text }) => text)).size, 1);
    assert.equal((await nodes[1].get("/api/transactions", { token })).body.meta.total, 1, merchantId);
    for (const node of nodes) {
      const again = expectStatus(await node.post(SALE, sale({ processor_id: processors[0] }), { ...key, token }), 200);
      assert.equal(again.headers.get("idempotent-replayed"), "true");
    }
  });

  test("a storm of one key is answered alike where the first processor is out of reach and another takes the charge", async () => {
    const refusing = { settings: { refuse_connections: true } };
    const { token } = await newMerchant(nodes[0], refusing, refusing, refusing, { settings: { latency_ms: 30 } });
    for (let round = 0; round < 10; round++) {
      const key = keyed();
      const answers = await onBoth(16, (node) => node.post(SALE, sale(), { ...key, token }));
      for (const answer of answers) assert.ok([200, 409].includes(answer.status), answer.text);
      const done = answers.filter(({ status }) => status === 200);
      assert.equal(new Set(done.map(({ text }) => text)).size, 1, "one answer");
      assert.ok(done.every(succeeded));
    }
    assert.equal((await nodes[1].get("/api/transactions", { token })).body.meta.total, 10);
  });

  test("of two bodies under one key at once, one is done and the other refused", async () => {
    const { token } = await newMerchant(nodes[0], {});
    for (let round = 0; round < 15; round++) {
      const key = keyed();
      const answers = await onBoth(2, (node, nth) =>
        node.post(SALE, sale({ amount: money(100 + nth) }), { ...key, token }),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422], answers.map(({ text }) => text).join());
    }
    assert.equal((await nodes[0].get("/api/transactions", { token })).body.meta.total, 15);
  });

  test("a void and a refund of the same money: exactly one succeeds", async () => {
    const { charged, processor } = merchantOf(nodes[0]);
    const slow = await processor({ settings: { latency_ms: 20 } });
    await sleep(1_000);
    for (let round = 0; round < 15; round++) {
      const { id } = await charged("sale", sale({ processor_id: round % 2 === 0 ? slow : undefined }));
      const answers = await onBoth(2, (node, nth) => merchantOf(node).follow(id, nth === 0 ? "void" : "refund"));
      assert.equal(answers.filter(succeeded).length, 1, answers.map(({ text }) => text).join("\n"));
      for (const { status } of answers) assert.ok([200, 409, 422].includes(status));
      assert.equal((await eventsOf(id)).filter(({ success }) => success).length, 2);
    }
  });

  test("a reversal, a void and a refund at once give everything back exactly once", async () => {
    const { charged } = merchantOf(nodes[0]);
    for (let round = 0; round < 10; round++) {
      const { id } = await charged("sale", sale({ amount: "9.00" }));
      await onBoth(6, (node, nth) =>
        merchantOf(node).follow(id, (["reversal", "void", "refund"] as const)[nth % 3] ?? "void"),
      );
      const back = (await eventsOf(id)).filter(({ event_type, success }) => success && event_type !== "sale");
      assert.deepEqual(
        back.map(({ amount }) => amount),
        ["9.00"],
      );
    }
  });

  test("many captures at once never take more than was authorized, and many refunds no more than was captured", async () => {
    const { charged, processor } = merchantOf(nodes[0]);
    const slow = await processor({ settings: { latency_ms: 10 } });
    await sleep(1_000);
    const { id } = await charged("auth", sale({ amount: "10.00", processor_id: slow }));
    for (const operation of ["capture", "refund"] as const) {
      const answers = await onBoth(40, (node) => merchantOf(node).follow(id, operation, { amount: "0.70" }));
      for (const answer of answers) assert.ok([200, 409, 422].includes(answer.status), answer.text);
      const done = (await eventsOf(id)).filter(({ event_type, success }) => success && event_type === operation);
      assert.equal(done.length, answers.filter(succeeded).length);
      assert.ok(done.length >= 1 && done.length <= 14, `${done.length} of 0.70 on 10.00`);
    }
  });

  test("a token that is revoked on one node opens nothing on the other within a second", async () => {
    const [one, two] = nodes;
    const merchant = `/operator/merchants/${one.sandbox.merchant_id}`;
    const input = { user_id: one.sandbox.user_id, scopes: ["read"] };
    const { id, secret } = (await one.operator("POST", `${merchant}/tokens`, input)).body.token;
    for (const node of nodes) expectStatus(await node.get("/api/processors", { token: secret }), 200);
    expectStatus(await one.operator("DELETE", `/operator/tokens/${id}`), 204);
    await sleep(1_000);
    for (const node of [two, one])
      assert.equal(told(await node.get("/api/processors", { token: secret })), "401 authorization base");
  });

  test("the rate limit of a token is one for both nodes: the headers show what both counted, and a burst is cut off there", async () => {
    const [one, two] = nodes;
    const token = await merchantOf(one).token({ rate_limit_per_minute: 200 });
    const ask = (node: Gateway) => node.get("/api/processors", { token });
    const left = ({ headers }: Answer) => Number(headers.get("x-ratelimit-remaining"));
    for (let nth = 0; nth < 30; nth++) await ask(one);
    let asked = 1;
    for (; left(await ask(two)) >= 200 - 30; asked++) await sleep(50);
    const answers = await onBoth(300, ask);
    const passed = 30 + asked + answers.filter(({ status }) => status === 200).length;
    assert.ok(passed >= 200 && passed <= 220, `${passed} of 200`);
    for (const answer of answers) assert.ok([200, 429].includes(answer.status) && left(answer) < 200 - 30);
    for (const node of nodes) {
      let refused = await ask(node);
      while (refused.status === 200) refused = await ask(node);
      assert.deepEqual([refused.headers.get("x-ratelimit-limit"), left(refused)], ["200", 0]);
      assert.match(refused.headers.get("retry-after") ?? "", /^[1-5]?\d$|^60$/);
    }
  });

  test("a change of a processor record on one node is followed by the other within a second", async () => {
    const [one, two] = nodes;
    const { token, processors } = await newMerchant(one, {}, { in_rotation: false });
    const [first, second] = processors as [string, string];
    const sell = (over: Json = {}) => two.post(SALE, sale(over), { token });
    const change = async (id: string, json: Json) => {
      expectStatus(await one.operator("PATCH", `/operator/processors/${id}`, json), 200);
      await sleep(1_000);
    };
    assert.equal(transactionOf(expectStatus(await sell(), 200)).processor_id, first);
    await change(first, { in_rotation: false });
    assert.equal(told(await sell()), "422 processor_id");
    await change(second, { in_rotation: true, requires: { names: true } });
    assert.equal(told(await sell()), "422 first_name last_name");
    await change(second, { requires: { names: false }, settings: { card_brands: ["amex"] } });
    assert.equal(told(await sell({ processor_id: second })), "422 card_number");
    await change(second, { enabled: false });
    assert.equal(told(await sell({ processor_id: second })), "422 processor_id");
  });

  test("charges on both nodes are numbered without a gap: pages, totals and order are the same on both", async () => {
    const { token } = await newMerchant(nodes[0], {});
    const made = new Set<string>();
    for (let round = 0; round < 5; round++) {
      const answers = await onBoth(50, (node) => node.post(SALE, sale(), { token }));
      for (const answer of answers) made.add(transactionOf(expectStatus(answer, 200)).id);
    }
    const lists = await Promise.all(
      nodes.map(async (node) => {
        const pages = [];
        for (let page = 1; page <= 6; page++)
          pages.push((await node.get(`/api/transactions?page=${page}`, { token })).body);
        return pages;
      }),
    );
    assert.deepEqual(lists[0], lists[1]);
    const listed = (lists[0] ?? []).flatMap(({ transactions }) => transactions as { id: string; created_at: string }[]);
    assert.deepEqual(
      lists[0]?.map(({ meta, transactions }) => [meta.total, transactions.length]),
      [...Array(5).fill([250, 50]), [250, 0]],
    );
    assert.deepEqual(listed.map(({ id }) => id).sort(), [...made].sort());
    const times = listed.map(({ created_at }) => created_at);
    assert.deepEqual(times, times.toSorted().reverse());
  });

  test("a list shows what was answered before it was asked for, on both nodes, however many ask for the same page", async () => {
    const { token } = await newMerchant(nodes[0], {});
    const LIST = "/api/transactions";
    let selling = true;
    const poll = async (node: Gateway) => {
      for (let last = 0; selling; ) {
        const { total } = expectStatus(await node.get(LIST, { token }), 200).body.meta;
        assert.ok(total >= last, "a list is never older than the one before");
        last = total;
      }
    };
    const shows = async (node: Gateway, id: string, total: number, events: readonly string[]) => {
      const { meta, transactions } = expectStatus(await node.get(LIST, { token }), 200).body;
      const shown = transactions[0].events.map(({ event_type }: { event_type: string }) => event_type);
      assert.deepEqual([meta.total, transactions[0].id, shown], [total, id, events]);
    };
    const sell = async () => {
      for (let count = 1; count <= 12; count++) {
        const one = nodes[count % 2 === 0 ? 0 : 1];
        const other = nodes[count % 2 === 0 ? 1 : 0];
        const { id } = transactionOf(expectStatus(await one.post(SALE, sale(), { token }), 200));
        await Promise.all([one, other].map((node) => shows(node, id, count, ["sale"])));
        expectStatus(await other.post(`${LIST}/${id}/void`, {}, { token }), 200);
        await Promise.all([one, other].map((node) => shows(node, id, count, ["void", "sale"])));
      }
    };
    const sold = sell().finally(() => {
      selling = false;
    });
    await Promise.all([sold, ...nodes.flatMap((node) => Array.from({ length: 4 }, () => poll(node)))]);
  });

  test("what one node charged the other captures, voids, refunds and shows, at once", async () => {
    const [one, two] = nodes;
    for (let round = 0; round < 5; round++) {
      const { id } = await merchantOf(one).charged("auth", sale({ amount: "8.00" }));
      expectStatus(await merchantOf(two).follow(id, "capture", { amount: "6.00" }), 200);
      expectStatus(await merchantOf(one).follow(id, "void", { amount: "2.00" }), 200);
      expectStatus(await merchantOf(two).follow(id, "refund", { amount: "5.00" }), 200);
      assert.deepEqual(await merchantOf(one).found(id), await merchantOf(two).found(id));
    }
  });

  test("what is charged through a record that is new on one node is followed up and shown by the other at once", async () => {
    const [one, two] = nodes;
    for (let round = 0; round < 3; round++) {
      expectStatus(await two.get("/api/processors"), 200);
      const processor_id = await merchantOf(one).processor();
      const { id } = await merchantOf(one).charged("auth", sale({ processor_id }));
      expectStatus(await merchantOf(two).follow(id, "capture", { amount: "1.00" }), 200);
      expectStatus(await two.get(`/api/transactions/${id}`), 200);
    }
    expectStatus(await two.get("/api/transactions"), 200);
  });

  test("the sandbox's clock that one node moves is followed by the other within a second", async () => {
    const [one, two] = nodes;
    const nowOf = async (node: Gateway) => Date.parse((await node.operator("GET", "/operator/clock")).body.now);
    const ahead = new Date((await nowOf(one)) + 3_600_000).toISOString();
    expectStatus(await one.operator("POST", "/operator/clock", { now: ahead }), 200);
    await sleep(1_000);
    assert.ok(Math.abs((await nowOf(two)) - (await nowOf(one))) < 1_000);
  });
});
