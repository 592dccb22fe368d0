// Counts failed authentications by address and limits them, so that tokens cannot be guessed. Valid tokens still work from a limited
// address.

import { isIP } from "node:net";
import { minuteCounts } from "../shares/minute-counts.ts";

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

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** An IPv4 address; of IPv6 the first 64 bits, since whoever has one address has all that begin with them (RFC 6177). */
export function networkOf(address: string): string {
  const mapped = MAPPED.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (isIP(address) !== 6) return address;
  const [head = "", tail] = (address.split("%")[0] ?? "").toLowerCase().split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array.from({ length: zeros }, () => "0"), ...after];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}
