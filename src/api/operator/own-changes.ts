// How many changes a merchant's own people make in a minute, all together. Each leaves an entry in the audit log, which is kept for a
// year, so a rate limit of each person is no bound on it.

import type { FastifyInstance } from "fastify";
import { minuteCounts } from "../../shares/minute-counts.ts";
import { baseFault } from "../request-fault.ts";
import { changes } from "../session-callers.ts";

/** Nobody clicks so often. */
const MOST_A_MINUTE = 120;
const MOST_MERCHANTS = 10_000;

/** For all routes of this instance, after it is known that who asks may. Each node counts for itself. */
export function limitOwnChanges(operator: FastifyInstance): void {
  const count = minuteCounts(MOST_MERCHANTS);
  operator.addHook("preParsing", async (request) => {
    const merchantId = request.session?.merchantId;
    const { changesNothing = false } = request.routeOptions.config;
    if (!merchantId || request.is404 || changesNothing || !changes(request)) return;
    const { nth, leftMs } = count(merchantId);
    if (nth <= MOST_A_MINUTE) return;
    const seconds = Math.max(1, Math.ceil(leftMs / 1_000));
    const text = `The merchant's people make ${MOST_A_MINUTE} changes a minute at most. Nothing was done; try again in ${seconds} seconds.`;
    throw baseFault(429, text, { "retry-after": String(seconds) });
  });
}
