import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { REPORTED, type ReportLine } from "../../processors/settlement-report.ts";
import { ReportSums } from "./report-sums.ts";

const NAMES = { line: 2, said: "", id: null, about: null };
const amount = fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n });
const lines = fc.array(
  fc.record({
    kind: fc.constantFrom(...REPORTED),
    gross: amount,
    net: amount,
    currency: fc.constantFrom("USD", "EUR"),
    netCurrency: fc.constantFrom("USD", "EUR"),
    batch: fc.constantFrom("1", "2", null),
  }),
);

test("whatever the lines are, all that is summed of a batch is what is left of it, and nothing is in two batches", () => {
  fc.assert(
    fc.property(lines, (given) => {
      const sums = new ReportSums();
      for (const line of given) sums.add({ ...NAMES, ...line });
      for (const { batch, currency, left, ...summed } of sums.batches()) {
        assert.equal(
          Object.values(summed).reduce((all, one) => all + one, 0n),
          left,
        );
        const own = given.filter((line) => line.batch === batch && line.netCurrency === currency);
        assert.equal(
          own.reduce((all, { net }) => all + net, 0n),
          left,
        );
      }
    }),
  );
});

test("where the report says what was exchanged, the fee of another currency is a fee", () => {
  const sums = new ReportSums();
  const exchanged = { ...NAMES, gross: 10_000_000n, currency: "USD", netCurrency: "EUR", batch: "7" };
  sums.add({ ...exchanged, kind: "captured", net: 9_000_000n, converted: 9_200_000n });
  sums.add({ ...exchanged, kind: "captured", net: 9_100_000n, fee: 100_000n });
  sums.add({ ...exchanged, kind: "captured", net: 9_000_000n });
  const [{ captured, fees, left } = assert.fail()] = sums.batches();
  assert.deepEqual([captured, fees, left], [27_400_000n, -300_000n, 27_100_000n]);
});

test("what was kept of a movement is a fee, and a batch with its payout leaves nothing", () => {
  const sums = new ReportSums();
  const line = (kind: ReportLine["kind"], gross: bigint, net: bigint): ReportLine => ({
    ...{ ...NAMES, kind, gross, net, currency: "EUR", netCurrency: "EUR", batch: "7" },
  });
  for (const one of [
    line("captured", 10_000_000n, 9_700_000n),
    line("refunded", -2_000_000n, -2_000_000n),
    line("fee", 0n, -100_000n),
    line("payout", 0n, -7_600_000n),
  ])
    sums.add(one);
  assert.deepEqual(sums.batches(), [
    {
      ...{ batch: "7", currency: "EUR", captured: 10_000_000n, refunded: -2_000_000n, undone: 0n, chargebacks: 0n },
      ...{ fees: -400_000n, payouts: -7_600_000n, reserves: 0n, other: 0n, left: 0n },
    },
  ]);
});
