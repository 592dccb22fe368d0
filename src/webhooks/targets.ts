// Where a webhook may be sent. An endpoint's address could otherwise make the gateway call what only the gateway can reach: databases,
// other services of its network, a cloud's metadata. Live mode refuses that; the sandbox may call anything.

import { BlockList, isIP } from "node:net";
import type { Mode } from "../settings.ts";

export const MOST_URL = 2_048;
const HTTPS = 443;
const HTTP = 80;
const FIRST_UNPRIVILEGED = 1_024;

export const URL_MUST_BE = {
  live: `an https address of at most ${MOST_URL} characters, of a host on the public internet, without user and password, on port 443 or from 1024 on`,
  sandbox: `an http or https address of at most ${MOST_URL} characters, without user and password`,
} as const satisfies Record<Mode, string>;

/** What may be called as far as the address itself tells; a name's addresses are checked when it is called. */
export function targetOf(text: string, mode: Mode): URL | undefined {
  // Also what the parser would take away in silence (blanks, line ends, a backslash for a slash), and what turns the text for its reader.
  if (text.length > MOST_URL || /[\s\p{Cc}\u202a-\u202e\u2066-\u2069\\]/u.test(text)) return undefined;
  // The parser writes 2130706433, 0x7f.1 and 127.0.0.1. as the address that they are.
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "" || url.hostname === "") return undefined;
  if (url.protocol !== "https:" && !(mode === "sandbox" && url.protocol === "http:")) return undefined;
  if (mode === "sandbox") return url;
  const port = url.port === "" ? (url.protocol === "https:" ? HTTPS : HTTP) : Number(url.port);
  if (port !== HTTPS && port < FIRST_UNPRIVILEGED) return undefined;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return isIP(host) !== 0 && !isPublic(host) ? undefined : url;
}

const REFUSED = new BlockList();
/** IANA's registry of special-purpose addresses, and multicast. */
for (const [network, prefix] of [
  ["0.0.0.0", 8], // this network; unspecified
  ["10.0.0.0", 8], // private
  ["100.64.0.0", 10], // carrier-grade NAT
  ["127.0.0.0", 8], // loopback
  ["169.254.0.0", 16], // link-local; clouds' metadata
  ["172.16.0.0", 12], // private
  ["192.0.0.0", 24], // protocol assignments
  ["192.0.2.0", 24], // documentation
  ["192.88.99.0", 24], // 6to4 relays
  ["192.168.0.0", 16], // private
  ["198.18.0.0", 15], // benchmarks
  ["198.51.100.0", 24], // documentation
  ["203.0.113.0", 24], // documentation
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4], // reserved; broadcast
] as const)
  REFUSED.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of [
  ["2001::", 23], // protocol assignments; Teredo
  ["2001:db8::", 32], // documentation
  ["2002::", 16], // 6to4
  ["3fff::", 20], // documentation
] as const)
  REFUSED.addSubnet(network, prefix, "ipv6");

/** RFC 4291, section 2.4: all that is assigned. Mapped IPv4, NAT64, local, link-local and multicast are outside of it. */
const GLOBAL_UNICAST = new BlockList();
GLOBAL_UNICAST.addSubnet("2000::", 3, "ipv6");

/** Whether this IP address is one of the public internet. */
export function isPublic(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !REFUSED.check(address, "ipv4");
    case 6:
      // (A zone, as in fe80::1%eth0, has no place in a public address.)
      return !address.includes("%") && GLOBAL_UNICAST.check(address, "ipv6") && !REFUSED.check(address, "ipv6");
    default:
      return false;
  }
}
