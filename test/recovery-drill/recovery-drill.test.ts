// A short drill in the ordinary run, and 20 moments in the long one; `npm run recovery-drill` for more. And whether a verdict sees what is wrong.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SEED, sized } from "../random.ts";
import { missingPrograms } from "../system-programs.ts";
import type { Booked, JournalEvent } from "../torture/accounts.ts";
import { runDrill } from "./drill.ts";
import { verdictOf } from "./verdict.ts";

const MOMENTS = sized(2, 20);
const seed = SEED % 1_000_000_000;

describe("the recovery drill", () => {
  it("after a restore to a random moment, books are equal: nothing lost, doubled or reversed wrongly, and nothing charged again by its key", {
    skip: missingPrograms("pgbackrest") ?? false,
  }, async (test) => {
    test.diagnostic(`seed ${seed}`);
    const moments = await runDrill({ moments: MOMENTS, seed }, (line) => test.diagnostic(line));
    assert.equal(moments.length, MOMENTS);
    for (const { at, gateway, lost, doubled, reversedWrongly, chargedAgain, open } of moments)
      assert.deepEqual(
        { at, gateway, lost, doubled, reversedWrongly, chargedAgain, open },
        { at, gateway, lost: [], doubled: [], reversedWrongly: [], chargedAgain: [], open: [] },
        `npm run recovery-drill -- --moments ${MOMENTS} --seed ${seed}`,
      );
    assert.ok(moments.some(({ adopted }) => adopted > 0));
  });

  const told = { transaction: "t1", type: "sale", amount: 1_000n, sentMs: 0, atMs: 0 };
  const event = (over: Partial<JournalEvent> = {}): JournalEvent => ({
    ...{ id: "e1", transactionId: "t1", sequence: 1, type: "sale", amount: 1_000n, processorId: "p", ipAddress: null },
    ...{ reversal: false, createdAt: new Date(0), failedLate: null },
    outcome: { kind: "approved", code: "00", authCode: null, processorTransactionId: null, at: new Date(0) },
    ...over,
  });
  const line = (over: Partial<Booked> = {}): Booked => ({
    ...{ at: new Date(0), operation: "sale", book: "b", reference: "r1", amount: 1_000n, code: "00", authCode: "" },
    ...{ id: "i1", transaction: "t1", ...over },
  });
  const unanswered = {
    kind: "unanswered",
    code: "91",
    authCode: null,
    processorTransactionId: null,
    at: new Date(0),
  } as const;
  const sizes = (accounts: Parameters<typeof verdictOf>[0]) =>
    Object.values(verdictOf(accounts)).map((found: readonly string[]) => found.length);

  for (const [what, accounts, found] of [
    ["equal accounts", { told: [told], events: [event()], booked: [line()] }, [0, 0, 0, 0, 0]],
    ["a charge that the journal lost", { told: [told], events: [], booked: [line()] }, [2, 0, 0, 0, 0]],
    [
      "a charge that nobody was told of, and the journal lost",
      { told: [], events: [], booked: [line()] },
      [1, 0, 0, 0, 0],
    ],
    ["another amount", { told: [told], events: [event({ amount: 999n })], booked: [line()] }, [2, 1, 0, 0, 0]],
    [
      "a charge that is in the journal twice",
      { told: [told], events: [event(), event({ id: "e2" })], booked: [line()] },
      [0, 1, 0, 0, 0],
    ],
    [
      "a charge that is booked twice",
      { told: [told], events: [event()], booked: [line(), line({ reference: "r2" })] },
      [1, 0, 0, 0, 0],
    ],
    [
      "a charge that was told as approved and taken back",
      { told: [told], events: [event({ outcome: unanswered })], booked: [line(), line({ operation: "reversal" })] },
      [1, 0, 1, 0, 0],
    ],
    [
      "a charge that nobody was told of, and that was taken back",
      { told: [], events: [event({ outcome: unanswered })], booked: [line(), line({ operation: "reversal" })] },
      [0, 0, 0, 0, 0],
    ],
    [
      "an authorization that the journal lost with its void",
      {
        told: [{ ...told, type: "auth" }],
        events: [],
        booked: [line({ operation: "auth" }), line({ operation: "void", reference: "r2" })],
      },
      [0, 0, 0, 1, 0],
    ],
    [
      "an authorization that the journal lost with a void of a part",
      {
        told: [],
        events: [],
        booked: [line({ operation: "auth" }), line({ operation: "void", reference: "r2", amount: 1n })],
      },
      [2, 0, 0, 0, 0],
    ],
    ["an operation without an outcome", { told: [], events: [event({ outcome: null })], booked: [] }, [0, 0, 0, 0, 1]],
    [
      "a void that Stripe booked as a refund",
      {
        told: [told, { ...told, type: "void" }],
        events: [event(), event({ id: "e2", sequence: 2, type: "void" })],
        booked: [line(), line({ operation: "refund", reference: "r2" })],
      },
      [0, 0, 0, 0, 0],
    ],
  ] as const)
    it(`a verdict on ${what}: lost, doubled, reversed wrongly, released, open: ${found.join()}`, () => {
      assert.deepEqual(sizes(accounts), found);
    });
});
