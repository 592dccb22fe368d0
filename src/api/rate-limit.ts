// How many requests a token, or a person by all sessions together, may send in a minute (decisions 3), over all nodes together. How
// they are counted is in shares/shared-counts.ts. A wrong body that takes much of the
// processor's time counts as several.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Counted } from "../shares/minute-counts.ts";
import type { SharedCounts } from "../shares/shared-counts.ts";
import { callerOf, operatorOf } from "./callers.ts";
import { baseFault, type RequestFault } from "./request-fault.ts";

interface Limit {
  /** Whose requests are counted together. */
  readonly holder: string;
  /** In a minute; 0 is no limit. */
  readonly most: number;
}

/** For all routes of this instance and what it does not find. @param defaultPerMinute for tokens without a limit of their own; 0 is none */
export function limitRates(app: FastifyInstance, counts: SharedCounts, defaultPerMinute: number): void {
  limit(app, counts, "; nothing reached the processor", (request) => {
    const { tokenId, rateLimitPerMinute } = callerOf(request);
    return { holder: tokenId, most: rateLimitPerMinute ?? defaultPerMinute };
  });
}

/** Of people under /operator, as under /api. Operators' tokens have no limit: programs of the operator's own use them. */
export function limitPeoplesRates(app: FastifyInstance, counts: SharedCounts, perMinute: number): void {
  limit(app, counts, "", (request) => ({
    holder: operatorOf(request).tokenId,
    most: request.session ? perMinute : 0,
  }));
}

/** @param besides what the refusal says beside when to come again */
function limit(
  app: FastifyInstance,
  counts: SharedCounts,
  besides: string,
  limitOf: (request: FastifyRequest) => Limit,
): void {
  app.addHook("onRequest", (request, reply, done) => {
    const { holder, most } = limitOf(request);
    if (most === 0) return done();
    request.countsMore = (times) => {
      for (let more = 0; more < Math.min(times, most); more++) void counts.count(holder, most);
    };
    const judge = (counted: Counted): void => {
      tell(reply, counted, most);
      done(counted.nth > most ? tooMany(counted, besides) : undefined);
    };
    const counted = counts.count(holder, most);
    if (counted instanceof Promise) counted.then(judge, done);
    else judge(counted);
  });
}

const secondsLeft = ({ leftMs }: Counted): number => Math.ceil(leftMs / 1_000);

function tell(reply: FastifyReply, counted: Counted, most: number): void {
  reply.header("x-ratelimit-limit", most);
  reply.header("x-ratelimit-remaining", Math.max(0, most - counted.nth));
  reply.header("x-ratelimit-reset", secondsLeft(counted));
}

function tooMany(counted: Counted, besides: string): RequestFault {
  const seconds = secondsLeft(counted);
  const text = `Too many requests. Try again in ${seconds} seconds${besides}.`;
  return baseFault(429, text, { "retry-after": String(seconds) });
}
