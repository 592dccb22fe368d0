// `X-Request-Id`: one id from the request's header to the log, the event, the processor and the response, whatever the response is.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import type { Question } from "../../hosts/adyen/decide.ts";
import type { AdyenHost } from "../../hosts/adyen/host.ts";
import type { Host } from "../../hosts/stripe/host.ts";
import { ACCOUNT, testAdyenHost } from "../conformance/adyen-subject.ts";
import { stripeSettings, testHost } from "../conformance/stripe-subject.ts";
import { keptLog, startTestGateway } from "./gateway.ts";
import {
  expectStatus,
  type Gateway,
  type Json,
  merchantOf,
  newMerchant,
  sale,
  transactionOf,
} from "./merchant.fixture.ts";

const MADE = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("X-Request-Id", () => {
  const { log, lines } = keptLog();
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway({}, {}, log);
  });
  after(() => gateway.close());

  const withId = (id: string) => ({ headers: { "x-request-id": id } });
  /** What the head of the response says, to a request written by hand. */
  const idOfRaw = async (...head: readonly string[]): Promise<string | undefined> => {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    socket.end(`${head.join("\r\n")}\r\nhost: x\r\nconnection: close\r\n\r\n`);
    let text = "";
    socket.setEncoding("latin1").on("data", (piece) => {
      text += piece;
    });
    await once(socket, "close");
    return /^x-request-id: (.*)\r$/im.exec(text)?.[1];
  };

  test("an id that is well-formed and short comes back", async () => {
    for (const id of ["a", "7f1c0e9a3b", "01a1fc7e-c630-7255-8cd1-96e3479052c8", "Root=1:a.b_c/d+e==", "x".repeat(64)])
      assert.equal((await gateway.get("/health/live", withId(id))).headers.get("x-request-id"), id);
  });

  test("any other id, and one that holds a card number, is replaced", async () => {
    const wrong = ["", "x".repeat(65), "two words", "a;b", '"a"', "a,b", "caf\u00e9", "<a>"];
    const cards = ["4111111111111111", "4111-1111-1111-1111", "order:4111111111111111"];
    for (const id of [...wrong, ...cards])
      assert.match((await gateway.get("/health/live", withId(id))).headers.get("x-request-id") ?? "", MADE, id);
    assert.match((await idOfRaw("GET /health/live HTTP/1.1", "x-request-id: a", "x-request-id: b")) ?? "", MADE);
  });

  test("requests without one get ids of their own", async () => {
    const [one, other] = [await gateway.get("/health/live"), await gateway.get("/health/live")];
    assert.match(one.headers.get("x-request-id") ?? "", MADE);
    assert.notEqual(one.headers.get("x-request-id"), other.headers.get("x-request-id"));
  });

  test("it is on every response: pages, documents, errors, and paths where there is nothing", async () => {
    const { operator_token } = gateway.sandbox;
    for (const [status, method, path, request] of [
      [200, "GET", "/", {}],
      [200, "GET", "/openapi.json", {}],
      [200, "GET", "/api/transactions", {}],
      [200, "GET", "/api/transactions?format=csv", {}],
      [200, "GET", "/operator/merchants", { token: operator_token }],
      [404, "GET", "/nothing", {}],
      [404, "GET", "/api/nothing", {}],
      [404, "POST", "/notifications/nobody", {}],
      [405, "PUT", "/api/transactions", {}],
      [401, "GET", "/api/transactions", { token: null }],
      [401, "GET", "/operator/merchants", { token: "wrong" }],
      [400, "POST", "/api/transactions/sale", { raw: "{", headers: { "content-type": "application/json" } }],
      [415, "POST", "/api/transactions/sale", { raw: "x", headers: { "content-type": "text/x" } }],
      [422, "POST", "/api/transactions/sale", { json: {} }],
      [400, "GET", "/%zz", {}],
    ] as const) {
      const headers = { ...("headers" in request && request.headers), "x-request-id": "mine" };
      const answer = expectStatus(await gateway.call(method, path, { ...request, headers }), status);
      assert.equal(answer.headers.get("x-request-id"), "mine", `${method} ${path}`);
    }
  });

  test("also on what cannot be read as HTTP", async () => {
    assert.match((await idOfRaw("nonsense")) ?? "", MADE);
  });

  test("it is in the log of an authentication that failed, and of a charge that was not answered", async () => {
    await gateway.get("/api/transactions", { token: "guessed", ...withId("guess") });
    const failed = lines.findLast(({ msg }) => msg === "an authentication failed");
    assert.equal(failed?.requestId, "guess");
    const settings = { silent_operations: ["sale", "reversal"], timeout_ms: 100 };
    const processor_id = await merchantOf(gateway).processor({ settings });
    expectStatus(await gateway.post("/api/transactions/sale", sale({ processor_id }), withId("lost")), 200);
    const silent = lines.find(({ msg }) => msg === "the processor did not answer");
    assert.equal(silent?.requestId, "lost");
    const { body } = await gateway.operator("GET", `/operator/unresolved?processor_id=${processor_id}`);
    assert.deepEqual(
      body.unresolved.map(({ request_id }: Json) => request_id),
      ["lost"],
    );
  });

  test("it is kept with each event", async () => {
    const { id } = transactionOf(
      expectStatus(await gateway.post("/api/transactions/sale", sale(), withId("one")), 200),
    );
    expectStatus(await gateway.post(`/api/transactions/${id}/void`, undefined, withId("two")), 200);
    const rows = await gateway.pool`select type, request_id from events where transaction_id = ${id} order by sequence`;
    assert.deepEqual(
      rows.map(({ type, request_id }) => `${type} ${request_id}`),
      ["sale one", "void two"],
    );
  });
});

describe("X-Request-Id at processors", () => {
  let gateway: Gateway;
  let stripe: Host;
  let adyen: AdyenHost;
  const asked: Question[] = [];
  before(async () => {
    gateway = await startTestGateway();
    stripe = await testHost();
    adyen = await testAdyenHost({ seen: (question) => void asked.push(question) });
  });
  after(async () => {
    await gateway.close();
    await Promise.all([stripe.stop(), adyen.stop()]);
  });

  test("Stripe has it in the metadata of the payment and of the refund, Adyen in that of the payment", async () => {
    const { token, processors } = await newMerchant(
      gateway,
      { kind: "stripe", settings: stripeSettings(stripe.port) },
      { kind: "adyen", settings: { ...ACCOUNT, base_url: adyen.baseUrl } },
    );
    const [atStripe, atAdyen] = processors;
    const charge = (processor_id: string | undefined, id: string) => {
      const body = sale({ processor_id, card_number: "4242424242424242" });
      return gateway.post("/api/transactions/sale", body, { token, headers: { "x-request-id": id } });
    };
    const sold = transactionOf(expectStatus(await charge(atStripe, "at-stripe"), 200));
    const headers = { "x-request-id": "back" };
    expectStatus(await gateway.post(`/api/transactions/${sold.id}/refund`, undefined, { token, headers }), 200);
    const { payments, refunds } = stripe.ledger.state;
    assert.deepEqual(
      [...payments.values()].map(({ metadata }) => metadata.faregate_request),
      ["at-stripe"],
    );
    assert.deepEqual(
      [...refunds.values()].map(({ metadata }) => metadata.faregate_request),
      ["back"],
    );
    expectStatus(await charge(atAdyen, "at-adyen"), 200);
    const payment = asked.find(({ path }) => path === "/payments");
    assert.deepEqual(payment?.body.metadata, { faregate_request: "at-adyen" });
  });
});
