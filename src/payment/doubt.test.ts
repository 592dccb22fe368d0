// The table of what follows, for each way of asking, each answer and each operation.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Asked, type Follows, followsFrom, type Said } from "./doubt.ts";
import type { EventType } from "./transaction.ts";

const CHARGES = ["sale", "auth"] as const;
const FOLLOW_UPS = ["capture", "void", "refund"] as const;
const ALL: readonly EventType[] = [...CHARGES, ...FOLLOW_UPS];

const DECLINED: Said = { kind: "declined" };
const FIRST_ANSWER: Said = { kind: "declined", isFirstAnswer: true };

/** In the order `first`, `repeat`, `inquiry`. */
const TABLE: readonly (readonly [Said, readonly EventType[], readonly [Follows, Follows, Follows]])[] = [
  [{ kind: "approved" }, ALL, ["ends", "ends", "ends"]],
  [DECLINED, ALL, ["ends", "in-doubt", "ends"]],
  [FIRST_ANSWER, ALL, ["ends", "ends", "ends"]],
  [{ kind: "pending" }, ALL, ["waits", "waits", "waits"]],
  [{ kind: "action-required" }, CHARGES, ["ends", "ends", "ends"]],
  [{ kind: "action-required" }, FOLLOW_UPS, ["ends", "in-doubt", "ends"]],
  [{ kind: "not-sent" }, ALL, ["ends", "in-doubt", "in-doubt"]],
  [{ kind: "undecided" }, ALL, ["in-doubt", "in-doubt", "in-doubt"]],
  [{ kind: "unanswered" }, ALL, ["in-doubt", "in-doubt", "in-doubt"]],
  [{ kind: "unknown" }, ALL, ["in-doubt", "in-doubt", "in-doubt"]],
];
const ASKED: readonly Asked[] = ["first", "repeat", "inquiry"];

for (const [said, types, follows] of TABLE)
  for (const [nth, asked] of ASKED.entries())
    test(`${asked}, ${JSON.stringify(said)} to ${types.join(", ")}: ${follows[nth]}`, () => {
      for (const type of types) assert.equal(followsFrom(asked, type, said), follows[nth], type);
    });

test("the table has a row for every answer to every operation", () => {
  const rows = TABLE.flatMap(([said, types]) => types.map((type) => `${JSON.stringify(said)} ${type}`));
  assert.equal(rows.length, new Set(rows).size);
  assert.equal(new Set(TABLE.map(([{ kind }]) => kind)).size, 8);
  assert.equal(rows.length, 9 * ALL.length);
});
