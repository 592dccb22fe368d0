// What is kept of a run: findings up to a bound, differences before others, and sums of all of them.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type FreshDatabase, freshDatabase } from "../../../test/database.ts";
import { keptRun } from "../../../test/journeys/kept-run.fixture.ts";
import { findingsOf, findRun } from "./runs.ts";

let database: FreshDatabase;
before(async () => {
  database = await freshDatabase();
});

const owner = { merchantId: crypto.randomUUID(), processorId: crypto.randomUUID() };

test("differences are kept before others where there are too many, in their order, and the sums have all", async () => {
  const { pool } = database;
  const run = await findRun(pool, await keptRun(pool, owner, { findings: 5, most: 4 }));
  assert.ok(run);
  const { findings, total } = await findingsOf(pool, run, 1, "all");
  assert.deepEqual(
    findings.map(({ number, kind, there }) => [number, kind, there?.line]),
    [
      [1, "missing-here", 1],
      [2, "missing-here", 3],
      [3, "missing-here", 5],
      [4, "pending", undefined],
    ],
  );
  assert.equal(total, 4);
  assert.deepEqual(run.sums, [
    { finding: "missing-here", currency: "USD", count: 3, here: "0.00", there: "33.00" },
    { finding: "pending", currency: "USD", count: 2, here: "2.00", there: "0.00" },
  ]);
});

test("its merchant sees findings with an operation of its own, and of the others how many", async () => {
  const { pool } = database;
  const run = await findRun(pool, await keptRun(pool, owner, { findings: 3 }));
  assert.ok(run);
  const own = await findingsOf(pool, run, 1, "own");
  assert.deepEqual([own.total, ...own.findings.map(({ kind }) => kind)], [1, "pending"]);
  assert.deepEqual(run.own, {
    ...{ differences: 0, pending: 1, notClosed: 0, chargebacks: 0, withheld: 2 },
    sums: [{ finding: "pending", currency: "USD", count: 1, here: "1.00", there: "0.00" }],
  });
});

test("of a run from before this was known, its merchant sees no findings", async () => {
  const { pool } = database;
  const id = await keptRun(pool, owner);
  await pool`update reconciliations set own = null where id = ${id}`;
  const run = await findRun(pool, id);
  assert.ok(run);
  assert.equal((await findingsOf(pool, run, 1, "own")).total, 0);
});

test("another merchant's run is not there", async () => {
  const { pool } = database;
  const id = await keptRun(pool, owner);
  assert.equal(await findRun(pool, id, crypto.randomUUID()), undefined);
  assert.equal((await findRun(pool, id, owner.merchantId))?.id, id);
});

test("a long list comes in pages", async () => {
  const { pool } = database;
  const run = await findRun(pool, await keptRun(pool, owner, { findings: 51 }));
  assert.ok(run);
  const second = await findingsOf(pool, run, 2, "all");
  assert.deepEqual([second.findings.length, second.total], [1, 51]);
});
