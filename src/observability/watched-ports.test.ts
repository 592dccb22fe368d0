import assert from "node:assert/strict";
import { test } from "node:test";
import { record } from "../../test/gateway-in-memory.ts";
import type { ProcessorKind, ProcessorParts } from "../processors/kind.ts";
import type { Processor } from "../processors/processor.ts";
import { watchedKinds } from "./watched-ports.ts";

const answer = async () => ({ kind: "not-sent", why: "a stand-in" }) as const;

/** Everything that a processor may have: what is added to the contract has to be added here. */
const WHOLE: Required<Processor> = {
  capabilities: { partialVoid: true, multipleCaptures: true, refundBeforeSettlement: true },
  keepsCardNumber: false,
  requires: { cvv: [], names: false, document: false },
  takes: () => true,
  cannotExpress: () => [],
  charge: answer,
  followUp: answer,
  timeoutReversal: answer,
  inquire: answer,
  returned: answer,
  receive: async () => ({ kind: "forged", why: "a stand-in" }),
  whose: answer,
  describeToken: answer,
  verify: answer,
  notificationOf: () => "",
  health: async () => ({ reachable: true, detail: "" }),
  check: async () => [],
  close: async () => undefined,
};

function watched(processor: Processor): Processor {
  const kind = { name: "whole", open: () => processor } as unknown as ProcessorKind;
  const kinds = watchedKinds(new Map([["whole", kind]]), { begin: () => () => undefined, concluded: () => undefined });
  const opened = kinds.get("whole")?.open(record(), {} as ProcessorParts);
  assert.ok(opened);
  return opened;
}

test("a processor that is watched can do all that it can do unwatched, and nothing else", () => {
  const { inquire, returned, receive, whose, notificationOf, describeToken, verify, check, ...least } = WHOLE;
  for (const processor of [WHOLE, least])
    assert.deepEqual(Object.keys(watched(processor)).toSorted(), Object.keys(processor).toSorted());
});

test("whose a disputed payment is, it is asked as well", async () => {
  const ours = { kind: "ours", transactionId: "t", reference: "r" } as const;
  const own: Processor = {
    ...WHOLE,
    async whose(payment) {
      // A class's own method needs its own object.
      assert.equal(this, own);
      return { ...ours, reference: payment };
    },
  };
  const processor = watched(own);
  assert.deepEqual(await processor.whose?.("pi_1", AbortSignal.timeout(1_000)), { ...ours, reference: "pi_1" });
});
