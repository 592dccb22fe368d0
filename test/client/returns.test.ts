// What the client says of payers who come back: those whom the gateway sends are genuine, and nobody else is.

import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { test } from "node:test";
import { ReturnError, verifyReturn } from "../../packages/client/src/package.ts";
import { checkoutTokens, returnSignature } from "../../src/gateway/checkout-tokens.ts";
import { returnAddress } from "../../src/payment/challenge.ts";

const tokens = checkoutTokens(randomBytes(32));
const merchantId = randomUUID();
const secret = tokens.returnSecret(merchantId, 1);
const told = { transactionId: randomUUID(), status: "authorized" };
const address = (returnUrl = "https://shop.example/paid?order=17") =>
  returnAddress(returnUrl, { ...told, signature: returnSignature(secret, told.transactionId, told.status) });

test("whom the gateway sent back is genuine, in every form in which servers have the address", async () => {
  for (const url of [address(), address("https://shop.example/"), address("https://shop.example/?a=%3F&b=1")])
    for (const form of [
      url,
      new URL(url),
      new URL(url).searchParams,
      new URL(url).search,
      `/paid${new URL(url).search}`,
    ])
      assert.deepEqual(await verifyReturn(form, secret), told);
});

test("nobody else is", async () => {
  const wrong = [
    [address().replace("authorized", "settled"), secret],
    [address().replace(told.transactionId, randomUUID()), secret],
    [address(), tokens.returnSecret(merchantId, 2)],
    [address(), tokens.returnSecret(randomUUID(), 1)],
    [address().replace("&status", "&status=settled&status"), secret],
    [address().replace(/signature=.*/, "signature="), secret],
    [address().replace(/signature=.*/, "signature=%00"), secret],
    [address().replace(/&signature=.*/, ""), secret],
    ["https://shop.example/paid", secret],
  ] as const;
  for (const [url, under] of wrong) await assert.rejects(verifyReturn(url, under), ReturnError, url);
  await assert.rejects(verifyReturn(address(), "whsec_x"), TypeError, "a mistake of the shop");
});
