import assert from "node:assert/strict";
import { test } from "node:test";
import { networkOf } from "../shares/network.ts";
import { failedAuthentications } from "./failed-authentications.ts";

function counted(mostAMinute: number, mostAddresses?: number) {
  let now = 0;
  const { failed } = failedAuthentications(mostAMinute, () => now, mostAddresses);
  return { failed, at: (seconds: number) => (now = seconds * 1000) };
}

test("as many as the limit may fail in a minute; then one waits until the minute is over", () => {
  const { failed, at } = counted(3);
  for (const seconds of [0, 10, 20]) {
    at(seconds);
    assert.equal(failed("192.0.2.1"), undefined);
  }
  assert.deepEqual(failed("192.0.2.1"), { waitSeconds: 40, first: true });
  at(59.5);
  assert.deepEqual(failed("192.0.2.1"), { waitSeconds: 1, first: false });
  at(60);
  assert.equal(failed("192.0.2.1"), undefined);
});

test("another address is counted by itself, and 0 is no limit", () => {
  const { failed } = counted(1);
  failed("192.0.2.1");
  assert.ok(failed("192.0.2.1"));
  assert.equal(failed("192.0.2.2"), undefined);
  failed("2001:db8:0:1::5");
  assert.ok(failed("2001:db8:0:1::6"), "of one network");
  const { failed: unlimited } = counted(0);
  for (let count = 0; count < 1_000; count++) assert.equal(unlimited("192.0.2.1"), undefined);
});

test("of more addresses than are counted the oldest is forgotten, and no more are kept", () => {
  const { failed } = counted(1, 2);
  for (const address of ["192.0.2.1", "192.0.2.2", "192.0.2.3"]) failed(address);
  assert.equal(failed("192.0.2.1"), undefined);
  assert.ok(failed("192.0.2.3"));
  assert.equal(failed("192.0.2.2"), undefined);
});

test("IPv6 is counted by its first 64 bits, IPv4 by its address, however each is written", () => {
  for (const [address, network] of [
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["2001:db8:0:1::5", "2001:db8:0:1::/64"],
    ["2001:DB8:0:1:ffff:ffff:ffff:ffff", "2001:db8:0:1::/64"],
    ["2001:0db8::1", "2001:db8:0:0::/64"],
    ["2001:db8::1:0:0:0:1", "2001:db8:0:1::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["64:ff9b::192.0.2.1", "64:ff9b:0:0::/64"],
  ] as const)
    assert.equal(networkOf(address), network, address);
});
