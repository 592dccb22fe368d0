// Which faults pass by themselves, and when what failed is asked again. Pure.

import { ApiError, ConnectionError } from "../../../packages/client/src/errors.ts";

const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 30_000;

/** Whether the next answer may be another one: there was none, or the gateway or its proxy could not give it just then. */
export const passes = (fault: unknown): boolean =>
  fault instanceof ConnectionError || (fault instanceof ApiError && [429, 502, 503, 504].includes(fault.status));

/** Of what Retry-After wants: a proxy may say a month, which no timer takes. */
const LONGEST_WANTED_MS = 300_000;

/** For queries. One call has repeated itself for some seconds before it fails (see ask.ts). */
export const ASKED_AGAIN = {
  retry: (_failures: number, fault: Error): boolean => passes(fault),
  retryDelay: (failures: number, fault: Error): number => {
    const wantedMs = fault instanceof ApiError ? 1_000 * (fault.retryAfterSeconds ?? 0) : 0;
    return Math.max(Math.min(LONGEST_WANTED_MS, wantedMs), Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures));
  },
};
