// How many requests a token, or a person by all sessions together, may send in a minute (decisions 3), over all nodes together.

import rateLimit, { type FastifyRateLimitStore, type FastifyRateLimitStoreCtor } from "@fastify/rate-limit";
import type { FastifyInstance } from "fastify";
import type { SharedCounts } from "../shares/shared-counts.ts";
import { callerOf, operatorOf } from "./callers.ts";
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
    errorResponseBuilder: (_, { ttl }) => tooMany(ttl, "; nothing reached the processor"),
  });
}

/** Of people under /operator, as under /api. Operators' tokens have no limit: programs of the operator's own use them. */
export async function limitPeoplesRates(app: FastifyInstance, counts: SharedCounts, perMinute: number): Promise<void> {
  await app.register(rateLimit, {
    global: true,
    hook: "onRequest",
    store: storeOf(counts),
    timeWindow: MINUTE_MS,
    keyGenerator: (request) => operatorOf(request).tokenId,
    max: perMinute,
    allowList: (request) => perMinute === 0 || !request.session,
    errorResponseBuilder: (_, { ttl }) => tooMany(ttl),
  });
}

const tooMany = (leftMs: number, more = "") =>
  baseFault(429, `Too many requests. Try again in ${Math.ceil(leftMs / 1000)} seconds${more}.`);

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
