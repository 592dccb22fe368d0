// What each kind has no form for, currency by currency: its limit and what it would send agree, for every currency that a record can be in.

import assert from "node:assert/strict";
import { test } from "node:test";
import { processorParts } from "../../test/conformance/processor-parts.ts";
import { simulatorRecord } from "../../test/conformance/simulator-record.ts";
import { CURRENCY_CODES, fitsCurrency } from "../payment/currency.ts";
import type { ToExpress } from "../payment/expressible.ts";
import { amountOf } from "../payment/money.ts";
import { adyenValue } from "./adyen/minor-units.ts";
import { PROCESSOR_KINDS } from "./kinds.ts";
import { inStripeUnits } from "./stripe/currency.ts";

const SETTINGS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  simulator: {},
  stripe: { secret_key: "sk_test_1234567890abcdef" },
  adyen: { merchant_account: "M", api_key: "k", hmac_key: "a1".repeat(32) },
  iso8583: { host: "127.0.0.1", port: 1, terminal_id: "T", merchant_id: "M", acquirer_id: "1" },
};

async function limitsOf(kind: string, asked: ToExpress): Promise<readonly string[]> {
  const record = { ...simulatorRecord(SETTINGS[kind] ?? {}, asked.currency), kind };
  const processor = PROCESSOR_KINDS.get(kind)?.open(record, processorParts());
  assert.ok(processor, kind);
  const limits = processor.cannotExpress(asked);
  await processor.close();
  return limits.map(({ field, limit }) => `${field}: ${limit}`);
}

const whole = (currency: string) => [`amount: amounts of ${currency} are whole there, like 1000.00`];
const secure = (xid: number, cavv: number) =>
  ({ xid: "A".repeat(xid), cavv: "A".repeat(cavv), eci: "05", status: "Y", version: 2 }) as const;
const LONG_CAVV = "threeds_cavv: at most 100 characters";
const LONG_XID = "threeds_xid: at most 100 characters";

for (const [kind, currency, minor, expected] of [
  ["adyen", "IDR", 1_500_050n, whole("IDR")],
  ["adyen", "IDR", 1_500_000n, []],
  ["adyen", "CVE", 1n, whole("CVE")],
  ["adyen", "CLP", 100_000n, []],
  ["adyen", "MGA", 100_050n, []],
  ["adyen", "KWD", 125n, []],
  ["stripe", "MGA", 100_050n, whole("MGA")],
  ["stripe", "MGA", 100_000n, []],
  ["stripe", "IDR", 1_500_050n, []],
  ["stripe", "ISK", 100_000n, []],
  ["stripe", "KWD", 1n, []],
  ["iso8583", "IDR", 1_500_050n, []],
  ["iso8583", "MGA", 100_050n, []],
  ["iso8583", "KWD", 999_999_900n, []],
  ["simulator", "MGA", 1n, []],
] as const)
  test(`${kind}: ${minor} hundredths of ${currency}`, async () => {
    assert.deepEqual(await limitsOf(kind, { currency, amount: amountOf(minor) }), expected);
  });

for (const [what, asked, expected] of [
  ["100 characters of each", { threeDSecure: secure(100, 100) }, []],
  ["a longer cryptogram", { threeDSecure: secure(28, 104) }, [LONG_CAVV]],
  ["a longer transaction id", { threeDSecure: secure(104, 28) }, [LONG_XID]],
  ["both", { threeDSecure: secure(252, 252), passengers: 999 }, [LONG_CAVV, LONG_XID]],
  ["a thousand passengers", { threeDSecure: null, passengers: 1_000 }, ["passenger_transport: at most 999 passengers"]],
  ["an amount that cannot be read", { amount: undefined }, []],
] as const)
  test(`iso8583: ${what}`, async () => {
    assert.deepEqual(await limitsOf("iso8583", { currency: "USD", ...asked }), expected);
  });

test("an amount is a limit exactly where there would be none to send", async () => {
  for (const currency of CURRENCY_CODES)
    for (const minor of [1n, 50n, 99n, 100n, 101n, 150n, 999_999_800n, 999_999_900n]) {
      const amount = amountOf(minor);
      for (const [kind, units] of [
        ["stripe", inStripeUnits(amount, currency)],
        ["adyen", adyenValue(amount, currency)],
      ] as const) {
        if (!PROCESSOR_KINDS.get(kind)?.takesCurrency(currency)) continue;
        const limits = await limitsOf(kind, { currency, amount });
        assert.equal(limits.length === 0, units !== undefined, `${kind} ${minor} ${currency}`);
      }
      if (fitsCurrency(amount, currency)) assert.deepEqual(await limitsOf("iso8583", { currency, amount }), []);
    }
});
