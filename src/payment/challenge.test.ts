import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type Challenge,
  followsFromChallenge,
  isExpired,
  isPayerAddress,
  nextLook,
  type ReturnRules,
  returnAddress,
  wrongWithReturnUrl,
} from "./challenge.ts";

const NOON = new Date("2031-05-01T12:00:00Z");
const after = (seconds: number) => new Date(NOON.getTime() + seconds * 1_000);
const CHALLENGE: Challenge = {
  checkoutUrl: "https://pay.example/checkout/x",
  page: { url: "https://bank.example/" },
  expiresAt: after(1_800),
};

describe("what follows while a payer has to authenticate", () => {
  // What the processor says, before the expiry, after it.
  const table = [
    ["approved", "ends", "ends"],
    ["declined", "ends", "ends"],
    ["pending", "waits", "waits"],
    ["unanswered", "asked-again", "asked-again"],
    ["not-sent", "asked-again", "asked-again"],
    ["action-required", "waits", "given-up"],
    ["undecided", "waits", "given-up"],
    ["unknown", "waits", "given-up"],
    [undefined, "waits", "given-up"],
  ] as const;
  for (const [said, before, expired] of table)
    test(`it is ${said ?? "not asked"}: ${before}, and after the expiry ${expired}`, () => {
      assert.deepEqual([followsFromChallenge(said, false), followsFromChallenge(said, true)], [before, expired]);
    });

  test("a challenge is expired at its expiry, and not a moment before", () => {
    assert.deepEqual(
      [new Date(CHALLENGE.expiresAt.getTime() - 1), CHALLENGE.expiresAt].map((at) => isExpired(CHALLENGE, at)),
      [false, true],
    );
  });

  test("the processor is asked more and more seldom, at the expiry in any case, and then on", () => {
    const looks = [
      [0, 0, 60],
      [60, 1, 180],
      [180, 2, 420],
      [1_000, 9, 1_800],
      [1_800, 0, 1_860],
      [1_900, 9, 2_800],
    ] as const;
    for (const [now, before, next] of looks)
      assert.deepEqual(nextLook(CHALLENGE, after(now), before), after(next), `${now}`);
  });
});

describe("where a payer may be sent afterwards", () => {
  const hosts = ["shop.example", "shop.example:8443", "xn--bcher-kva.example"];
  const live: ReturnRules = { hosts, loopback: false };
  const sandbox: ReturnRules = { hosts, loopback: true };
  const right = [
    "https://shop.example",
    "https://shop.example/paid?order=17",
    "https://SHOP.example/paid",
    "https://shop.example:443/paid",
    "https://shop.example:8443/paid",
    "https://xn--bcher-kva.example/",
  ];
  const wrong: readonly (readonly [string, RegExp])[] = [
    ["http://shop.example/paid", /https/],
    ["https://other.example/paid", /return_hosts/],
    ["https://shop.example.evil.example/", /return_hosts/],
    ["https://www.shop.example/", /return_hosts/],
    ["https://shop.example:444/", /return_hosts/],
    ["https://shop.example@evil.example/", /user name/],
    ["https://evil.example\\@shop.example/", /must be an address/],
    ["https://shop.example/#paid", /fragment/],
    ["https://shop.example/?status=paid", /parameter status/],
    ["https://shop.example/?a=1&signature=x", /parameter signature/],
    ["https://shop.example/?transaction%5Fid=x", /parameter transaction_id/],
    ["//shop.example/", /must be an address/],
    ["/paid", /must be an address/],
    ["javascript:alert(1)", /https/],
    ["data:text/html,x", /https/],
    ["https://shop.example/ paid", /must be an address/],
    ["https://shop.example/\tpaid", /must be an address/],
    ["https://bücher.example/", /must be an address/],
  ];
  test("on the merchant's hosts, encrypted", () => {
    for (const url of right) assert.equal(wrongWithReturnUrl(url, live), undefined, url);
    for (const [url, why] of wrong) assert.match(wrongWithReturnUrl(url, live) ?? "", why, url);
    assert.match(wrongWithReturnUrl("https://shop.example", { hosts: [], loopback: false }) ?? "", /return_hosts/);
  });

  test("in the sandbox also on this machine, and nowhere else without encryption", () => {
    for (const url of ["http://127.0.0.1:3000/paid", "http://localhost/paid", "http://[::1]:8080/"]) {
      assert.equal(wrongWithReturnUrl(url, sandbox), undefined, url);
      assert.match(wrongWithReturnUrl(url, live) ?? "", /https/, url);
    }
    for (const url of ["http://127.0.0.1.evil.example/", "http://localhost.evil.example/", "http://10.0.0.1/"])
      assert.match(wrongWithReturnUrl(url, sandbox) ?? "", /https/, url);
    for (const [url, why] of wrong) assert.match(wrongWithReturnUrl(url, sandbox) ?? "", why, url);
  });

  test("what is told is added to the query that is there", () => {
    const told = { transactionId: "0193", status: "authorized", signature: "a-_b" };
    const query = "transaction_id=0193&status=authorized&signature=a-_b";
    assert.equal(returnAddress("https://shop.example/paid", told), `https://shop.example/paid?${query}`);
    assert.equal(
      returnAddress("https://shop.example/?order=1%202", told),
      `https://shop.example/?order=1%202&${query}`,
    );
  });

  test("a processor's page is encrypted or on this machine", () => {
    for (const url of ["https://hooks.stripe.com/3d?client_secret=x", "http://127.0.0.1:1/x"])
      assert.equal(isPayerAddress(url), true, url);
    for (const url of ["http://bank.example/", "javascript:alert(1)", "https://a:b@bank.example/", "x", ""])
      assert.equal(isPayerAddress(url), false, url);
  });
});
