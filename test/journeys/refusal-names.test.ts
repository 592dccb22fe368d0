// Programs need not read English: the name of a refusal stands in a header.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startTestGateway } from "./gateway.ts";
import { expectStatus, type Gateway, leg, merchantOf, passenger, sale } from "./merchant.fixture.ts";

describe("the names of refusals", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  const named = async (path: string, json?: object) => {
    const { status, headers } = await gateway.post(path, json);
    return `${status} ${headers.get("faregate-refusal")}`;
  };

  test("each refusal is named in a header, two with a comma between them", async () => {
    const { charged } = merchantOf(gateway);
    const { id } = await charged("sale", sale({ amount: "10.00" }));
    const { prepaid } = gateway.sandbox.processors;
    const of = (operation: string) => `/api/transactions/${id}/${operation}`;
    assert.deepEqual(
      [
        await named(of("capture")),
        await named(of("refund"), { amount: "10.01" }),
        await named(`/api/transactions/${crypto.randomUUID()}/void`),
        await named("/api/transactions/sale", sale({ processor_id: prepaid, first_name: "A", currency: "EUR" })),
      ],
      [
        "422 sale-is-captured",
        "422 refund-exceeds-captured",
        "404 transaction-unknown",
        "422 currency-differs, name-required",
      ],
    );
  });

  test("every error has a code in its body: the refusal of the header, or the kind of the error", async () => {
    const { charged } = merchantOf(gateway);
    const { id } = await charged("sale", sale({ amount: "10.00", processor_id: gateway.sandbox.processors.cad }));
    const { prepaid } = gateway.sandbox.processors;
    const SALE = "/api/transactions/sale";
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const call = gateway.call;
    for (const [answer, code] of [
      [await gateway.post(SALE, sale({ amount: "x" })), "422 invalid-request"],
      [await call("POST", SALE, { raw: "{", headers: { "content-type": "application/json" } }), "400 invalid-request"],
      [
        await call("POST", SALE, { raw: '{"a":1,"a":1}', headers: { "content-type": "application/json" } }),
        "400 invalid-request",
      ],
      [await call("POST", SALE, { raw: "{}", headers: form }), "415 media-type"],
      [await call("POST", SALE, { raw: "x", headers: { "content-type": "text/plain" } }), "415 media-type"],
      [await call("POST", SALE, { raw: `a=${"x".repeat(70_000)}`, headers: form }), "413 too-large"],
      [await call("POST", SALE, { json: sale(), token: null }), "401 not-authenticated"],
      [await call("POST", SALE, { json: sale(), token: "fg_test_x" }), "401 not-authenticated"],
      [await call("GET", "/operator/merchants", { token: gateway.sandbox.api_token }), "401 not-authenticated"],
      [await call("GET", "/session"), "401 not-authenticated"],
      [await call("GET", "/nowhere"), "404 not-found"],
      [await call("PUT", SALE), "405 method-not-allowed"],
      [await call("GET", "/api/transactions?page=x"), "422 invalid-request"],
      [await call("GET", "/api/transactions?page=%ff"), "400 invalid-request"],
      [await gateway.post(`/api/transactions/${id}/capture`), "422 sale-is-captured"],
      [await gateway.post(`/api/transactions/${id}/void`, { amount: "5.00" }), "422 void-must-be-whole"],
      [await gateway.post("/api/transactions/x/void"), "404 transaction-unknown"],
      [
        await gateway.post(SALE, sale({ processor_id: prepaid, first_name: "A", currency: "EUR" })),
        "422 currency-differs, name-required",
      ],
      [await gateway.post(SALE, sale({ processor_id: prepaid, zip: "9" })), "422 name-required"],
    ] as const) {
      const { status, body, headers } = answer;
      assert.equal(`${status} ${body.error.code}`, code);
      const refusal = headers.get("faregate-refusal");
      if (refusal !== null) assert.equal(body.error.code, refusal);
      assert.deepEqual([Object.keys(body.error), body.debug], [["status", "code", "message"], []]);
    }
  });

  test("a stored error is replayed with its code, byte for byte", async () => {
    const { charged } = merchantOf(gateway);
    const { id } = await charged("auth", sale());
    const key = { "idempotency-key": "a-code" };
    const refund = () => gateway.call("POST", `/api/transactions/${id}/refund`, { json: {}, headers: key });
    const [first, again] = [await refund(), await refund()];
    assert.deepEqual([first.body.error.code, again.text], ["nothing-captured", first.text]);
  });

  test("a named processor of another currency is told with its own", async () => {
    const { cad } = gateway.sandbox.processors;
    const told = async (over: object) =>
      (await gateway.post("/api/transactions/sale", sale({ currency: "USD", ...over }))).body.error.message;
    const currency = ["This processor charges in CAD."];
    assert.deepEqual(await told({ processor_id: cad }), { currency });
    const beside = await told({ processor_id: cad, zip: "9" });
    assert.deepEqual(beside, { currency, zip: ["must be a text of 2 to 255 characters"] });
    assert.deepEqual(await told({ currency: "XAF" }), {
      currency: ["No available processor charges in this currency."],
    });
  });

  test("of a void that must be whole it is said how much that is", async () => {
    const { charged, follow } = merchantOf(gateway);
    const { id } = await charged("sale", sale({ amount: "80.00", processor_id: gateway.sandbox.processors.cad }));
    const answer = await follow(id, "void", { amount: "30.00" });
    assert.deepEqual(answer.body.error.message, {
      amount: ["A partial void is not possible here. Void all that is left: 80.00."],
    });
    assert.equal(answer.headers.get("faregate-refusal"), "void-must-be-whole");
  });

  test("an amount that is wrong by itself is not named as one that is missing", async () => {
    const { charged } = merchantOf(gateway);
    const { id } = await charged(
      "auth",
      sale({ amount: "100.00", passenger_transport: [passenger({ legs: [leg({ fare: "100.00" })] })] }),
    );
    const capture = `/api/transactions/${id}/capture`;
    for (const amount of ["x", ""]) assert.equal(await named(capture, { amount }), "422 passengers-required");
    assert.equal(await named(capture, {}), "422 passengers-required, amount-required");
  });

  test("a void that the processor refuses as too late has the name that the rule gives it, replayed too", async () => {
    const { charged, follow } = merchantOf(gateway);
    const { id } = await charged("sale", sale({ amount: "10.00", processor_id: gateway.sandbox.processors.cad }));
    // 02:10, inside the window: the simulator has settled by 02:00.
    const cutoff = (await gateway.get(`/api/transactions/${id}`)).body.transaction.actions.void.until;
    const late = new Date(Date.parse(cutoff) + 4 * 3_600_000 + 600_000).toISOString();
    expectStatus(await gateway.operator("POST", "/operator/clock", { now: late }), 200);
    const headers = { "idempotency-key": crypto.randomUUID() };
    for (const replayed of [null, "true"]) {
      const answer = await gateway.post(`/api/transactions/${id}/void`, undefined, { headers });
      const message = { base: ["A settled transaction cannot be voided. Use a refund."] };
      assert.deepEqual(answer.body, { error: { status: 422, code: "void-after-settlement", message }, debug: [] });
      assert.deepEqual(
        ["faregate-refusal", "idempotent-replayed"].map((name) => answer.headers.get(name)),
        ["void-after-settlement", replayed],
      );
    }
    expectStatus(await follow(id, "refund"), 200);
  });

  test("what no rule refused carries no name", async () => {
    const { status, headers } = await gateway.post("/api/transactions/sale", sale({ amount: "0" }));
    assert.deepEqual([status, headers.get("faregate-refusal")], [422, null]);
  });
});
