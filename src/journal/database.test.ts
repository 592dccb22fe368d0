import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { freshDatabase } from "../../test/database.ts";
import { codeOf, openPool, rowsOf, type Sql } from "./database.ts";

describe("the rows of a query", () => {
  let pool: Sql;
  before(async () => {
    pool = openPool((await freshDatabase()).address);
  });
  after(() => pool.end({ timeout: 1 }));

  const counted = (to: number) => pool<{ n: number; text: string }[]>`
    select n, ${"a text"}::text as text from generate_series(1, ${to}::int) as n`;

  test("are all there, in their order", async () => {
    for (const count of [0, 1, 1_000]) {
      const expected = Array.from({ length: count }, (_, index) => ({ n: index + 1, text: "a text" }));
      assert.deepEqual(await rowsOf(counted(count)), expected);
    }
  });

  test("are held by nothing of the driver's any more, and neither is what was asked with", async () => {
    const query = counted(3);
    await rowsOf(query);
    assert.equal((await query).length, 0);
    const held = Object.values(query).filter((value) => Array.isArray(value) && !("raw" in value));
    assert.deepEqual(held, [[], []]);
  });

  test("of a query that fails its fault is told, and the next query has its rows", async () => {
    const divided = pool<{ n: number }[]>`select 1 / ${0}::int as n`;
    await assert.rejects(rowsOf(divided), (fault) => codeOf(fault) === "22012");
    assert.equal((await rowsOf(counted(2))).length, 2);
  });
});
