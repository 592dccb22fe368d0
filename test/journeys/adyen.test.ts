// A merchant account at Adyen, over real HTTP on both sides: what is only received ends by webhook, doubled and out of order as it
// may come.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import type { AdyenHost } from "../../hosts/adyen/host.ts";
import { ACCOUNT, testAdyenHost } from "../conformance/adyen-subject.ts";
import { until } from "../receiver.ts";
import { startTestGateway } from "./gateway.ts";
import { expectStatus, type Gateway, type Json, merchantOf, sale, transactionOf } from "./merchant.fixture.ts";

describe("a merchant account at Adyen", () => {
  let gateway: Gateway;
  let host: AdyenHost;
  let processor_id: string;

  before(async () => {
    host = await testAdyenHost();
    gateway = await startTestGateway();
    const settings = { ...ACCOUNT, base_url: host.baseUrl, capture_delay_hours: 1, timeout_ms: 2_000 };
    processor_id = await merchantOf(gateway).processor({ kind: "adyen", settings });
    host.webhooks.url = `${gateway.url}/notifications/${processor_id}`;
    host.webhooks.conduct = { times: 2, upToMs: 100 };
  });
  after(async () => {
    await gateway.close();
    await host.stop();
  });
  beforeEach(() => host.behave());

  const charged = async (path: "sale" | "auth") => {
    const body = sale({ processor_id, card_number: "4111111111111111", amount: "10.00" });
    return transactionOf(expectStatus(await gateway.post(`/api/transactions/${path}`, body), 200));
  };
  const follow = async (id: string, path: string, json?: Json) =>
    expectStatus(await gateway.post(`/api/transactions/${id}/${path}`, json), 202);
  const successes = async (id: string): Promise<string> =>
    (await merchantOf(gateway).found(id)).events
      .map(({ event_type, success }: Json) => `${event_type} ${success}`)
      .join();

  test("a capture is pending until its webhook tells the end, and may fail after all", async () => {
    const { id } = await charged("auth");
    await follow(id, "capture", { amount: "4.00" });
    await until("it is captured", async () => (await successes(id)) === "capture true,auth true");
    const captured = host
      .items()
      .find(({ eventCode, merchantReference }) => eventCode === "CAPTURE" && merchantReference.startsWith(id));
    assert.ok(captured);
    await host.tell({ ...captured, eventCode: "CAPTURE_FAILED", reason: "Capture Failed" });
    await until("it failed", async () => (await successes(id)) === "capture false,auth true");
  });

  test("what was captured in part is not voided but refunded at once, as its actions say", async () => {
    const { id } = await charged("auth");
    await follow(id, "capture", { amount: "4.00" });
    await until("it is captured", async () => (await successes(id)) === "capture true,auth true");
    const { actions } = await merchantOf(gateway).found(id);
    assert.deepEqual(
      [actions.void, actions.refund.amount, actions.reversal.amount],
      [{ allowed: false, reason: "processor-voids-whole-payments", uncertain_from: null, from: null }, "4.00", "4.00"],
    );
    const refused = await gateway.post(`/api/transactions/${id}/void`);
    assert.deepEqual(
      [refused.status, refused.headers.get("faregate-refusal")],
      [422, "processor-voids-whole-payments"],
    );
    await follow(id, "refund", { amount: "1.00" });
    await until("it is refunded", async () => (await successes(id)) === "refund true,capture true,auth true");
    await follow(id, "reversal");
    await until("the rest is", async () => (await successes(id)).startsWith("refund true,refund true"));
    assert.equal(host.balance(id), 600, "what was never captured is left");
  });

  test("a failure in words that no table takes is told all the same", async () => {
    const { id } = await charged("auth");
    await follow(id, "capture", { amount: "4.00" });
    await until("it is captured", async () => (await successes(id)) === "capture true,auth true");
    const captured = host
      .items()
      .find(({ eventCode, merchantReference }) => eventCode === "CAPTURE" && merchantReference.startsWith(id));
    assert.ok(captured);
    await host.tell({ ...captured, eventCode: "CAPTURE_FAILED", reason: "Lost\u0000in the mail" });
    await until("it failed", async () => (await successes(id)) === "capture false,auth true");
    const [{ processor_message }] = (await merchantOf(gateway).found(id)).events;
    assert.equal(processor_message, "Lost in the mail");
  });

  test("a sale is voided before Adyen captures it, and nothing is left of it", async () => {
    const { id } = await charged("sale");
    await follow(id, "void");
    await until("it is voided", async () => (await successes(id)) === "void true,sale true");
    assert.equal(host.balance(id), 0);
  });

  test("a sale of which neither answer nor webhook comes is taken back, and confirmed by webhook only", async () => {
    host.misbehave({ what: "disconnect-after", on: ["payments"] });
    host.webhooks.conduct = { times: 2, loses: ["AUTHORISATION"] };
    const { id, events } = await charged("sale");
    assert.deepEqual([events[0].success, events[0].processor_code], [false, "91"]);
    const applied = async () => {
      const { body } = expectStatus(await gateway.operator("GET", `/operator/notifications?transaction_id=${id}`), 200);
      return body.notifications.some(({ kind, result }: Json) => kind === "reversed" && result === "applied");
    };
    await until("the reversal is confirmed", applied);
    assert.equal(host.balance(id), 0);
  });
});
