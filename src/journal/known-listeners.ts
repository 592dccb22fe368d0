// Which merchants were found to have an endpoint for webhooks: what is concluded of theirs is told of in the first statement, not in a
// second one. Only a guess at what the statement needs; who is told of what, the statement itself decides.

export interface KnownListeners {
  readonly has: (merchantId: string) => boolean;
  readonly add: (merchantId: string) => void;
}

/** Whoever removed the last endpoint is found out by then. */
const KEPT_MS = 60_000;
const MOST_KEPT = 10_000;

/** @param now milliseconds that never go back */
export function rememberedListeners(now = () => performance.now()): KnownListeners {
  const seenAt = new Map<string, number>();
  return {
    has: (merchantId) => now() - (seenAt.get(merchantId) ?? Number.NEGATIVE_INFINITY) < KEPT_MS,
    add: (merchantId) => {
      if (seenAt.size >= MOST_KEPT) seenAt.clear();
      seenAt.set(merchantId, now());
    },
  };
}
