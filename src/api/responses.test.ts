import assert from "node:assert/strict";
import { test } from "node:test";
import { EVERY_CAPABILITY } from "../../test/rulings.ts";
import { at, told } from "../../test/transactions.ts";
import type { Terms } from "../payment/actions.ts";
import { defaultSchedule } from "../payment/settlement.ts";
import { renderEnd } from "./responses.ts";

const TERMS: Terms = { capabilities: EVERY_CAPABILITY, schedule: defaultSchedule("USD"), cardNumber: "not wanted" };

/** What a follow-up that was not sent is answered as the last of these events. */
function notSent(...steps: readonly string[]): string {
  const transaction = told("USD sale 100", ...steps);
  const { status, body } = renderEnd("follow-up", { transaction, kind: "not-sent", terms: TERMS }, at("1 13:00"));
  assert.equal(status, 503);
  const [text, id] = JSON.parse(body).error.message.base[0].split(" in transaction ");
  assert.equal(id, `${transaction.id}.`);
  return text;
}

test("what was not sent is said of the step that was not: of a reversal, the void was asked for before its refund", () => {
  const nothing = "The processor is out of reach, and nothing was sent to it. The attempt is on record";
  const refund =
    "The processor is out of reach: it did not do the void, and the refund was not sent to it. Both attempts are on record";
  assert.equal(notSent("void 100 not-sent"), nothing);
  assert.equal(notSent("void 100 reversal not-sent"), nothing);
  assert.equal(notSent("void 100 declined", "refund 100 not-sent"), nothing);
  assert.equal(notSent("void 100 reversal declined", "void 100 not-sent"), nothing);
  for (const end of ["declined", "already-settled"])
    assert.equal(notSent(`void 100 reversal ${end}`, "refund 100 reversal not-sent"), refund);
});
