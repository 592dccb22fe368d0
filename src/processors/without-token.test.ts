import assert from "node:assert/strict";
import { test } from "node:test";
import { Secret } from "../payment/secret.ts";
import { NOTHING_CHECKED } from "../payment/verification.ts";
import { withoutToken } from "./without-token.ts";

const TOKEN = new Secret("processor token", "pm_1");

test("no answer repeats the token, and nothing else of it changes", () => {
  const response = {
    code: "NO",
    message: "No such PaymentMethod: 'pm_1', pm_1",
    transactionId: "pi_1",
    authCode: null,
  };
  const processorResponse = { ...response, ...NOTHING_CHECKED };
  assert.deepEqual(withoutToken({ kind: "unanswered", why: "HTTP 500 pm_1" }, TOKEN), {
    ...{ kind: "unanswered", why: "HTTP 500 •••" },
  });
  assert.deepEqual(withoutToken({ kind: "declined", processorResponse, category: "refused" }, TOKEN), {
    ...{ kind: "declined", category: "refused" },
    processorResponse: { ...processorResponse, message: "No such PaymentMethod: '•••', •••" },
  });
});
