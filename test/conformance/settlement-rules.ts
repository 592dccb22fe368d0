// Conformance: a CAD account's void and refund, of which only one can succeed (specification 3).

import assert from "node:assert/strict";
import { approvedCharge } from "./charge-to-follow.ts";
import { assertProcessorResponse, responseOf } from "./processor-response.ts";
import type { Rule } from "./rule.ts";

export function settlementRules(rule: Rule): void {
  rule("money that has not settled is voided and not refunded", "CAD account", async (trial) => {
    for (const type of ["sale", "auth"] as const) {
      const charge = await approvedCharge(trial, type);
      if (type === "auth") await charge.approve("capture");
      const refund = await trial.followUp(charge.question("refund"));
      assertProcessorResponse(responseOf(refund, "declined"));
      assert.ok("category" in refund && refund.category !== "already-settled");
      await charge.approve("void");
    }
  });

  rule("money that has settled is refunded and not voided, and the void says why", "CAD account", async (trial) => {
    const settle = trial.need(trial.subject.settle);
    const sold = await approvedCharge(trial, "sale");
    const captured = await approvedCharge(trial, "auth");
    await captured.approve("capture");
    const [earlier, later] = [sold.question("void"), captured.question("void")];
    await settle();
    for (const question of [earlier, later]) {
      const answer = await trial.followUp(question);
      assertProcessorResponse(responseOf(answer, "declined"));
      assert.equal("category" in answer && answer.category, "already-settled");
    }
    for (const charge of [sold, captured]) for (const minor of [400n, 600n]) await charge.approve("refund", { minor });
  });
}
