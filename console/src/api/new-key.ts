// Idempotency keys: a key for each thing that is asked for, however often it is sent.

import { ApiError } from "../../../packages/client/src/errors.ts";

/** Not `crypto.randomUUID`, which browsers have only on https and on this machine. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `console-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** 401 and 403 come before anybody looks at the key, and so does 429; 409 says that its first request is still in flight. */
const TELLS_NOTHING_OF_THE_KEY: readonly number[] = [401, 403, 409, 429];

/**
 * Whether what was asked with a key has its end, so that another click is another request and needs another key. As long as it may still
 * be carried out, the key stays: with another one, a refund would be made twice.
 * @param outcome what was answered, or what was thrown
 */
export function hasItsEnd(outcome: unknown): boolean {
  if (!(outcome instanceof Error)) return true;
  if (!(outcome instanceof ApiError)) return false;
  const { status, replayed, refusal } = outcome;
  if (status === 503) return replayed;
  return status < 500 && !TELLS_NOTHING_OF_THE_KEY.includes(status) && refusal !== "key-of-another-request";
}

/** Whether a person should know that the click may have done something. */
export const mayBeDone = (fault: Error): boolean =>
  !hasItsEnd(fault) && !(fault instanceof ApiError && [401, 403, 429, 503].includes(fault.status));
