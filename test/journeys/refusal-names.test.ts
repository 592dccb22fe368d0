// Programs need not read English: the name of a refusal stands in a header.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startTestGateway } from "./gateway.ts";
import { type Gateway, merchantOf, sale } from "./merchant.fixture.ts";

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

  test("what no rule refused carries no name", async () => {
    const { status, headers } = await gateway.post("/api/transactions/sale", sale({ amount: "0" }));
    assert.deepEqual([status, headers.get("faregate-refusal")], [422, null]);
  });
});
