import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, test } from "node:test";
import { type FreshDatabase, freshDatabase } from "../../test/database.ts";
import { ON_CITUS } from "../../test/database-server.ts";
import { openTraceNumbers } from "./trace-numbers.ts";

const NOW = new Date("2030-05-15T12:00:00.123Z");
const newRecord = () => ({ merchantId: randomUUID(), id: randomUUID() });

async function withNodesOf(
  distributed: boolean,
  nodes: number,
  work: (stores: ReturnType<typeof openTraceNumbers>[], database: FreshDatabase) => Promise<void>,
) {
  const database = await freshDatabase();
  const { address, pool } = database;
  const stores = Array.from({ length: nodes }, (_, node) => openTraceNumbers(address, pool, node, distributed));
  try {
    await work(stores, database);
  } finally {
    await Promise.all(stores.map((store) => store.close()));
    await database.drop();
  }
}

for (const distributed of ON_CITUS ? [true] : [false, true]) {
  const withNodes = withNodesOf.bind(null, distributed);

  describe(distributed ? "trace numbers, of one merchant at a time" : "trace numbers", () => {
    test("a key is given one trace for good, by every node; the first call decides", () =>
      withNodes(2, async ([one, other]) => {
        assert.ok(one && other);
        const record = newRecord();
        const first = await one.of(record).assign("a", "0200", NOW);
        assert.deepEqual(first, { trace: { mti: "0200", stan: "000001", at: NOW }, repeated: false });
        const later = new Date(NOW.getTime() + 5_000);
        assert.deepEqual(await other.of(record).assign("a", "0221", later), { ...first, repeated: true });
        assert.equal((await other.of(record).assign("b", "0420", later)).trace.stan, "000002");
        assert.deepEqual(await one.of(record).find("b"), { mti: "0420", stan: "000002", at: later });
        assert.equal(await one.of(record).find("c"), undefined);
      }));

    test("many at once on two nodes: no number twice, none left out", () =>
      withNodes(2, async (stores) => {
        const record = newRecord();
        const assigned = await Promise.all(
          Array.from({ length: 1_000 }, (_, nth) => stores[nth % 2]?.of(record).assign(`key ${nth}`, "0200", NOW)),
        );
        const stans = assigned.map((one) => Number(one?.trace.stan)).sort((a, b) => a - b);
        assert.deepEqual(
          stans,
          Array.from({ length: 1_000 }, (_, nth) => nth + 1),
        );
        assert.ok(assigned.every((one) => one?.repeated === false));
      }));

    test("the same key many times at once on two nodes: all are given the same", () =>
      withNodes(2, async (stores) => {
        const record = newRecord();
        const assigned = await Promise.all(
          Array.from({ length: 200 }, (_, nth) => stores[nth % 2]?.of(record).assign(`key ${nth % 5}`, "0200", NOW)),
        );
        for (let key = 0; key < 5; key++) {
          const same = assigned.filter((_, nth) => nth % 5 === key);
          assert.equal(new Set(same.map((one) => one?.trace.stan)).size, 1);
          assert.equal(same.filter((one) => one?.repeated === false).length, 1, "one of them is the first");
        }
      }));

    test("after 999999 comes 000001, never 000000", () =>
      withNodes(1, async ([store], { pool }) => {
        assert.ok(store);
        const record = newRecord();
        await pool`insert into trace_counters (merchant_id, processor_id, assigned)
          values (${record.merchantId}, ${record.id}, 999998)`;
        const stans = [];
        for (const key of ["a", "b"]) stans.push((await store.of(record).assign(key, "0200", NOW)).trace.stan);
        assert.deepEqual(stans, ["999999", "000001"]);
      }));

    test("each processor record counts for itself, and a merchant's key is not another's", () =>
      withNodes(1, async ([store]) => {
        assert.ok(store);
        const records = [newRecord(), newRecord()];
        const stans = await Promise.all(records.map((record) => store.of(record).assign("a", "0200", NOW)));
        assert.deepEqual(
          stans.map(({ trace }) => trace.stan),
          ["000001", "000001"],
        );
      }));
  });
}
