// Traces, as a collector receives them over OpenTelemetry's protocol: a span for each request in the trace that its sender names, below
// it its steps, and no card number in any.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Collector, startCollector } from "../collector.ts";
import { startTestGateway } from "./gateway.ts";
import { CARD, expectStatus, sale } from "./merchant.fixture.ts";

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const NOT_KEPT = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "00f067aa0ba902b7";
const CVV = "973";

const valuesOf = ({ attributes }: Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

describe("traces", () => {
  let collector: Collector;
  before(async () => {
    collector = await startCollector();
  });
  after(() => collector.close());

  const spans = (): Span[] =>
    collector.bodies.flatMap((body) =>
      (JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }).resourceSpans.flatMap(
        ({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans),
      ),
    );

  test("a sale is a span under its sender's, with its request's id, and its steps are below it", async () => {
    const gateway = await startTestGateway({ traces: { endpoint: collector.endpoint, share: 1 } });
    const traced = (trace: string, flags: string) => ({ traceparent: `00-${trace}-${PARENT}-${flags}` });
    const headers = { ...traced(TRACE, "01"), "x-request-id": "traced" };
    const body = sale({ card_cvv: CVV, last_name: "Secretive" });
    expectStatus(await gateway.post("/api/transactions/sale", body, { headers }), 200);
    expectStatus(await gateway.get("/api/transactions", { headers: traced(NOT_KEPT, "00") }), 200);
    await gateway.close();
    assert.ok(
      spans().every(({ traceId }) => traceId !== NOT_KEPT),
      "its sender does not want it kept",
    );
    const request = spans().find(({ name }) => name === "POST /api/transactions/sale");
    assert.ok(request);
    assert.deepEqual([request.traceId, request.parentSpanId], [TRACE, PARENT]);
    const { "http.response.status_code": status, "faregate.request_id": id, "http.route": route } = valuesOf(request);
    assert.deepEqual([status, id, route], [200, "traced", "/api/transactions/sale"]);
    const below = spans().filter(({ parentSpanId }) => parentSpanId === request.spanId);
    assert.deepEqual(below.map(({ name, traceId }) => `${name} ${traceId === TRACE}`).toSorted(), [
      "ask true",
      "conclude true",
      "open true",
      "parse true",
    ]);
    const ask = below.find(({ name }) => name === "ask");
    const { "faregate.result": result, "faregate.operation": operation } = ask ? valuesOf(ask) : {};
    assert.deepEqual([result, operation], ["approved", "sale"]);
    for (const secret of [CARD.card_number, `"${CVV}"`, "Secretive", gateway.sandbox.api_token])
      assert.ok(
        collector.bodies.every((text) => !text.includes(secret)),
        secret,
      );
  });

  test("a collector that is away stops nobody", async () => {
    const gateway = await startTestGateway({ traces: { endpoint: "http://127.0.0.1:1/v1/traces", share: 1 } });
    expectStatus(await gateway.post("/api/transactions/sale", sale()), 200);
    await gateway.close();
  });
});
