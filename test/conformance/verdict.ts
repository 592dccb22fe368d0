// What holds for the verdict of every answer, whatever the processor.

import assert from "node:assert/strict";
import { inspect } from "node:util";
import type { Verdict } from "../../src/payment/transaction.ts";

/** The verdict of an answer of this kind; anything else fails. */
export function verdictOf(
  answer: { readonly kind: string; readonly verdict?: Verdict },
  kind: "approved" | "declined",
): Verdict {
  assert.equal(answer.kind, kind, inspect(answer));
  assert.ok(answer.verdict);
  return answer.verdict;
}

const AVS_WORDS = ["match", "address_match", "postal_match", "no_match", "unavailable", "not_supported"];
const CVV_WORDS = ["match", "no_match", "not_processed", "not_present", "unsupported"];
const THREE_D_SECURE_WORDS = ["attempted", "failed", "success", "error", "unavailable"];

/** Specification 2.2: what an event may carry of a processor's verdict. */
export function assertVerdict(verdict: Verdict): void {
  const within = (text: string | null, least: number, most: number) =>
    typeof text === "string" && text.length >= least && text.length <= most;
  const oneOf = (word: string | null, words: readonly string[]) => word === null || words.includes(word);
  const shown = inspect(verdict);
  assert.ok(within(verdict.code, 2, 10), `code of 2 to 10 characters: ${shown}`);
  assert.ok(within(verdict.message, 1, 255), `message of 1 to 255 characters: ${shown}`);
  assert.ok(verdict.transactionId === null || within(verdict.transactionId, 1, 255), `transactionId: ${shown}`);
  assert.ok(verdict.authCode === null || /^[0-9A-Z]{6}$/.test(verdict.authCode), `authCode: ${shown}`);
  assert.ok(oneOf(verdict.avs, AVS_WORDS), `avs: ${shown}`);
  assert.ok(oneOf(verdict.cvv, CVV_WORDS), `cvv: ${shown}`);
  assert.ok(oneOf(verdict.threeDSecure, THREE_D_SECURE_WORDS), `threeDSecure: ${shown}`);
  for (const [word, raw] of [
    [verdict.avs, verdict.rawAvs],
    [verdict.cvv, verdict.rawCvv],
  ] as const) {
    assert.ok(raw === null || within(raw, 1, 255), `a raw letter: ${shown}`);
    assert.ok(word === null || raw !== null, `a word comes from a letter: ${shown}`);
  }
  assert.ok(verdict.rawThreeDSecure === null || within(verdict.rawThreeDSecure, 1, 255), `rawThreeDSecure: ${shown}`);
  assert.ok(verdict.detail === null || within(verdict.detail, 1, 255), `detail: ${shown}`);
}
