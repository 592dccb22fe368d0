import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { groupCommit } from "./group-commit.ts";

interface Row {
  readonly merchant: string;
  readonly nth: number;
}

describe("groups of rows", () => {
  /** Groups are written when `end` is called of them. */
  function writing(options: { groupsInFlight: number; mostRows?: number }) {
    const groups: { readonly rows: readonly Row[]; readonly end: () => void }[] = [];
    const write = groupCommit<Row, number>({
      ...options,
      write: (rows) =>
        new Promise((resolve) => {
          groups.push({ rows, end: () => resolve(rows.map(({ nth }) => nth)) });
        }),
      concernsOneRow: () => false,
      keyOf: ({ merchant }) => merchant,
    });
    const shown = () => groups.map(({ rows }) => rows.map(({ merchant, nth }) => `${merchant}${nth}`).join(" "));
    return { write, groups, shown };
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const rows = (...names: string[]): Row[] =>
    names.map((name) => ({ merchant: name.slice(0, 1), nth: Number(name.slice(1)) }));

  test("hold one merchant's rows where they are asked to, in their order, and those of several go side by side", async () => {
    const { write, groups, shown } = writing({ groupsInFlight: 2 });
    const results = Promise.all(rows("a1", "b1", "a2", "c1", "b2").map(write));
    await turn();
    assert.deepEqual(shown(), ["a1 a2", "b1 b2"]);
    groups[0]?.end();
    await turn();
    assert.deepEqual(shown(), ["a1 a2", "b1 b2", "c1"]);
    for (const { end } of groups) end();
    assert.deepEqual(await results, [1, 1, 2, 1, 2]);
  });

  test("of one merchant go one after the other", async () => {
    const { write, groups, shown } = writing({ groupsInFlight: 4, mostRows: 2 });
    const results = Promise.all(rows("a1", "a2", "a3", "b1").map(write));
    await turn();
    assert.deepEqual(shown(), ["a1 a2", "b1"]);
    groups[0]?.end();
    await turn();
    assert.deepEqual(shown(), ["a1 a2", "b1", "a3"]);
    for (const { end } of groups) end();
    assert.deepEqual(await results, [1, 2, 3, 1]);
  });
});
