import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SEED, sized } from "../../test/random.ts";
import { beyondConsent, type Consent, PERIODS, periodStart, type UsedConsent } from "./consent.ts";
import { amountOf } from "./money.ts";

const NOW = new Date("2031-05-15T12:00:00Z");
const WHOLE: Consent = {
  currency: "USD",
  amountAtMost: amountOf(5_000n),
  perPeriod: { period: "month", amountAtMost: amountOf(8_000n) },
  chargesAtMost: 3,
  until: "2031-05-15",
};
const FRESH: UsedConsent = { charges: 0, inPeriod: amountOf(0n) };

for (const [what, consent, charge, used, now, expected] of [
  ["no limits", {}, [9_999_999n, "JPY"], { charges: 1_000, inPeriod: amountOf(9_999_999n) }, NOW, undefined],
  ["all limits, at each of them", WHOLE, [5_000n, "USD"], { charges: 2, inPeriod: amountOf(3_000n) }, NOW, undefined],
  ["the last moment of the last day", WHOLE, [1n, "USD"], FRESH, new Date("2031-05-15T23:59:59.999Z"), undefined],
  ["the day after", WHOLE, [1n, "USD"], FRESH, new Date("2031-05-16T00:00:00Z"), ["consent-expired", "card_id"]],
  ["one charge too many", WHOLE, [1n, "USD"], { ...FRESH, charges: 3 }, NOW, ["consent-used-up", "card_id"]],
  ["another currency", WHOLE, [1n, "CAD"], FRESH, NOW, ["consent-in-other-currency", "currency"]],
  ["a hundredth too much", WHOLE, [5_001n, "USD"], FRESH, NOW, ["consent-exceeded", "amount", 5_000n]],
  [
    "a hundredth too much in the month",
    WHOLE,
    [3_001n, "USD"],
    { charges: 1, inPeriod: amountOf(5_000n) },
    NOW,
    ["consent-exceeded-in-period", "amount", 3_000n],
  ],
  [
    "anything after a consent that was narrowed below what was charged",
    WHOLE,
    [1n, "USD"],
    { charges: 1, inPeriod: amountOf(9_000n) },
    NOW,
    ["consent-exceeded-in-period", "amount", 0n],
  ],
  [
    "all that is wrong: the end comes first",
    WHOLE,
    [9_000n, "CAD"],
    { charges: 3, inPeriod: amountOf(9_000n) },
    new Date("2031-05-16"),
    ["consent-expired", "card_id"],
  ],
  [
    "then the number",
    WHOLE,
    [9_000n, "CAD"],
    { charges: 3, inPeriod: amountOf(9_000n) },
    NOW,
    ["consent-used-up", "card_id"],
  ],
  [
    "then the currency",
    WHOLE,
    [9_000n, "CAD"],
    { charges: 2, inPeriod: amountOf(9_000n) },
    NOW,
    ["consent-in-other-currency", "currency"],
  ],
  [
    "then the charge",
    WHOLE,
    [9_000n, "USD"],
    { charges: 2, inPeriod: amountOf(9_000n) },
    NOW,
    ["consent-exceeded", "amount", 5_000n],
  ],
] as const)
  test(`a consent and ${what}`, () => {
    const [amount, currency] = charge;
    const refusal = beyondConsent(consent, { amount: amountOf(amount), currency }, used, now);
    const shown = refusal && [
      refusal.name,
      refusal.field,
      ...(refusal.most === undefined ? [] : [BigInt(refusal.most)]),
    ];
    assert.deepEqual(shown, expected);
  });

test("periods are those of the calendar in UTC, and weeks begin on Monday", () => {
  const starts = (at: string) => PERIODS.map((period) => periodStart(period, new Date(at)).toISOString().slice(0, 10));
  assert.deepEqual(starts("2031-05-15T12:00:00Z"), ["2031-05-15", "2031-05-12", "2031-05-01", "2031-01-01"]);
  assert.deepEqual(starts("2031-05-12T00:00:00Z"), ["2031-05-12", "2031-05-12", "2031-05-01", "2031-01-01"]);
  assert.deepEqual(starts("2031-05-11T23:59:59Z"), ["2031-05-11", "2031-05-05", "2031-05-01", "2031-01-01"]);
  assert.deepEqual(starts("2032-01-01T00:00:00Z"), ["2032-01-01", "2031-12-29", "2032-01-01", "2032-01-01"]);
  assert.deepEqual(starts("2032-02-29T05:00:00+06:00"), ["2032-02-28", "2032-02-23", "2032-02-01", "2032-01-01"]);
});

test("charges that a consent covers one after the other never add up to more than it says", () => {
  const amounts = fc.array(fc.bigInt({ min: 1n, max: 300n }), { maxLength: 30 });
  fc.assert(
    fc.property(amounts, fc.bigInt({ min: 1n, max: 1_000n }), fc.integer({ min: 1, max: 10 }), (tried, most, times) => {
      const perPeriod = { period: "year", amountAtMost: amountOf(most) } as const;
      const consent: Consent = { currency: "USD", perPeriod, chargesAtMost: times };
      const made: bigint[] = [];
      const total = () => made.reduce((sum, amount) => sum + amount, 0n);
      for (const amount of tried) {
        const used = { charges: made.length, inPeriod: amountOf(total()) };
        const fits = made.length < times && total() + amount <= most;
        const refusal = beyondConsent(consent, { amount: amountOf(amount), currency: "USD" }, used, NOW);
        assert.equal(refusal === undefined, fits);
        if (fits) made.push(amount);
      }
    }),
    { seed: SEED, numRuns: sized(200, 20_000) },
  );
});
