// Who initiates a charge, and why, as Adyen is told of it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { againstOpenApi } from "../../../test/conformance/adyen-openapi.ts";
import { ACCOUNT } from "../../../test/conformance/adyen-subject.ts";
import { chargeQuestion } from "../../../test/conformance/questions.ts";
import type { StoredCredential } from "../../payment/stored-credential.ts";
import { paymentRequest } from "./requests.ts";
import { withDefaults } from "./settings.ts";

const SETTINGS = withDefaults(ACCOUNT);
const FIRST = "483297487231504";

test("who initiates a charge, and why, stands in Adyen's own words", () => {
  for (const [storedCredential, expected] of [
    [undefined, { shopperInteraction: "Ecommerce" }],
    [
      { initiator: "payer", use: "first" },
      { shopperInteraction: "Ecommerce", recurringProcessingModel: "CardOnFile" },
    ],
    [
      { initiator: "payer", reason: "installment", use: "first" },
      { shopperInteraction: "Ecommerce", recurringProcessingModel: "Subscription" },
    ],
    [
      { initiator: "payer", use: "later", networkTransactionId: FIRST },
      {
        shopperInteraction: "ContAuth",
        recurringProcessingModel: "CardOnFile",
        additionalData: { networkTxReference: FIRST },
      },
    ],
    [
      { initiator: "merchant", reason: "recurring", use: "later", networkTransactionId: FIRST },
      {
        shopperInteraction: "ContAuth",
        recurringProcessingModel: "Subscription",
        additionalData: { networkTxReference: FIRST },
      },
    ],
    [
      { initiator: "merchant", reason: "installment", use: "later" },
      { shopperInteraction: "ContAuth", recurringProcessingModel: "Subscription", industryUsage: "installment" },
    ],
    ...(["unscheduled", "deposit", "resubmission"] as const).map(
      (reason) =>
        [
          { initiator: "merchant", reason, use: "later" },
          { shopperInteraction: "ContAuth", recurringProcessingModel: "UnscheduledCardOnFile" },
        ] as const,
    ),
    [
      { initiator: "merchant", reason: "no-show", use: "later" },
      { shopperInteraction: "ContAuth", recurringProcessingModel: "UnscheduledCardOnFile", industryUsage: "noShow" },
    ],
    [
      { initiator: "merchant", reason: "delayed-charge", use: "later" },
      {
        shopperInteraction: "ContAuth",
        recurringProcessingModel: "UnscheduledCardOnFile",
        industryUsage: "delayedCharge",
      },
    ],
  ] as const satisfies readonly (readonly [StoredCredential | undefined, object])[]) {
    const request = paymentRequest(
      { ...chargeQuestion("sale"), ...(storedCredential && { storedCredential }) },
      SETTINGS,
    );
    assert.ok(request);
    againstOpenApi({ path: "/payments", body: { ...request } });
    const { shopperInteraction, recurringProcessingModel, industryUsage, additionalData } = request;
    const said = { shopperInteraction, recurringProcessingModel, industryUsage, additionalData };
    assert.deepEqual(Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)), expected);
  }
});

test("an auth of a card on file is captured by hand, and names the first charge of its card", () => {
  const storedCredential = { initiator: "payer", use: "later", networkTransactionId: FIRST } as const;
  assert.deepEqual(paymentRequest({ ...chargeQuestion("auth"), storedCredential }, SETTINGS)?.additionalData, {
    manualCapture: "true",
    networkTxReference: FIRST,
  });
});
