import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { freshDatabase } from "../../test/database.ts";
import { dataKeyStore, listDataKeys, replaceDataKeys } from "../journal/data-keys.ts";
import { dataKeys } from "./data-keys.ts";
import { fixedMasterKeys, localMasterKey } from "./master-key.ts";

const MASTER = fixedMasterKeys(localMasterKey(randomBytes(32)));

async function withStore(
  check: (given: {
    readonly node: (block?: number) => ReturnType<typeof dataKeys>;
    readonly database: Awaited<ReturnType<typeof freshDatabase>>;
    readonly leased: () => Promise<readonly number[]>;
  }) => Promise<void>,
): Promise<void> {
  const database = await freshDatabase();
  try {
    await check({
      database,
      node: (block) =>
        dataKeys(
          dataKeyStore(database.pool, () => new Date()),
          MASTER,
          block,
        ),
      leased: async () => (await listDataKeys(database.pool)).map(({ leased }) => leased),
    });
  } finally {
    await database.drop();
  }
}

test("messages are counted in blocks before they are sealed, over all nodes and restarts", () =>
  withStore(async ({ node, leased }) => {
    const first = node(10);
    await first.toSeal();
    assert.deepEqual(await leased(), [10]);
    for (let message = 2; message <= 10; message++) await first.toSeal();
    assert.deepEqual(await leased(), [10]);
    await first.toSeal();
    assert.deepEqual(await leased(), [20]);
    // As after a crash: what was left of the block is not used again.
    await node(10).toSeal();
    assert.deepEqual(await leased(), [30]);
  }));

test("many that seal at once never take more than was written down", () =>
  withStore(async ({ node, leased }) => {
    const nodes = [node(7), node(7), node(7)];
    await nodes[0]?.toSeal();
    await Promise.all(Array.from({ length: 299 }, (_, message) => nodes[(message + 1) % 3]?.toSeal()));
    const [total, ...others] = await leased();
    assert.deepEqual(others, []);
    // 100 messages each, in blocks of 7.
    assert.equal(total, 3 * 105);
  }));

test("no key seals 2^31 messages: the last block before that is the last of the key, and a new key follows", () =>
  withStore(async ({ node, database, leased }) => {
    const { id } = await node(10).toSeal();
    await database.pool`update data_keys set leased = ${2 ** 31 - 11}`;
    const late = node(10);
    for (let message = 1; message <= 10; message++) assert.equal((await late.toSeal()).id, id);
    assert.deepEqual(await leased(), [2 ** 31 - 1]);
    assert.notEqual((await late.toSeal()).id, id);
    assert.deepEqual(await leased(), [2 ** 31 - 1, 10]);
    await database.pool`update data_keys set leased = ${2 ** 31 - 10} where id <> ${id}`;
    await node(10).toSeal();
    assert.deepEqual(await leased(), [2 ** 31 - 1, 2 ** 31 - 10, 10]);
  }));

test("what stands in the table does not open without the master key", () =>
  withStore(async ({ node, database }) => {
    const { id, key } = await node().toSeal();
    const [row] = await database.pool<{ wrapped: Buffer }[]>`select wrapped from data_keys`;
    assert.ok(row);
    assert.ok(!row.wrapped.includes(key.export()));
    assert.deepEqual((await node().toOpen(id)).export(), key.export());
    await database.pool`update data_keys set wrapped = ${Buffer.from(row.wrapped).reverse()}`;
    await assert.rejects(node().toOpen(id));
  }));

test("a key that could not be opened is tried again", () =>
  withStore(async ({ node, database }) => {
    const { id } = await node().toSeal();
    const later = node();
    await database.pool`alter table data_keys rename to gone`;
    await assert.rejects(later.toOpen(id));
    await database.pool`alter table gone rename to data_keys`;
    await later.toOpen(id);
  }));

test("a key that is retired is leased no more, and stays retired since then when the next one follows", () =>
  withStore(async ({ database: { pool } }) => {
    const store = dataKeyStore(pool, () => new Date());
    const replace = () => pool.begin((sql) => replaceDataKeys(sql, "master", randomBytes(40), new Date()));
    const first = await replace();
    assert.equal(await store.lease(first, 10, 10), true);
    const second = await replace();
    assert.equal(await store.lease(first, 1, 100), false);
    await pool`update data_keys set retired_at = now() - interval '1 day' where id = ${first}`;
    await replace();
    const rows = await pool<{ id: number; old: boolean | null }[]>`
      select id, retired_at < now() - interval '23 hours' as old from data_keys order by id limit 2`;
    assert.deepEqual(
      [...rows],
      [
        { id: first, old: true },
        { id: second, old: false },
      ],
    );
  }));
