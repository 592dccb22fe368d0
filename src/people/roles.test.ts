import assert from "node:assert/strict";
import { test } from "node:test";
import { mayOperate, ROLES, rightsOf, scopesOf } from "./roles.ts";

test("each role has its rights, under /api and under /operator, and no more", () => {
  const ways = [
    [true, false],
    [true, true],
    [false, false],
    [false, true],
  ] as const;
  const table = ROLES.map((role) => [
    role,
    scopesOf(role).join(" "),
    ...ways.map(([reads, own]) => mayOperate(role, reads, own)),
  ]);
  assert.deepEqual(table, [
    ["operator", "read", "yes", "yes", "yes", "yes"],
    ["operator_read", "read", "yes", "yes", "no", "no"],
    ["merchant_admin", "charge follow_up read cards", "no", "own", "no", "own"],
    ["clerk", "charge follow_up read cards", "no", "no", "no", "no"],
    ["viewer", "read", "no", "no", "no", "no"],
  ]);
});

test("a page is told the rights in words", () => {
  assert.deepEqual(
    ROLES.map((role) => rightsOf(role).join(" ")),
    [
      "read operator_read operate",
      "read operator_read",
      "charge follow_up read cards set_up",
      "charge follow_up read cards",
      "read",
    ],
  );
});
