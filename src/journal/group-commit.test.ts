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
    const time = { ms: 0 };
    const write = groupCommit<Row, number>({
      ...options,
      nowMs: () => time.ms,
      write: (rows) =>
        new Promise((resolve) => {
          groups.push({ rows, end: () => resolve(rows.map(({ nth }) => nth)) });
        }),
      concernsOneRow: () => false,
      keyOf: ({ merchant }) => merchant,
    });
    const shown = () => groups.map(({ rows }) => rows.map(({ merchant, nth }) => `${merchant}${nth}`).join(" "));
    return { write, groups, shown, time };
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  /** Until nothing is gathered any more. */
  const turns = async () => {
    for (let nth = 0; nth < 4; nth++) await turn();
  };
  const rows = (...names: string[]): Row[] =>
    names.map((name) => ({ merchant: name.slice(0, 1), nth: Number(name.slice(1)) }));

  test("hold one merchant's rows where they are asked to, in their order, and those of several go side by side", async () => {
    const { write, groups, shown } = writing({ groupsInFlight: 2 });
    const results = Promise.all(rows("a1", "b1", "a2", "c1", "b2").map(write));
    await turns();
    assert.deepEqual(shown(), ["a1 a2", "b1 b2"]);
    groups[0]?.end();
    await turns();
    assert.deepEqual(shown(), ["a1 a2", "b1 b2", "c1"]);
    for (const { end } of groups) end();
    assert.deepEqual(await results, [1, 1, 2, 1, 2]);
  });

  test("of one merchant go one after the other", async () => {
    const { write, groups, shown } = writing({ groupsInFlight: 4, mostRows: 2 });
    const results = Promise.all(rows("a1", "a2", "a3", "b1").map(write));
    await turns();
    assert.deepEqual(shown(), ["a1 a2", "b1"]);
    groups[0]?.end();
    await turns();
    assert.deepEqual(shown(), ["a1 a2", "b1", "a3"]);
    for (const { end } of groups) end();
    assert.deepEqual(await results, [1, 2, 3, 1]);
  });

  test("wait for rows that come turn by turn of the event loop, and go as soon as a turn brings none", async () => {
    const { write, groups, shown } = writing({ groupsInFlight: 1 });
    const results = rows("a1", "a2").map(write);
    for (const row of rows("a3", "a4")) {
      await turn();
      results.push(write(row));
    }
    assert.deepEqual(shown(), []);
    await turns();
    assert.deepEqual(shown(), ["a1 a2 a3 a4"]);
    // What came meanwhile waits for others no less.
    results.push(...rows("a5", "a6").map(write));
    groups[0]?.end();
    await Promise.all(results.slice(0, 4));
    results.push(...rows("a7").map(write));
    await turns();
    assert.deepEqual(shown().slice(1), ["a5 a6 a7"]);
    groups[1]?.end();
    assert.deepEqual(await Promise.all(results), [1, 2, 3, 4, 5, 6, 7]);
  });

  test("of a row that is alone go at the end of its turn", async () => {
    const { write, groups, shown } = writing({ groupsInFlight: 1 });
    const results = rows("a1").map(write);
    await turn();
    assert.deepEqual(shown(), ["a1"]);
    groups[0]?.end();
    assert.deepEqual(await Promise.all(results), [1]);
  });

  test("go without more rows once they are large enough, or have gathered for long enough", async () => {
    const many = (count: number) => Array.from({ length: count }, (_, nth) => ({ merchant: "a", nth }));
    const full = writing({ groupsInFlight: 1 });
    void many(40).map(full.write);
    await turn();
    void many(40).map(full.write);
    await turn();
    assert.deepEqual(
      full.groups.map(({ rows }) => rows.length),
      [80],
    );
    const late = writing({ groupsInFlight: 1 });
    for (const row of rows("a1", "a2", "a3", "a4", "a5")) {
      void late.write(row);
      void late.write(row);
      await turn();
      late.time.ms += 1;
    }
    assert.deepEqual(late.shown(), ["a1 a1 a2 a2"]);
  });

  test("go at the end of the turn in which the one before has ended, of rows that have waited for it for long enough", async () => {
    const { write, groups, shown, time } = writing({ groupsInFlight: 1 });
    const results = rows("a1").map(write);
    await turn();
    results.push(...rows("a2", "a3").map(write));
    time.ms += 1;
    groups[0]?.end();
    await new Promise<void>((resolve) => process.nextTick(resolve));
    for (const row of rows("a4", "a5", "a6")) {
      results.push(write(row));
      await turn();
    }
    assert.deepEqual(shown(), ["a1", "a2 a3 a4"]);
    groups[1]?.end();
    assert.deepEqual(await Promise.all(results.slice(0, 4)), [1, 2, 3, 4]);
  });

  test("gather as ever while another merchant's rows wait behind a group of that one's that hangs", async () => {
    const { write, groups, shown } = writing({ groupsInFlight: 2 });
    for (let nth = 0; nth < 200; nth++) void write({ merchant: "a", nth });
    await turn();
    assert.deepEqual(
      groups.map(({ rows }) => rows.length),
      [128],
    );
    const results = rows("b1", "b2").map(write);
    for (const row of rows("b3", "b4")) {
      await turn();
      results.push(write(row));
    }
    await turns();
    assert.deepEqual(shown().slice(1), ["b1 b2 b3 b4"]);
    groups[1]?.end();
    assert.deepEqual(await Promise.all(results), [1, 2, 3, 4]);
  });

  test("with a row that cannot be written are halved, so that the others take a few groups and not one each", async () => {
    const sizes: number[] = [];
    const write = groupCommit<number, number>({
      write: async (rows) => {
        sizes.push(rows.length);
        if (rows.includes(77)) throw new Error("row 77");
        return rows;
      },
      concernsOneRow: () => true,
    });
    const ends = await Promise.allSettled(Array.from({ length: 128 }, (_, nth) => write(nth)));
    assert.deepEqual(
      ends.flatMap(({ status }, nth) => (status === "rejected" ? [nth] : [])),
      [77],
    );
    // The group, and two halves of each that holds the row.
    assert.equal(sizes.length, 15);
  });
});
