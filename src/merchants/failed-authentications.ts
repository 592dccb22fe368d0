// Counts failed authentications by address and limits them, so that tokens cannot be guessed. Valid tokens still work from a limited
// address.

import { minuteCounts } from "../shares/minute-counts.ts";
import { networkOf } from "../shares/network.ts";

const MOST_ADDRESSES = 10_000;

export interface FailedAuthentications {
  /**
   * Counts one more.
   * @returns undefined as long as there are not too many; then how long to wait, and whether this is the first time to say so
   */
  failed(address: string): { readonly waitSeconds: number; readonly first: boolean } | undefined;
}

/**
 * @param mostAMinute 0 is no limit
 * @param realTimeMs monotonic
 * @param mostAddresses beyond it the one that has been counted for longest is forgotten
 */
export function failedAuthentications(
  mostAMinute: number,
  realTimeMs?: () => number,
  mostAddresses = MOST_ADDRESSES,
): FailedAuthentications {
  const count = minuteCounts(mostAddresses, realTimeMs);
  return {
    failed: (address) => {
      if (mostAMinute === 0) return undefined;
      const { nth, leftMs } = count(networkOf(address));
      if (nth <= mostAMinute) return undefined;
      return { waitSeconds: Math.max(1, Math.ceil(leftMs / 1000)), first: nth === mostAMinute + 1 };
    },
  };
}
