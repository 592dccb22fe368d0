// Bodies on their way lie in memory, and whoever sends slowly keeps them there. Each merchant, and each address without a token,
// has a share; beyond it the body that has been on its way for longest is refused. Whoever sends at a common pace is never that one.

import type { FastifyRequest } from "fastify";
import type { Holder } from "../../shares/loop-turns.ts";
import { networkOf } from "../../shares/network.ts";
import { addressOf } from "../callers.ts";
import { baseFault, type RequestFault } from "../request-fault.ts";

export interface ArrivalLimits {
  readonly mostBytesOfOne: number;
  readonly mostBytesOfAll: number;
}

/** Those that are known take nothing from strangers, nor strangers from them. */
export interface ArrivingLimits {
  readonly known: ArrivalLimits;
  readonly strangers: ArrivalLimits;
}

const MIB = 1_048_576;
const LIMITS: ArrivingLimits = {
  known: { mostBytesOfOne: 16 * MIB, mostBytesOfAll: 64 * MIB },
  strangers: { mostBytesOfOne: 2 * MIB, mostBytesOfAll: 16 * MIB },
};

export interface Arrival {
  came(bytes: number): void;
  /** It is here, or will not come. */
  end(): void;
}

export interface ArrivingBodies {
  /** @param refuse called once at most, and nothing counts any more */
  begin(holder: Holder, refuse: (fault: RequestFault) => void): Arrival;
}

const SOON = { "retry-after": "1" };
const REFUSED = {
  own: baseFault(429, "Too much that you send is on its way. Nothing was done; send whole bodies at once.", SOON),
  all: baseFault(503, "Too much is on its way to the gateway. Nothing was done; try again in a moment.", SOON),
} as const;

export function arrivingBodies({ known, strangers }: ArrivingLimits = LIMITS): ArrivingBodies {
  const [ofKnown, ofStrangers] = [sharesOf(known), sharesOf(strangers)];
  return { begin: (holder, refuse) => (holder.known ? ofKnown : ofStrangers)(holder.name, refuse) };
}

interface One {
  bytes: number;
  readonly refuse: (fault: RequestFault) => void;
}

/** The one that began first comes first. */
interface Share {
  bytes: number;
  readonly arrivals: Set<One>;
}

function sharesOf({ mostBytesOfOne, mostBytesOfAll }: ArrivalLimits) {
  const shares = new Map<string, Share>();
  let bytesOfAll = 0;

  const leave = (name: string, share: Share, one: One): void => {
    if (!share.arrivals.delete(one)) return;
    share.bytes -= one.bytes;
    bytesOfAll -= one.bytes;
    if (share.arrivals.size === 0) shares.delete(name);
  };

  const refuseOldest = (name: string, share: Share, fault: RequestFault): void => {
    const [oldest] = share.arrivals;
    if (oldest === undefined) return;
    leave(name, share, oldest);
    oldest.refuse(fault);
  };

  const keepWithinBounds = (name: string, share: Share): void => {
    while (share.bytes > mostBytesOfOne) refuseOldest(name, share, REFUSED.own);
    while (bytesOfAll > mostBytesOfAll) refuseOldest(...largestOf(shares), REFUSED.all);
  };

  return (name: string, refuse: (fault: RequestFault) => void): Arrival => {
    const share = shares.get(name) ?? { bytes: 0, arrivals: new Set() };
    const one = { bytes: 0, refuse };
    share.arrivals.add(one);
    shares.set(name, share);
    return {
      came: (bytes) => {
        if (!share.arrivals.has(one)) return;
        one.bytes += bytes;
        share.bytes += bytes;
        bytesOfAll += bytes;
        keepWithinBounds(name, share);
      },
      end: () => leave(name, share, one),
    };
  };
}

function largestOf(shares: ReadonlyMap<string, Share>): [name: string, share: Share] {
  const [first, ...others] = shares;
  if (first === undefined) throw new Error("broken invariant: bytes of nobody");
  return others.reduce((largest, other) => (other[1].bytes > largest[1].bytes ? other : largest), first);
}

/** Whose share a body takes. */
export function senderOf(request: FastifyRequest): Holder {
  const { caller, operator, session } = request;
  if (caller) return { name: caller.merchantId, known: true };
  if (operator) return { name: session?.merchantId ?? "operator", known: true };
  return { name: networkOf(addressOf(request)), known: false };
}
