// The header of the PROXY protocol, which a load balancer that passes connections on unread puts before each: who the client is. Written
// after the specification of HAProxy Technologies, "The PROXY protocol, versions 1 & 2" (2020/03/05).

import { isIP, isIPv4 } from "node:net";

export interface ProxiedFrom {
  readonly address: string;
  readonly port: number;
}

export type ProxyHeader =
  /** It may become one. */
  | { readonly kind: "incomplete" }
  | { readonly kind: "wrong"; readonly why: string }
  /** @property bytes its length; what follows is the client's. `from` is undefined of the load balancer's own connections. */
  | { readonly kind: "read"; readonly bytes: number; readonly from: ProxiedFrom | undefined };

/** Section 2.2. */
const SIGNATURE = Buffer.from("\r\n\r\n\0\r\nQUIT\n", "latin1");
const HEAD_BYTES = SIGNATURE.length + 4;
/** Section 2.1: the longest line of version 1, with its end. */
const MOST_LINE_BYTES = 107;
/** What may follow the addresses of version 2, such as a certificate's name: it is not read. */
const MOST_BYTES = 2_048;

const INCOMPLETE = { kind: "incomplete" } as const;
const wrong = (why: string) => ({ kind: "wrong", why }) as const;

/** @param bytes what has come so far */
export function readProxyHeader(bytes: Buffer): ProxyHeader {
  if (bytes.length === 0) return INCOMPLETE;
  const begins = SIGNATURE.subarray(0, bytes.length);
  if (bytes.subarray(0, SIGNATURE.length).equals(begins)) return readBinary(bytes);
  const word = "PROXY ";
  if (bytes.toString("latin1", 0, word.length) === word.slice(0, bytes.length)) return readLine(bytes);
  return wrong("it does not begin with a header of the PROXY protocol");
}

/** `PROXY TCP4 192.0.2.7 198.51.100.1 56324 443` */
function readLine(bytes: Buffer): ProxyHeader {
  const end = bytes.subarray(0, MOST_LINE_BYTES).indexOf("\r\n");
  if (end === -1)
    return bytes.length >= MOST_LINE_BYTES ? wrong("the PROXY line does not end within 107 bytes") : INCOMPLETE;
  const words = bytes.toString("latin1", 0, end).split(" ");
  const [, family, from = "", to = "", fromPort = "", toPort = "", ...more] = words;
  // What follows UNKNOWN is to be ignored.
  if (family === "UNKNOWN") return { kind: "read", bytes: end + 2, from: undefined };
  const version = family === "TCP4" ? 4 : family === "TCP6" ? 6 : 0;
  if (version === 0) return wrong("the PROXY line names neither TCP4, TCP6 nor UNKNOWN");
  if (isIP(from) !== version || isIP(to) !== version || from.includes("%"))
    return wrong(`the PROXY line's addresses are not of ${family}`);
  const port = portOf(fromPort);
  if (port === undefined || portOf(toPort) === undefined || more.length > 0)
    return wrong("the PROXY line does not end with two ports");
  return { kind: "read", bytes: end + 2, from: { address: from, port } };
}

const portOf = (text: string): number | undefined =>
  /^(0|[1-9]\d{0,4})$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined;

const LOCAL = 0;
const PROXY = 1;
const TCP_OVER_IPV4 = 0x11;
const TCP_OVER_IPV6 = 0x21;
const IPV4_BYTES = 4;
const IPV6_BYTES = 16;

function readBinary(bytes: Buffer): ProxyHeader {
  if (bytes.length < HEAD_BYTES) return INCOMPLETE;
  const [version, command] = [(bytes[12] ?? 0) >> 4, (bytes[12] ?? 0) & 0x0f];
  if (version !== 2) return wrong(`the PROXY header's version is ${version}, not 2`);
  if (command !== LOCAL && command !== PROXY) return wrong(`the PROXY header's command is ${command}`);
  const length = bytes.readUInt16BE(14);
  if (length > MOST_BYTES) return wrong(`the PROXY header is longer than ${MOST_BYTES} bytes`);
  if (bytes.length < HEAD_BYTES + length) return INCOMPLETE;
  const read = { kind: "read", bytes: HEAD_BYTES + length } as const;
  if (command === LOCAL) return { ...read, from: undefined };
  const family = bytes[13];
  // Section 2.2: what is not specified is the load balancer's own, as if it had said LOCAL.
  if (family === 0) return { ...read, from: undefined };
  if (family !== TCP_OVER_IPV4 && family !== TCP_OVER_IPV6) return wrong("the PROXY header is not about TCP");
  const size = family === TCP_OVER_IPV4 ? IPV4_BYTES : IPV6_BYTES;
  if (length < 2 * size + 4) return wrong("the PROXY header is too short for its addresses");
  const address = addressOf(bytes.subarray(HEAD_BYTES, HEAD_BYTES + size));
  return { ...read, from: { address, port: bytes.readUInt16BE(HEAD_BYTES + 2 * size) } };
}

/** As Node writes them: `2001:db8::7`, and IPv4 within IPv6 as IPv4. */
function addressOf(bytes: Buffer): string {
  if (bytes.length === IPV4_BYTES) return bytes.join(".");
  const groups = Array.from({ length: 8 }, (_, nth) => bytes.readUInt16BE(2 * nth).toString(16));
  const { hostname } = new URL(`http://[${groups.join(":")}]`);
  const [, within] = /^\[::ffff:([\da-f]{1,4}:[\da-f]{1,4})\]$/.exec(hostname) ?? [];
  const plain = bytes.subarray(-IPV4_BYTES).join(".");
  return within !== undefined && isIPv4(plain) ? plain : hostname.slice(1, -1);
}
