import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isPublic, targetOf } from "./targets.ts";

const REFUSED_HOSTS = {
  loopback: ["127.0.0.1", "127.255.255.254", "[::1]"],
  "loopback in other notations": ["2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.1", "127.0.0.1."],
  "loopback in full-width digits and percent signs": ["１２７.0.0.1", "%31%32%37.0.0.1"],
  unspecified: ["0.0.0.0", "0", "0.1.2.3", "[::]"],
  private: ["10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1"],
  "carrier-grade NAT": ["100.64.0.1", "100.127.255.255"],
  "link-local and a cloud's metadata": ["169.254.169.254", "0xa9fea9fe", "[fe80::1]", "[febf::1]"],
  "multicast, reserved and broadcast": ["224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "[ff02::1]"],
  "protocol assignments, documentation, benchmarks": [
    "192.0.0.1",
    "192.0.2.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
  ],
  "IPv6 documentation and protocol assignments": ["[2001:db8::1]", "[2001::1]", "[3fff::1]"],
  "unique local, and what was site-local": ["[fc00::1]", "[fd00:ec2::254]", "[fec0::1]"],
  "IPv4 in IPv6": [
    "[::ffff:127.0.0.1]",
    "[::ffff:10.0.0.1]",
    "[::ffff:8.8.8.8]",
    "[::127.0.0.1]",
    "[0:0:0:0:0:ffff:7f00:1]",
  ],
  NAT64: ["[64:ff9b::7f00:1]", "[64:ff9b::10.0.0.1]", "[64:ff9b:1::1]"],
  "6to4 and Teredo": ["[2002:7f00:1::]", "[2002:a00:1::1]", "[2001:0:7f00:1::]", "192.88.99.1"],
} as const;

describe("where a webhook may be sent in live mode", () => {
  for (const [kind, hosts] of Object.entries(REFUSED_HOSTS))
    test(`not to addresses of this kind: ${kind}`, () => {
      for (const host of hosts) assert.equal(targetOf(`https://${host}/hook`, "live"), undefined, host);
    });

  test("to public addresses, also the neighbours of those that are refused", () => {
    const hosts = [
      "8.8.8.8",
      "9.255.255.255",
      "11.0.0.0",
      "100.63.255.255",
      "100.128.0.0",
      "126.255.255.255",
      "128.0.0.0",
    ];
    const more = [
      "169.253.255.255",
      "172.15.255.255",
      "172.32.0.0",
      "192.167.255.255",
      "192.169.0.0",
      "223.255.255.255",
    ];
    const six = ["[2606:4700::1111]", "[2a00::1]", "[2001:200::1]", "[2001:4860:4860::8888]", "[2003::1]"];
    for (const host of [...hosts, ...more, ...six])
      assert.notEqual(targetOf(`https://${host}/hook`, "live"), undefined, host);
  });

  test("to a host by its name, whose addresses are checked when it is called", () => {
    assert.equal(targetOf("https://shop.example.com/hook?x=1", "live")?.href, "https://shop.example.com/hook?x=1");
  });

  test("by https only", () => {
    for (const scheme of ["http", "ftp", "file", "ws", "javascript", "data", "gopher"])
      assert.equal(targetOf(`${scheme}://shop.example.com/`, "live"), undefined, scheme);
  });

  test("on port 443 and from 1024 on", () => {
    const allowed = (port: number) => targetOf(`https://shop.example.com:${port}/`, "live") !== undefined;
    const ports = [1, 22, 25, 80, 442, 443, 444, 1023, 1024, 8443, 65_535];
    assert.deepEqual(ports.filter(allowed), [443, 1_024, 8_443, 65_535]);
  });

  test("never with a user or a password, and never what a parser would have to mend", () => {
    for (const url of [
      "https://shop.example.com@127.0.0.1/",
      "https://user@shop.example.com/",
      "https://:secret@shop.example.com/",
      "https:\\\\shop.example.com\\",
      " https://shop.example.com/",
      "https://shop.example.com/\n",
      "https://shop.exa\tmple.com/",
      "https://",
      "https:///",
      "shop.example.com",
      `https://shop.example.com/${"x".repeat(2_048)}`,
    ])
      assert.equal(targetOf(url, "live"), undefined, url);
  });
});

test("the sandbox may call programs on its own machine, by http too, but nothing else than http", () => {
  const allowed = (url: string) => targetOf(url, "sandbox") !== undefined;
  for (const url of ["http://127.0.0.1:3000/", "http://localhost/", "https://[::1]:8443/", "http://10.0.0.1:80/x"])
    assert.ok(allowed(url), url);
  for (const url of ["ftp://127.0.0.1/", "file:///etc/passwd", "http://user@127.0.0.1/", "nonsense"])
    assert.ok(!allowed(url), url);
});

test("what is no IP address is not a public one", () => {
  for (const text of ["", "localhost", "8.8.8", "8.8.8.8.", "[2606:4700::1]", "2606:4700::1%eth0"])
    assert.equal(isPublic(text), false, text);
});
