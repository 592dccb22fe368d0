// What holds for the processor response of every answer, whatever the processor.

import assert from "node:assert/strict";
import { inspect } from "node:util";
import type { ProcessorResponse } from "../../src/payment/outcome.ts";

/** The processor response of an answer of this kind; anything else fails. */
export function responseOf(
  answer: { readonly kind: string; readonly processorResponse?: ProcessorResponse },
  kind: "approved" | "declined",
): ProcessorResponse {
  assert.equal(answer.kind, kind, inspect(answer));
  assert.ok(answer.processorResponse);
  return answer.processorResponse;
}

const AVS_WORDS = ["match", "address_match", "postal_match", "no_match", "unavailable", "not_supported"];
const CVV_WORDS = ["match", "no_match", "not_processed", "not_present", "unsupported"];
const THREE_D_SECURE_WORDS = ["attempted", "failed", "success", "error", "unavailable"];

/** Specification 2.2: what an event may carry of a processor response. */
export function assertProcessorResponse(response: ProcessorResponse): void {
  const within = (text: string | null, least: number, most: number) =>
    typeof text === "string" && text.length >= least && text.length <= most;
  const oneOf = (word: string | null, words: readonly string[]) => word === null || words.includes(word);
  const shown = inspect(response);
  assert.ok(within(response.code, 2, 10), `code of 2 to 10 characters: ${shown}`);
  assert.ok(within(response.message, 1, 255), `message of 1 to 255 characters: ${shown}`);
  assert.ok(response.transactionId === null || within(response.transactionId, 1, 255), `transactionId: ${shown}`);
  assert.ok(response.authCode === null || /^[0-9A-Z]{6}$/.test(response.authCode), `authCode: ${shown}`);
  assert.ok(oneOf(response.avs, AVS_WORDS), `avs: ${shown}`);
  assert.ok(oneOf(response.cvv, CVV_WORDS), `cvv: ${shown}`);
  assert.ok(oneOf(response.threeDSecure, THREE_D_SECURE_WORDS), `threeDSecure: ${shown}`);
  for (const [word, raw] of [
    [response.avs, response.rawAvs],
    [response.cvv, response.rawCvv],
  ] as const) {
    assert.ok(raw === null || within(raw, 1, 255), `a raw letter: ${shown}`);
    assert.ok(word === null || raw !== null, `a word comes from a letter: ${shown}`);
  }
  assert.ok(response.rawThreeDSecure === null || within(response.rawThreeDSecure, 1, 255), `rawThreeDSecure: ${shown}`);
  assert.ok(response.detail === null || within(response.detail, 1, 255), `detail: ${shown}`);
}
