import assert from "node:assert/strict";
import { test } from "node:test";
import { Check } from "typebox/value";
import { simulatorRecord } from "../../test/conformance/simulator-record.ts";
import { fixedClock } from "../../test/hand-clock.ts";
import { PROCESSOR_KINDS } from "./kinds.ts";
import { simulatorKind } from "./simulator/simulator.ts";

const CLOCK = fixedClock("2030-05-15T12:00:00Z");

/** What the fault says is wrong, or null where these settings open. */
function wrong(settings: Readonly<Record<string, unknown>>): string | null {
  const record = simulatorRecord(settings);
  try {
    simulatorKind.open(record, { clock: CLOCK });
    return null;
  } catch (fault) {
    assert.ok(fault instanceof TypeError);
    const told = /^Settings of processor (\S+) \(simulator\): (.*)\.$/.exec(fault.message);
    assert.equal(told?.[1], record.id);
    return told?.[2] ?? "";
  }
}

test("the kinds are found by their names", () => {
  assert.deepEqual([...PROCESSOR_KINDS.keys()], ["simulator", "iso8583", "stripe", "adyen"]);
  for (const [name, kind] of PROCESSOR_KINDS) assert.equal(kind.name, name);
});

test("every kind describes each setting, takes timeout_ms and no unknown setting, and names its secrets", () => {
  for (const kind of PROCESSOR_KINDS.values()) {
    const settings = Object.entries(kind.settingsSchema.properties);
    for (const [name, schema] of settings) assert.ok("description" in schema && schema.description, name);
    assert.equal(kind.settingsSchema.properties.timeout_ms !== undefined, true);
    for (const secret of kind.secretSettings) assert.ok(secret in kind.settingsSchema.properties, secret);
    assert.equal(Check(kind.settingsSchema, { no_such_setting: 1 }), false);
  }
});

test("settings inside their limits open", () => {
  for (const settings of [
    {},
    { latency_ms: 0, timeout_ms: 100 },
    { latency_ms: 60_000, timeout_ms: 120_000 },
    { card_brands: ["visa"], silent_operations: [], refuse_connections: true },
    { silent_operations: ["sale", "auth", "capture", "void", "refund", "reversal"] },
    { partial_void: false, multiple_captures: false, refund_before_settlement: false },
  ])
    assert.equal(wrong(settings), null, JSON.stringify(settings));
});

test("settings outside of them do not: each wrong one is named, with what would be right and without its value", () => {
  for (const [settings, expected] of [
    [{ latency_ms: -1 }, "latency_ms must be >= 0"],
    [{ latency_ms: 60_001 }, "latency_ms must be <= 60000"],
    [{ latency_ms: 1.5 }, "latency_ms must be integer"],
    [{ latency_ms: "5" }, "latency_ms must be integer"],
    [{ timeout_ms: 99 }, "timeout_ms must be >= 100"],
    [{ timeout_ms: 120_001 }, "timeout_ms must be <= 120000"],
    [{ refuse_connections: "yes" }, "refuse_connections must be boolean"],
    [{ card_brands: [] }, "card_brands must not have fewer than 1 items"],
    [{ silent_operations: ["sale", "sale"] }, "silent_operations must not have duplicate items"],
    [{ silent_operations: ["sale", "check"] }, "silent_operations.1 must be equal to one of the allowed values"],
    [{ timeout_ms: 0, partial_void: null }, "timeout_ms must be >= 100; partial_void must be boolean"],
    [{ latency: 5, timeout: 100 }, "latency is unknown; timeout is unknown"],
    [JSON.parse('{"__proto__": {"latency_ms": 5}}'), "__proto__ is unknown"],
  ] as const)
    assert.equal(wrong(settings), expected, JSON.stringify(settings));
});
