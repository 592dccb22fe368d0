// Conformance: what a processor cannot express it says beforehand, and all else that the API takes it sends. A charge that is not sent for
// what is in it would count as an outage.

import assert from "node:assert/strict";
import { inspect } from "node:util";
import fc from "fast-check";
import { fitsCurrency } from "../../src/payment/currency.ts";
import type { ToExpress } from "../../src/payment/expressible.ts";
import type { ChargeQuestion } from "../../src/processors/processor.ts";
import { SEED, sized } from "../random.ts";
import { extremeCharges } from "./extreme-charges.ts";
import type { Rule } from "./rule.ts";
import { STORED } from "./stored-credentials.ts";

const toExpress = ({ currency, amount, threeDSecure, passengers, storedCredential }: ChargeQuestion): ToExpress => ({
  ...{ currency, amount, threeDSecure },
  ...(storedCredential && { initiation: storedCredential }),
  passengers: passengers?.length ?? 0,
});

export function expressionRules(rule: Rule): void {
  rule(
    "every charge that the API takes is sent, or what of it cannot be expressed is known before",
    "answers",
    async (trial) => {
      const { processor, subject } = trial;
      let sent = 0;
      await fc.assert(
        fc.asyncProperty(extremeCharges(subject.currency, subject.approvedCard), async (charge) => {
          fc.pre(fitsCurrency(charge.amount, charge.currency));
          if (processor.cannotExpress(toExpress(charge)).length > 0) return;
          const answer = await trial.charge(charge);
          // A decline would be for what is in it, too: the card is one that is approved.
          assert.equal(answer.kind, "approved", inspect(answer));
          sent++;
        }),
        { seed: SEED, numRuns: sized(60, 5_000) },
      );
      assert.ok(sent > 0);
    },
  );

  rule("a limit names a field of the request and what would be right", "answers", async ({ processor, subject }) => {
    fc.assert(
      fc.property(extremeCharges(subject.currency, subject.approvedCard), (charge) => {
        for (const { field, limit } of processor.cannotExpress(toExpress(charge))) {
          assert.match(
            field,
            /^(amount|threeds_cavv|threeds_xid|passenger_transport|initiator|reason|network_transaction_id)$/,
          );
          assert.match(limit, /^[a-z].*[^.]$/);
        }
      }),
      { seed: SEED, numRuns: sized(200, 20_000) },
    );
  });

  rule("a charge of a card on file can be expressed, whoever initiates it, and why", "answers", async (trial) => {
    for (const storedCredential of STORED)
      assert.deepEqual(trial.processor.cannotExpress(toExpress({ ...trial.question("sale"), storedCredential })), []);
  });

  rule("an ordinary charge can be expressed", "answers", async (trial) => {
    for (const type of ["sale", "auth"] as const)
      assert.deepEqual(trial.processor.cannotExpress(toExpress(trial.question(type))), []);
  });
}
