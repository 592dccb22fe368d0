import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseExact, parseRate } from "../../processors/exact-amount.ts";
import type { ReportLine } from "../../processors/settlement-report.ts";
import { lineFault, movedBy } from "./check-line.ts";

const NAMES = { line: 2, said: "", id: null, about: null, batch: "7" };
const exact = (text: string) => parseExact(text) ?? assert.fail(text);

interface Said {
  readonly fee?: string;
  readonly converted?: string;
  readonly rate?: string;
  readonly booked?: string;
}

/** `10.00 EUR` gross, `9.70 EUR` net. */
function line(kind: ReportLine["kind"], grossText: string, netText: string, said: Said = {}): ReportLine {
  const [gross = "", currency = ""] = grossText.split(" ");
  const [net = "", netCurrency = ""] = netText.split(" ");
  const { fee, converted, rate, booked } = said;
  return {
    ...{ ...NAMES, kind, gross: exact(gross), currency, net: exact(net), netCurrency },
    ...(fee !== undefined && { fee: exact(fee) }),
    ...(converted !== undefined && { converted: exact(converted) }),
    ...(booked !== undefined && { booked: exact(booked) }),
    ...(rate !== undefined && { rate: parseRate(rate) ?? assert.fail(rate) }),
  };
}

const rows: readonly (readonly [string, ReportLine, ReturnType<typeof lineFault>])[] = [
  ["a sale less its fee", line("captured", "10.00 EUR", "9.70 EUR", { fee: "0.30" }), undefined],
  ["a sale whose fee is not said", line("captured", "10.00 EUR", "9.70 EUR"), undefined],
  ["a sale without a fee", line("captured", "10.00 EUR", "10.00 EUR"), undefined],
  ["a sale of which a cent is missing", line("captured", "10.00 EUR", "9.69 EUR", { fee: "0.30" }), "wrong-sum"],
  ["a sale of which a cent is too much", line("captured", "10.00 EUR", "9.71 EUR", { fee: "0.30" }), "wrong-sum"],
  ["net above gross", line("captured", "10.00 EUR", "10.01 EUR"), "wrong-sum"],
  ["net above gross by a fee below zero", line("captured", "10.00 EUR", "10.01 EUR", { fee: "-0.01" }), "wrong-sum"],
  ["a sale with a negative net", line("captured", "10.00 EUR", "-5.00 EUR", { fee: "15.00" }), "wrong-sign"],
  ["a tiny sale that costs more than it brings", line("captured", "0.26 USD", "-0.04 USD", { fee: "0.30" }), undefined],
  [
    "a tiny sale whose stated fee does not explain it",
    line("captured", "0.26 USD", "-0.05 USD", { fee: "0.30" }),
    "wrong-sum",
  ],
  ["a tiny sale with a negative net, unexplained", line("captured", "0.26 USD", "-0.04 USD"), "wrong-sign"],
  ["a sale of a dollar that costs more", line("captured", "1.00 USD", "-0.04 USD", { fee: "1.04" }), "wrong-sign"],
  ["a tiny sale in yen", line("captured", "99 JPY", "-3 JPY", { fee: "102" }), undefined],
  ["a sale with a negative net, unexplained", line("captured", "10.00 EUR", "-0.01 EUR"), "wrong-sign"],
  ["a sale that went out", line("captured", "-10.00 EUR", "-10.00 EUR"), "wrong-sign"],
  ["a sale of which nothing is left", line("captured", "0.30 EUR", "0.00 EUR", { fee: "0.30" }), undefined],
  ["a fraction of a cent", line("captured", "10.00 EUR", "9.98755 EUR", { fee: "0.01245" }), undefined],
  ["a refund", line("refunded", "-4.00 EUR", "-4.05 EUR", { fee: "0.05" }), undefined],
  ["a refund that returns its fee", line("refunded", "-4.00 EUR", "-3.90 EUR", { fee: "-0.10" }), undefined],
  ["a refund that costs less than it gave, unexplained", line("refunded", "-4.00 EUR", "-3.90 EUR"), "wrong-sum"],
  ["a refund that brings money", line("refunded", "-4.00 EUR", "4.00 EUR"), "wrong-sign"],
  ["a chargeback with its fee", line("chargeback", "-10.00 EUR", "-25.00 EUR", { fee: "15.00" }), undefined],
  ["a chargeback that takes less than its amount", line("chargeback", "-10.00 EUR", "-9.00 EUR"), "wrong-sum"],
  ["a chargeback that brings money", line("chargeback", "-10.00 EUR", "10.00 EUR"), "wrong-sign"],
  ["a chargeback that is back with its fee", line("chargeback-reversed", "10.00 EUR", "25.00 EUR"), undefined],
  ["one that is back and takes money", line("chargeback-reversed", "10.00 EUR", "-10.00 EUR"), "wrong-sign"],
  ["a refund that failed", line("undone", "4.00 EUR", "4.00 EUR"), undefined],
  ["a capture that failed", line("capture-failed", "-4.00 EUR", "-4.00 EUR"), undefined],
  ["a capture that failed and brings money", line("capture-failed", "-4.00 EUR", "4.00 EUR"), "wrong-sign"],
  ["a part of an authorization", line("captured", "6.00 USD", "9.41 USD", { booked: "10.00", fee: "0.59" }), undefined],
  ["yen", line("captured", "500 JPY", "495 JPY", { fee: "5" }), undefined],
  ["dinars", line("captured", "5.000 KWD", "4.925 KWD", { fee: "0.075" }), undefined],
  ["a fee may be anything", line("fee", "0 EUR", "3.00 EUR"), undefined],
  ["a payout, too", line("payout", "0 EUR", "3.00 EUR"), undefined],
  [
    "exchanged, as the report says it",
    line("captured", "10.00 USD", "9.00 EUR", { converted: "9.20", fee: "0.20", rate: "0.92" }),
    undefined,
  ],
  [
    "exchanged, and a cent missing",
    line("captured", "10.00 USD", "8.99 EUR", { converted: "9.20", fee: "0.20", rate: "0.92" }),
    "wrong-sum",
  ],
  [
    "exchanged at another rate than it says",
    line("captured", "10.00 USD", "8.00 EUR", { converted: "8.20", fee: "0.20", rate: "0.92" }),
    "wrong-sum",
  ],
  [
    "exchanged, with the fee alone",
    line("captured", "10.00 USD", "9.00 EUR", { fee: "0.20", rate: "0.92" }),
    undefined,
  ],
  [
    "exchanged, with another fee",
    line("captured", "10.00 USD", "9.00 EUR", { fee: "0.50", rate: "0.92" }),
    "wrong-sum",
  ],
  ["exchanged, with the rate alone", line("captured", "10.00 USD", "9.00 EUR", { rate: "0.92" }), undefined],
  ["exchanged, above the rate", line("captured", "10.00 USD", "9.40 EUR", { rate: "0.92" }), "wrong-sum"],
  [
    "a rate of few digits",
    line("captured", "1000 JPY", "6.72 USD", { converted: "6.72", fee: "0", rate: "0.0067" }),
    undefined,
  ],
  ["exchanged, and nothing said", line("captured", "10.00 USD", "93.00 EUR"), undefined],
  ["exchanged, and negative", line("captured", "10.00 USD", "-1.00 EUR"), "wrong-sign"],
];
for (const [rule, given, expected] of rows) test(rule, () => assert.equal(lineFault(given), expected));

test("what was asked for in the currency of the balance is what the report says of it, and is never guessed", () => {
  assert.equal(movedBy(line("captured", "10.00 EUR", "9.70 EUR")), exact("10.00"));
  assert.equal(movedBy(line("captured", "10.00 USD", "9.00 EUR", { converted: "9.20" })), exact("9.20"));
  assert.equal(movedBy(line("captured", "10.00 USD", "9.00 EUR", { fee: "0.20" })), exact("9.20"));
  assert.equal(movedBy(line("captured", "10.00 USD", "9.00 EUR", { rate: "0.92" })), undefined);
});

test("whatever was kept and at whatever rate, a line that was made by them adds up, and one of a cent more does not", () => {
  const cents = fc.bigInt({ min: 100n, max: 10n ** 9n });
  fc.assert(
    fc.property(cents, fc.bigInt({ min: 1n, max: 90n }), fc.integer({ min: 1, max: 9_999_999 }), (gross, fee, rate) => {
      const written = (rate / 1_000_000).toFixed(6);
      const converted = (gross * BigInt(rate)) / 1_000_000n;
      fc.pre(converted > fee);
      const given = {
        ...line("captured", "1 USD", "1 EUR", { rate: written }),
        ...{ gross: gross * 10_000n, converted: converted * 10_000n, fee: fee * 10_000n },
      };
      const net = (converted - fee) * 10_000n;
      assert.equal(lineFault({ ...given, net }), undefined);
      assert.equal(lineFault({ ...given, net: net + 10_000n }), "wrong-sum");
    }),
  );
});
