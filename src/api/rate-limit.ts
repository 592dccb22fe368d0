// How many requests a token may send in a minute (decisions 3), over all nodes together.

import rateLimit, { type FastifyRateLimitStore, type FastifyRateLimitStoreCtor } from "@fastify/rate-limit";
import type { FastifyInstance } from "fastify";
import type { SharedCounts } from "../shares/shared-counts.ts";
import { callerOf } from "./callers.ts";
import { baseFault } from "./request-fault.ts";

const MINUTE_MS = 60_000;

/** @param defaultPerMinute for tokens without a limit of their own; 0 is none */
export async function limitRates(app: FastifyInstance, counts: SharedCounts, defaultPerMinute: number): Promise<void> {
  await app.register(rateLimit, {
    global: true,
    hook: "onRequest",
    store: storeOf(counts),
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

/** The counts as the plugin asks for them. */
const storeOf = (counts: SharedCounts): FastifyRateLimitStoreCtor =>
  class Store implements FastifyRateLimitStore {
    incr(tokenId: string, done: Parameters<FastifyRateLimitStore["incr"]>[1], _minute: number, most: number): void {
      const counted = counts.count(tokenId, most);
      if (counted instanceof Promise)
        counted.then(({ nth, leftMs }) => done(null, { current: nth, ttl: leftMs }), done);
      else done(null, { current: counted.nth, ttl: counted.leftMs });
    }
    child(): FastifyRateLimitStore {
      return this;
    }
  };
