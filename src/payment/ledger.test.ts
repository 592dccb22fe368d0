import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { at, told } from "../../test/transactions.ts";
import { balances } from "./balances.ts";
import { Ledger } from "./ledger.ts";
import { amountOf } from "./money.ts";

describe("a ledger that cannot be is a bug, and nothing is shown of it", () => {
  const rows: readonly (readonly [string, readonly [string, ...string[]]])[] = [
    ["captured more than authorized", ["USD auth 100", "capture 101"]],
    ["refunded more than captured", ["USD sale 100", "refund 60", "refund 41"]],
    ["voided what was refunded", ["USD sale 100", "refund 60", "void 41"]],
    ["passengers whose parts are not the amount", ["USD auth 100=60+40", "capture 50=30+10"]],
    ["a capture of nobody's money", ["USD auth 100=60+40", "capture 50=30+0+20"]],
  ];
  for (const [what, events] of rows)
    test(what, () => {
      assert.throws(() => balances(told(...events), at("1 12:00"), "failed"));
    });

  test("money that was made, and money that was lost", () => {
    const [sale] = told("USD sale 100").events;
    for (const [sum, message] of [
      ["authorized", /what was authorized/],
      ["uncaptured", /what was authorized/],
      ["captured", /what was authorized/],
      ["voided", /what was given back/],
      ["refunded", /what was given back/],
    ] as const) {
      const ledger = new Ledger();
      ledger.step(sale, sale.amount, null);
      ledger.check();
      ledger[sum] = amountOf(ledger[sum] + 1n);
      assert.throws(() => ledger.check(), message);
    }
  });
});
