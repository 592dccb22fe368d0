// How many requests a token may send in a minute (decisions 3). Counted by each node for itself.

import rateLimit from "@fastify/rate-limit";
import type { FastifyInstance } from "fastify";
import { callerOf } from "./callers.ts";
import { baseFault } from "./request-fault.ts";

const MINUTE_MS = 60_000;
const MOST_TOKENS_COUNTED = 100_000;

/** @param defaultPerMinute for tokens without a limit of their own; 0 is none */
export async function limitRates(app: FastifyInstance, defaultPerMinute: number): Promise<void> {
  await app.register(rateLimit, {
    global: true,
    hook: "onRequest",
    cache: MOST_TOKENS_COUNTED,
    timeWindow: MINUTE_MS,
    keyGenerator: (request) => callerOf(request).tokenId,
    max: (request) => callerOf(request).rateLimitPerMinute ?? defaultPerMinute,
    allowList: (request) => (callerOf(request).rateLimitPerMinute ?? defaultPerMinute) === 0,
    errorResponseBuilder: (_, { ttl }) =>
      baseFault(
        429,
        `Too many requests. Try again in ${Math.ceil(ttl / 1000)} seconds; nothing reached the processor.`,
      ),
  });
}
