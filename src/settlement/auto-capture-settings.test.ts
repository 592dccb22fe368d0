// An automatic capture that takes long, and a record whose settings change meanwhile.

import assert from "node:assert/strict";
import { test } from "node:test";
import { evening } from "../../test/fixtures/evening.ts";
import { at } from "../../test/transactions.ts";
import type { Processor } from "../processors/processor.ts";
import { captureWhatIsDue } from "./auto-capture.ts";

test("what is captured after a change of the record's settings is asked of the processor that was opened by them", async () => {
  const { clock, node } = evening();
  const { authorize, events, open, parts } = node();
  const ids = await Promise.all(Array.from({ length: 100 }, () => authorize()));
  clock.set(at("1 20:30"));
  let [asked, ofFirst] = [0, 0];
  const { find } = parts.processors;
  // As after a change: whoever looks the record up gets another processor, and the one before is closed.
  const changing: typeof find = async (merchantId, processorId) => {
    const atWork = await find(merchantId, processorId);
    const isFirst = asked === 0;
    const followUp: Processor["followUp"] = async (question, signal) => {
      asked++;
      // Two portions may have begun with it.
      if (isFirst && ++ofFirst > 64) return { kind: "not-sent", why: "the processor is closed" };
      return atWork.processor.followUp(question, signal);
    };
    const { capabilities, keepsCardNumber, health } = atWork.processor;
    return { ...atWork, processor: { ...atWork.processor, capabilities, keepsCardNumber, health, followUp } };
  };
  await captureWhatIsDue({ ...parts, processors: { ...parts.processors, find: changing } }, open);
  for (const id of ids) assert.deepEqual(await events(id), ["auth 100 approved", "capture 100 approved"]);
});
