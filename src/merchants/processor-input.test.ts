import assert from "node:assert/strict";
import { describe, test } from "node:test";
import Type from "typebox";
import type { Mode } from "../settings.ts";
import type { Problems } from "../validation/problems.ts";
import type { Kinds } from "./kind-settings.ts";
import { readNewProcessor, readProcessorChange } from "./processor-input.ts";

const kinds: Kinds = new Map([
  [
    "simulator",
    {
      name: "simulator",
      settingsSchema: Type.Object({}, { additionalProperties: false }),
      secretSettings: [],
      takesCurrency: () => true,
    },
  ],
  [
    "host",
    {
      name: "host",
      settingsSchema: Type.Object({ key: Type.String() }, { additionalProperties: false }),
      secretSettings: ["key"],
      takesCurrency: (currency: string) => currency === "EUR",
    },
  ],
]);

const NAME = "must be a text of 1 to 255 characters, without control or invisible characters";
const CURRENCY = ["must be a currency of ISO 4217 in capitals, like USD"];
const SIMULATOR = { name: "x", kind: "simulator", currency: "USD" };
const HOST = { name: "x", kind: "host", currency: "EUR" };

describe("input about a processor record", () => {
  const rows: readonly (readonly [rule: string, mode: Mode, input: unknown, problems: Problems])[] = [
    ["what is required is enough", "sandbox", SIMULATOR, {}],
    ["nothing is not", "sandbox", {}, { name: ["is required"], kind: ["is required"], currency: ["is required"] }],
    ["neither is what is no object", "sandbox", "x", { base: ["must be an object"] }],
    ["nor null", "sandbox", null, { base: ["must be an object"] }],
    ["a currency is one of ISO 4217", "sandbox", { ...SIMULATOR, currency: "ABC" }, { currency: CURRENCY }],
    ["in capitals", "sandbox", { ...SIMULATOR, currency: "usd" }, { currency: CURRENCY }],
    [
      "a kind is one that there is",
      "sandbox",
      { ...SIMULATOR, kind: "bank" },
      { kind: ["must be one of simulator, host"] },
    ],
    [
      "the simulator moves no money, so live mode has none",
      "live",
      SIMULATOR,
      {
        kind: [
          "must not be simulator in live mode: it approves charges and moves no money. Use it with FAREGATE_MODE=sandbox",
        ],
      },
    ],
    ["and does not offer it", "live", { ...SIMULATOR, kind: "bank" }, { kind: ["must be one of host"] }],
    ["a secret is needed at first", "live", HOST, { "settings.key": ["is required"] }],
    [
      "the currency is one that the kind can count",
      "live",
      { ...HOST, currency: "USD", settings: { key: "k" } },
      { currency: ["must be a currency that a processor of kind host takes"] },
    ],
    [
      "dots are no secret",
      "live",
      { ...HOST, settings: { key: "•••" } },
      { "settings.key": ["is required: it was never set"] },
    ],
    [
      "all is said at once",
      "sandbox",
      { name: "", kind: "simulator", currency: "ABC", settings: { speed: 1 } },
      { name: [NAME], currency: CURRENCY, "settings.speed": ["is unknown; leave it out"] },
    ],
  ];
  for (const [rule, mode, input, problems] of rows) {
    test(rule, () => assert.deepEqual(readNewProcessor({ kinds, mode }, input).problems, problems));
  }

  test("a record of a kind that this gateway does not know can be renamed and disabled, but not set", () => {
    const { value: blank } = readNewProcessor({ kinds, mode: "sandbox" }, SIMULATOR);
    const before = { ...blank, settings: { pin: "secret" }, kind: "gone", currency: "USD", merchant_id: "m" };
    const { problems, value } = readProcessorChange(undefined, before, { enabled: false });
    assert.deepEqual([problems, value.enabled, value.settings], [{}, false, { pin: "secret" }]);
    assert.deepEqual(readProcessorChange(undefined, before, { settings: { pin: "1" } }).problems, {
      settings: ["cannot change: this gateway knows no kind gone"],
    });
  });

  test("a change that is no object is wrong as a whole", () => {
    const { value } = readNewProcessor({ kinds, mode: "sandbox" }, SIMULATOR);
    const before = { ...value, kind: "simulator", currency: "USD", merchant_id: "m" };
    for (const input of [undefined, null, 5, "x", []])
      assert.deepEqual(readProcessorChange(kinds.get("simulator"), before, input).problems, {
        base: ["must be an object"],
      });
  });
});
