// What is kept of books and reports has no number of the card that was charged, even one that looks like no card's.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startTestGateway } from "../../../test/journeys/gateway.ts";
import { type Gateway, sale, transactionOf } from "../../../test/journeys/merchant.fixture.ts";
import { newId } from "../../uuid.ts";
import type { Weighed } from "./kept-finding.ts";
import { asPrinted, Run } from "./run.ts";
import { findingsOf, findRun } from "./runs.ts";

describe("a kept finding", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  /** The same text wherever the processor has one. */
  const missing = (text: string, transactionId: string | null): Weighed => ({
    finding: {
      ...({ kind: "missing-here", difference: true, operation: text, reference: text } as const),
      ...{ transactionId, sequence: null, here: null },
      there: { line: 1, amount: "1.00", currency: "USD", code: null, batch_id: text, net: null, net_currency: null },
    },
    here: null,
    there: 1_000_000n,
  });

  async function kept(...found: readonly Weighed[]) {
    const { merchant_id: merchantId, processors } = gateway.sandbox;
    const of = { merchantId, processorId: processors.usd ?? "", currency: "USD", day: null, payout: null, file: null };
    const run = new Run({ ...of, source: "report" });
    for (const one of found) run.add(one);
    const id = newId(new Date());
    await run.keep(gateway.pool, { id, now: new Date() }, {});
    const stored = await findRun(gateway.pool, id);
    assert.ok(stored);
    const { findings } = await findingsOf(gateway.pool, stored, 1, "all");
    return findings.map(({ operation, reference, there }) => [operation, reference, there?.batch_id]);
  }

  test("references, words and batches are without the number of the charge's card", async () => {
    for (const number of ["9999990000001234", "4111111111111111", "50000012345"]) {
      const { id } = transactionOf(await gateway.post("/api/transactions/sale", sale({ card_number: number })));
      const masked = number.replace(/\d/g, "*");
      assert.deepEqual(await kept(missing(number, String(id)), missing(`ref ${number}`, String(id))), [
        [masked, masked, masked],
        [`ref ${masked}`, `ref ${masked}`, `ref ${masked}`],
      ]);
    }
  });

  test("what is printed is, too, in each text and in groups", async () => {
    const { merchant_id: merchantId } = gateway.sandbox;
    for (const number of ["9999990000001234", "4111111111111111", "50000012345"]) {
      const { id } = transactionOf(await gateway.post("/api/transactions/sale", sale({ card_number: number })));
      const said = { id: `ref ${number}`, batch: number.replace(/(\d{4})(?=\d)/g, "$1 "), line: 7, none: null };
      const shown = await asPrinted(gateway.pool, merchantId, String(id), said);
      assert.doesNotMatch(JSON.stringify(shown), /\d{2}/);
      assert.equal(shown.line, 7);
      const other = { id: "882540819540950" };
      assert.deepEqual(await asPrinted(gateway.pool, merchantId, String(id), other), other);
      assert.deepEqual(await asPrinted(gateway.pool, merchantId, null, said), said);
    }
  });

  test("another number stays: what a processor calls a payment is needed to find it there", async () => {
    const { id } = transactionOf(await gateway.post("/api/transactions/sale", sale()));
    const reference = "882540819540950";
    assert.deepEqual(await kept(missing(reference, String(id)), missing(reference, null)), [
      [reference, reference, reference],
      [reference, reference, reference],
    ]);
  });
});
