import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readProxyHeader } from "./proxy-header.ts";

const SIGNATURE = "0d0a0d0a000d0a515549540a";
/** @param head version and command, family and protocol, in hexadecimal */
const binary = (head: string, rest: string, length = rest.length / 2): Buffer =>
  Buffer.from(`${SIGNATURE}${head}${length.toString(16).padStart(4, "0")}${rest}`, "hex");
const V4 = "c0000207c6336401dc0401bb";
const V6 = `20010db8${"0".repeat(22)}07${"20010db8"}${"0".repeat(22)}01dc0401bb`;
const MAPPED = `${"0".repeat(20)}ffffc0000207${"0".repeat(20)}ffffc6336401dc0401bb`;

test("a header that is right is read to its end, whatever follows it", () => {
  for (const [name, header, address, port] of [
    ["TCP4", "PROXY TCP4 192.0.2.7 198.51.100.1 56324 443\r\n", "192.0.2.7", 56_324],
    ["TCP6", "PROXY TCP6 2001:db8::7 2001:db8::1 0 65535\r\n", "2001:db8::7", 0],
    ["UNKNOWN", "PROXY UNKNOWN\r\n", undefined, undefined],
    ["UNKNOWN with more", "PROXY UNKNOWN ffff::1 ffff::2 65535 65535\r\n", undefined, undefined],
    ["version 2, IPv4", binary("2111", V4), "192.0.2.7", 56_324],
    ["version 2, IPv6", binary("2121", V6), "2001:db8::7", 56_324],
    ["version 2, IPv4 in IPv6", binary("2121", MAPPED), "192.0.2.7", 56_324],
    ["version 2, with a certificate's name behind", binary("2111", `${V4}0200056162636465`), "192.0.2.7", 56_324],
    ["version 2, LOCAL", binary("2000", ""), undefined, undefined],
    ["version 2, LOCAL with addresses", binary("2011", V4), undefined, undefined],
    ["version 2, of no family", binary("2100", ""), undefined, undefined],
    ["version 2, as long as may be", binary("2111", V4.padEnd(2 * 2_048, "0")), "192.0.2.7", 56_324],
  ] as const) {
    const bytes = Buffer.from(header as Buffer);
    const from = address === undefined ? undefined : { address, port };
    const read = { kind: "read", bytes: bytes.length, from };
    assert.deepEqual(readProxyHeader(bytes), read, name);
    assert.deepEqual(readProxyHeader(Buffer.concat([bytes, Buffer.from("GET / HTTP/1.1\r\n")])), read, name);
    for (let length = 0; length < Math.min(bytes.length, 120); length++)
      assert.deepEqual(readProxyHeader(bytes.subarray(0, length)), { kind: "incomplete" }, `${name}: ${length} bytes`);
  }
});

test("what is not one, or is not as the specification has it, is wrong", () => {
  for (const header of [
    "GET / HTTP/1.1\r\n",
    "\0",
    "proxy TCP4 192.0.2.7 198.51.100.1 1 2\r\n",
    "PROXYTCP4 192.0.2.7 198.51.100.1 1 2\r\n",
    "PROXY \r\n",
    "PROXY TCP 192.0.2.7 198.51.100.1 1 2\r\n",
    "PROXY TCP4 192.0.2.7 198.51.100.1 1\r\n",
    "PROXY TCP4 192.0.2.7 198.51.100.1 1 2 3\r\n",
    "PROXY TCP4  192.0.2.7 198.51.100.1 1 2\r\n",
    "PROXY TCP4 192.0.2.7 198.51.100.1 65536 2\r\n",
    "PROXY TCP4 192.0.2.7 198.51.100.1 01 2\r\n",
    "PROXY TCP4 192.0.2.7 198.51.100.1 -1 2\r\n",
    "PROXY TCP4 192.0.2.256 198.51.100.1 1 2\r\n",
    "PROXY TCP4 192.0.2.7, 198.51.100.1 1 2\r\n",
    "PROXY TCP4 2001:db8::7 2001:db8::1 1 2\r\n",
    "PROXY TCP6 192.0.2.7 198.51.100.1 1 2\r\n",
    "PROXY TCP6 fe80::1%eth0 2001:db8::1 1 2\r\n",
    "PROXY TCP4 192.0.2.7 198.51.100.1 1 2\n\r\n",
    `PROXY UNKNOWN ${"x".repeat(92)}\r\n`,
    `PROXY TCP4 ${"1".repeat(200)}`,
    binary("1111", V4),
    binary("3111", V4),
    binary("2211", V4),
    binary("2112", V4),
    binary("2122", V6),
    binary("2131", "00".repeat(216)),
    binary("2111", V4.slice(2)),
    binary("2121", V4),
    binary("2111", V4, 2_049),
    binary("2111", V4, 65_535),
  ])
    assert.equal(readProxyHeader(Buffer.from(header as Buffer)).kind, "wrong", JSON.stringify(String(header)));
});

test("of any bytes, at most 2,064 are waited for, and no address is read that is none", () => {
  const begun = fc.constantFrom("", "PROXY ", "PROXY TCP4 ", `${SIGNATURE}21`, SIGNATURE);
  fc.assert(
    fc.property(begun, fc.uint8Array({ maxLength: 2_100 }), (begin, more) => {
      const before = /^0d/.test(begin) ? Buffer.from(begin, "hex") : Buffer.from(begin);
      const bytes = Buffer.concat([before, more]);
      const header = readProxyHeader(bytes);
      if (header.kind === "incomplete") assert.ok(bytes.length < 2_064);
      if (header.kind === "read") assert.ok(header.bytes <= bytes.length);
      if (header.kind === "read" && header.from !== undefined) assert.match(header.from.address, /^[\da-f.:]+$/);
    }),
  );
});
