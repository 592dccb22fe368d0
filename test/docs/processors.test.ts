// The table of docs/processors says of each kind what the kind itself declares: its settings, what a record with them can do, and what
// it has of what a kind may have.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Capabilities } from "../../src/payment/account-terms.ts";
import { CURRENCY_CODES } from "../../src/payment/currency.ts";
import type { ProcessorKind } from "../../src/processors/kind.ts";
import { PROCESSOR_KINDS } from "../../src/processors/kinds.ts";
import type { Processor } from "../../src/processors/processor.ts";
import { ACCOUNT } from "../conformance/adyen-subject.ts";
import { testSettings } from "../conformance/iso8583-subject.ts";
import { processorParts } from "../conformance/processor-parts.ts";
import { simulatorRecord } from "../conformance/simulator-record.ts";
import { stripeSettings } from "../conformance/stripe-subject.ts";

type Settings = Readonly<Record<string, unknown>>;

const writing = { framing: "binary-2", digits: "ascii", bitmap: "hex" } as const;
const { partial_void, multiple_captures, refund_before_settlement, ...acquirer } = testSettings(1, writing);
const { multiple_captures: _, ...stripeAccount } = stripeSettings(1);
/** What each kind cannot do without. */
const NEEDED: Readonly<Record<string, Settings>> = {
  simulator: {},
  iso8583: acquirer,
  stripe: stripeAccount,
  adyen: ACCOUNT,
};

const open = (kind: ProcessorKind, over: Settings = {}): Processor =>
  kind.open({ ...simulatorRecord({ ...NEEDED[kind.name], ...over }), kind: kind.name }, processorParts());

const capabilitiesOf = (name: string): Capabilities => open(PROCESSOR_KINDS.get(name) as ProcessorKind).capabilities;

const cellsOf = (line: string): readonly string[] =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());

const [heading = [], , ...rows] = readFileSync(join(import.meta.dirname, "../../docs/processors/README.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .map(cellsOf);

/** What the table says of this for each kind. */
function said(row: string): ReadonlyMap<string, string> {
  const found = rows.filter(([first = ""]) => first === row);
  assert.equal(found.length, 1, `${row} stands there once`);
  return new Map([...PROCESSOR_KINDS.keys()].map((name, index) => [name, found[0]?.[index + 1] ?? ""]));
}

const names = [...PROCESSOR_KINDS.keys()];

test("the table has a column for each kind, in their order", () => {
  assert.deepEqual(
    heading.slice(1).map((cell) => /`(\w+)`/.exec(cell)?.[1]),
    names,
  );
});

const CAPABILITIES = [
  ["Several captures", "multipleCaptures"],
  ["Partial void", "partialVoid"],
  ["Refund before settlement", "refundBeforeSettlement"],
] as const;

for (const [row, capability] of CAPABILITIES)
  test(`${row}: yes, no, or by the setting that it names`, () => {
    for (const [name, cell] of said(row)) {
      const kind = PROCESSOR_KINDS.get(name);
      assert.ok(kind);
      const able = (over: Settings) => open(kind, over).capabilities[capability];
      const [, setting, value] = /^setting `(\w+)`(?: (\d+))?/.exec(cell) ?? [];
      if (setting === undefined) {
        assert.match(cell, /^(yes|no)\b/, `${name}: ${cell}`);
        assert.equal(able({}), cell.startsWith("yes"), name);
      } else {
        const [on, off] = value === undefined ? [true, false] : [Number(value), Number(value) + 1];
        assert.deepEqual([able({ [setting]: on }), able({ [setting]: off })], [true, false], name);
      }
    }
  });

test("Void of what was captured or refunded in part: yes or no", () => {
  for (const [name, cell] of said("Void of what was captured or refunded in part"))
    assert.equal(capabilitiesOf(name).voidsWholePaymentsOnly ?? false, cell.startsWith("no"), name);
});

test("Refund before settlement: captures are named where they alone are refunded at once", () => {
  for (const [name, cell] of said("Refund before settlement"))
    assert.equal(
      capabilitiesOf(name).refundsCapturedAuthorizations ?? false,
      cell.includes("captures of an authorization: yes"),
      name,
    );
});

const HAS: readonly (readonly [row: string, has: (kind: ProcessorKind) => boolean])[] = [
  ["Inquiry", (kind) => open(kind).inquire !== undefined],
  ["Notifications", (kind) => open(kind).receive !== undefined],
  ["Card number kept, sealed", ({ cardNumberSetting }) => cardNumberSetting !== undefined],
  ["Secrets among the settings", ({ secretSettings }) => secretSettings.length > 0],
  ["`faregate processor check`", (kind) => open(kind).check !== undefined],
  ["`faregate reconcile`", ({ books, report }) => books !== undefined || report !== undefined],
  ["`faregate describe-message`", ({ messages }) => messages !== undefined],
];

for (const [row, has] of HAS)
  test(`${row}: no where a kind has none`, () => {
    const documented = names.map((name) => said(row).get(name) !== "no");
    assert.deepEqual(
      documented,
      names.map((name) => has(PROCESSOR_KINDS.get(name) as ProcessorKind)),
    );
  });

test("disputes are by hand where there are no notifications", () => {
  const byHand = names.filter((name) => said("[Disputes](../disputes.md)").get(name) === "by hand");
  assert.deepEqual(
    byHand,
    names.filter((name) => said("Notifications").get(name) === "no"),
  );
});

test("the setting that keeps card numbers has the name that is shown", () => {
  for (const [name, cell] of said("Card number kept, sealed"))
    assert.equal(/`(\w+)`/.exec(cell)?.[1], PROCESSOR_KINDS.get(name)?.cardNumberSetting, name);
});

test("the currencies that a kind does not take are named", () => {
  for (const [name, cell] of said("Currencies")) {
    const refused = CURRENCY_CODES.filter((currency) => !PROCESSOR_KINDS.get(name)?.takesCurrency(currency));
    assert.deepEqual(
      (cell.match(/\b[A-Z]{3}\b/g) ?? []).filter((word) => word !== "ISO"),
      refused,
      name,
    );
  }
});
