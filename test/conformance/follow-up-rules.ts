// Conformance: captures, voids and refunds, each asked once and asked again under the same reference.

import assert from "node:assert/strict";
import type { Capabilities } from "../../src/payment/account-terms.ts";
import type { ChargeType, FollowUpType } from "../../src/payment/transaction.ts";
import { approvedCharge, type ChargeToFollow } from "./charge-to-follow.ts";
import { assertProcessorResponse, responseOf } from "./processor-response.ts";
import type { Rule, Trial } from "./rule.ts";

interface Row {
  readonly type: FollowUpType;
  /** A charge of 10.00 that allows it. */
  readonly on: ChargeType | "captured auth";
  /** One of them. */
  readonly needs: readonly (keyof Capabilities)[];
  readonly needsForParts: readonly (keyof Capabilities)[];
  /** What the books hold after 4.00 of it, and after all of it. */
  readonly afterPart: bigint;
  readonly afterAll: bigint;
}

const ROWS: readonly Row[] = [
  { type: "capture", on: "auth", needs: [], needsForParts: ["multipleCaptures"], afterPart: 1000n, afterAll: 1000n },
  { type: "void", on: "auth", needs: [], needsForParts: ["partialVoid"], afterPart: 600n, afterAll: 0n },
  {
    type: "refund",
    on: "sale",
    needs: ["refundBeforeSettlement"],
    needsForParts: ["refundBeforeSettlement"],
    afterPart: 600n,
    afterAll: 0n,
  },
  {
    type: "refund",
    on: "captured auth",
    needs: ["refundsCapturedAuthorizations", "refundBeforeSettlement"],
    needsForParts: ["refundsCapturedAuthorizations", "refundBeforeSettlement"],
    afterPart: 600n,
    afterAll: 0n,
  },
];

export function followUpRules(rule: Rule): void {
  for (const { type, on, needs, needsForParts, afterPart, afterAll } of ROWS) {
    const what = on === "captured auth" ? `${type} of what was captured of an authorization` : type;
    const chargeFor = async (trial: Trial): Promise<ChargeToFollow> => {
      if (on !== "captured auth") return approvedCharge(trial, on);
      const charge = await approvedCharge(trial, "auth");
      await charge.approve("capture");
      return charge;
    };

    rule(`a ${what}, all of it, is approved with a whole response`, "answers", async (trial) => {
      trial.needCapability(...needs);
      const charge = await chargeFor(trial);
      assertProcessorResponse(responseOf(await trial.followUp(charge.question(type)), "approved"));
    });

    rule(
      `a ${what}, a part of it, asked again answers alike, and the rest is still there`,
      "answers",
      async (trial) => {
        trial.needCapability(...needsForParts);
        const charge = await chargeFor(trial);
        const question = charge.question(type, { minor: 400n });
        const first = await trial.followUp(question);
        responseOf(first, "approved");
        assert.deepEqual(await Promise.all([1, 2, 3].map(() => trial.followUp(question))), [first, first, first]);
        await charge.approve(type, { minor: 600n });
      },
    );

    rule(`a ${what} asked several times at once is booked once`, "answers", async (trial) => {
      const balance = trial.need(trial.subject.balance);
      trial.needCapability(...needsForParts);
      const charge = await chargeFor(trial);
      const question = charge.question(type, { minor: 400n });
      await Promise.all([1, 2, 3].map(() => trial.followUp(question)));
      assert.equal(await balance(charge.transactionId), afterPart);
      await charge.approve(type, { minor: 600n });
      assert.equal(await balance(charge.transactionId), afterAll);
    });
  }

  rule("a part of an authorization is captured", "answers", async (trial) => {
    await (await approvedCharge(trial, "auth")).approve("capture", { minor: 400n });
  });

  rule("an authorization is captured in several parts", "answers", async (trial) => {
    trial.needCapability("multipleCaptures");
    const charge = await approvedCharge(trial, "auth");
    for (const minor of [400n, 100n, 500n]) await charge.approve("capture", { minor });
  });

  rule("a part of an authorization is voided and the rest captured", "answers", async (trial) => {
    trial.needCapability("partialVoid");
    const charge = await approvedCharge(trial, "auth");
    await charge.approve("void", { minor: 400n });
    await charge.approve("capture", { minor: 600n });
  });

  rule("captured money is voided before it settles", "answers", async (trial) => {
    for (const type of ["sale", "auth"] as const) {
      const charge = await approvedCharge(trial, type);
      if (type === "auth") await charge.approve("capture");
      await charge.approve("void");
    }
  });
}
