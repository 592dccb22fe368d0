import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { emptyDatabase, type FreshDatabase, freshDatabase } from "../../test/database.ts";
import { SEED, sized } from "../../test/random.ts";
import { openPool, type Sql } from "../journal/database.ts";
import { migrate } from "../journal/migrate.ts";
import type { TransactionSql } from "../journal/sql/sql.ts";
import { audited } from "./audit.ts";
import { auditKeyOf, openChain } from "./audit-chain.ts";
import { removeOldEntries } from "./audit-retention.ts";
import { type KnownEntry, verifyAuditLog } from "./audit-verify.ts";

const KEY = auditKeyOf(Buffer.alloc(32, 1));
const OTHER_KEY = auditKeyOf(Buffer.alloc(32, 2));
const AUTHOR = { actor: "operator Jane", source: "192.0.2.7" };
const ID = "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77";

/** Entries of several kinds, one a day. */
async function write(sql: Sql, count: number, from = new Date("2026-01-01T10:00:00.123Z"), key = KEY): Promise<void> {
  for (let index = 0; index < count; index++) {
    const clock = { now: () => new Date(from.getTime() + index * 86_400_000) };
    const office = { sql, clock, auditKey: async () => key };
    const before = index % 3 === 0 ? undefined : { id: ID, name: `Shop ${index}`, limit: index / 4 };
    const after = { id: ID, name: `Shop ${index + 1}`, nested: { list: [1, 2.5, null, "ü"] } };
    const entry = { action: "merchant.change", subject: ["merchant", ID], ...(before && { before }), after } as const;
    await audited(office, AUTHOR, async () => ({ result: undefined, entry }));
  }
}

async function withDatabase(work: (database: FreshDatabase) => Promise<void>, open = freshDatabase): Promise<void> {
  const database = await open();
  try {
    await work(database);
  } finally {
    await database.drop();
  }
}

const findings = async (sql: Sql, key = KEY, known?: KnownEntry) => (await verifyAuditLog(sql, key, known)).findings;

describe("the chain of the audit log", () => {
  test("what was written is whole, numbered without gaps, and ends where the anchor says", () =>
    withDatabase(async ({ pool }) => {
      await write(pool, 5);
      const { anchor, findings } = await verifyAuditLog(pool, KEY);
      assert.deepEqual(findings, []);
      assert.deepEqual([anchor?.removed, anchor?.last, anchor?.found], [0, 5, 0]);
      assert.deepEqual(await verifyAuditLog(pool, KEY, { id: 5, hash: anchor?.hash ?? "" }), { anchor, findings: [] });
    }));

  test("a log without entries and anchor is damaged once a gateway has started", () =>
    withDatabase(async ({ pool }) => {
      await pool`insert into installation (name, value) values ('lineage', '{}')`;
      assert.deepEqual(await findings(pool), ["the anchor is missing: nothing says where the log begins and ends"]);
    }));

  test("it begins when a gateway starts, once, and goes on from where it stands", () =>
    withDatabase(async ({ address, pool }) => {
      assert.deepEqual(await verifyAuditLog(pool, KEY), { anchor: undefined, findings: [] });
      assert.deepEqual(await findings(pool, KEY, { id: 1, hash: "0".repeat(64) }), [
        "entry 1, which was known, is missing",
      ]);
      const other = openPool(address, "other node");
      const [one, same] = await Promise.all([pool, other].map((sql) => openChain(sql, KEY, new Date())));
      await other.end();
      assert.deepEqual(one, same);
      assert.deepEqual(await findings(pool), []);
      await write(pool, 2);
      const { anchor } = await verifyAuditLog(pool, KEY);
      assert.deepEqual(await openChain(pool, KEY, new Date()), anchor);
      await pool`delete from installation where name = 'audit-log'`;
      await assert.rejects(openChain(pool, KEY, new Date()), /entries of a chain and no anchor/);
    }));

  test("a change that fails leaves neither an entry nor a gap", () =>
    withDatabase(async ({ pool }) => {
      await write(pool, 2);
      const office = { sql: pool, clock: { now: () => new Date() }, auditKey: async () => KEY };
      const fails = audited(office, AUTHOR, async (sql) => {
        await sql`select 1 / 0`;
        return { result: undefined };
      });
      await assert.rejects(fails);
      await write(pool, 1);
      const { anchor, findings } = await verifyAuditLog(pool, KEY);
      assert.deepEqual([anchor?.last, findings], [3, []]);
    }));

  test("two nodes that write at once number one after the other, from the first entry on", () =>
    withDatabase(async ({ address, pool }) => {
      const other = openPool(address, "other node");
      await Promise.all([pool, other, pool, other, pool, other].map((sql) => write(sql, 20)));
      await other.end();
      const { anchor, findings } = await verifyAuditLog(pool, KEY);
      assert.deepEqual([anchor?.last, findings], [120, []]);
    }));

  test("with another key nothing can be added, and nothing is right", () =>
    withDatabase(async ({ pool }) => {
      await write(pool, 2);
      await assert.rejects(write(pool, 1, undefined, OTHER_KEY), /anchor/);
      assert.deepEqual(await findings(pool, OTHER_KEY), ["the anchor is not as it was written"]);
      assert.deepEqual(await findings(pool), []);
    }));

  test("each kind of change is told with the entry that it is about", () =>
    withDatabase(async ({ pool }) => {
      await write(pool, 9);
      const last = (await verifyAuditLog(pool, KEY)).anchor;
      const known = { id: 9, hash: last?.hash ?? "" };
      const cases: readonly (readonly [string, readonly string[]])[] = [
        ["update audit_log set actor = 'nobody' where id = 4", ["entry 4 is not as it was written"]],
        ["update audit_log set at = at + '1 microsecond' where id = 4", ["entry 4 is not as it was written"]],
        ["update audit_log set outcome = 'refused' where id = 9", ["entry 9 is not as it was written"]],
        ["update audit_log set before = null where id = 3", ["entry 3 is not as it was written"]],
        ["delete from audit_log where id = 4", ["entry 4 is missing"]],
        ["delete from audit_log where id between 4 and 6", ["entries 4 to 6 are missing"]],
        ["delete from audit_log where id = 1", ["entry 1 is missing"]],
        ["delete from audit_log where id > 7", ["entries 8 to 9 are missing"]],
        ["delete from audit_log", ["entries 1 to 9 are missing"]],
        [
          "insert into audit_log select 10, at, actor, source, action, subject, before, after, outcome, hash from audit_log where id = 9",
          ["entry 10 does not belong there"],
        ],
        ["update audit_log set id = 0 where id = 1", ["entry 0 does not belong there", "entry 1 is missing"]],
        [
          "delete from installation where name = 'audit-log'",
          ["the anchor is missing: nothing says where the log begins and ends"],
        ],
        [
          `update installation set value = to_jsonb(replace(value #>> '{}', '"last":9', '"last":8')) where name = 'audit-log'`,
          ["the anchor is not as it was written"],
        ],
      ];
      for (const [statement, expected] of cases)
        await undone(pool, async (sql) => {
          await sql.unsafe(statement);
          assert.deepEqual(await findings(sql as unknown as Sql), expected, statement);
        });
      assert.deepEqual(await findings(pool, KEY, known), []);
      const later = { id: 12, hash: known.hash };
      assert.deepEqual(await findings(pool, KEY, later), ["entry 12, which was known, is missing"]);
    }));

  test("whoever sets back the log and its anchor together is found out by an entry that was noted elsewhere", () =>
    withDatabase(async ({ pool }) => {
      await write(pool, 3);
      const [before] = await pool<[{ value: string }]>`select value from installation where name = 'audit-log'`;
      await write(pool, 2);
      const { anchor } = await verifyAuditLog(pool, KEY);
      await pool`delete from audit_log where id > 3`;
      await pool`update installation set value = ${pool.json(before.value)} where name = 'audit-log'`;
      assert.deepEqual(await findings(pool), []);
      const known = { id: 5, hash: anchor?.hash ?? "" };
      assert.deepEqual(await findings(pool, KEY, known), ["entry 5, which was known, is missing"]);
      await write(pool, 2, new Date("2026-02-01T00:00:00Z"));
      assert.deepEqual(await findings(pool), []);
      assert.deepEqual(await findings(pool, KEY, known), ["entry 5 is not the one that was known"]);
    }));

  test("of random changes to the log and its anchor each is found", (t) =>
    withDatabase(async ({ pool }) => {
      const COUNT = 30;
      await write(pool, COUNT);
      assert.deepEqual(await findings(pool), []);
      const chance = chanceFrom(SEED);
      const unnoticed: string[] = [];
      const kinds = new Map<string, number>();
      for (let round = 0; round < sized(200, 1_000); round++)
        await undone(pool, async (sql) => {
          const told = await change(sql, chance, COUNT);
          kinds.set(told.split(" ")[0] ?? "", (kinds.get(told.split(" ")[0] ?? "") ?? 0) + 1);
          if ((await findings(sql as unknown as Sql)).length === 0) unnoticed.push(told);
        });
      t.diagnostic([...kinds].map(([kind, count]) => `${kind} ${count}`).join(", "));
      assert.deepEqual(unnoticed, []);
      assert.equal(kinds.size, 6);
      assert.deepEqual(await findings(pool), []);
    }));
});

describe("entries older than twelve months", () => {
  const start = new Date("2026-01-01T10:00:00Z");
  const daysAfter = (days: number) => new Date(Date.UTC(2027, 0, 1 + days, 11));

  test("are removed, the others stay, and the log is whole", () =>
    withDatabase(async ({ pool }) => {
      await write(pool, 10, start);
      assert.equal(await removeOldEntries(pool, KEY, new Date("2026-12-31T10:00:00Z")), false);
      assert.equal((await verifyAuditLog(pool, KEY)).anchor?.removed, 0);
      await removeOldEntries(pool, KEY, daysAfter(3));
      const [{ first, count } = {}] = await pool`select min(id)::int as first, count(*)::int from audit_log`;
      assert.deepEqual([first, count], [5, 6]);
      assert.deepEqual(await findings(pool), []);
      await write(pool, 1, daysAfter(3));
      assert.deepEqual(await findings(pool), []);
      await pool`delete from audit_log where id = 5`;
      assert.deepEqual(await findings(pool), ["entry 5 is missing"]);
    }));

  test("all of them may go, and the chain goes on", () =>
    withDatabase(async ({ pool }) => {
      await write(pool, 3, start);
      await removeOldEntries(pool, KEY, daysAfter(100));
      assert.deepEqual([...(await pool`select 1 from audit_log`)], []);
      assert.deepEqual(await findings(pool), []);
      await write(pool, 1, daysAfter(100));
      const { anchor, findings: wrong } = await verifyAuditLog(pool, KEY);
      assert.deepEqual([anchor?.removed, anchor?.last, wrong], [3, 4, []]);
    }));

  test("stay where one of them is not as it was written: removing it would hide that", () =>
    withDatabase(async ({ pool }) => {
      await write(pool, 6, start);
      await pool`update audit_log set actor = 'nobody' where id = 3`;
      await assert.rejects(removeOldEntries(pool, KEY, daysAfter(100)), /Entry 3/);
      assert.deepEqual(await findings(pool), ["entry 3 is not as it was written"]);
    }));
});

test("entries from before the chain are numbered anew, told whose they are, and sealed with the first that comes after", () =>
  withDatabase(async ({ pool }) => {
    const source = join(import.meta.dirname, "../journal/migrations");
    const folder = mkdtempSync(join(tmpdir(), "faregate-migrations-"));
    for (const name of readdirSync(source).filter((one) => one < "0005"))
      cpSync(join(source, name), join(folder, name));
    await migrate(pool, undefined, folder);
    rmSync(folder, { recursive: true });
    await pool`insert into merchants (id, name, created_at) values (${ID}, 'Shop', now())`;
    for (const name of ["first", "second", "third", "fourth"])
      await pool`
        insert into audit_log (at, actor, source, action, subject, after)
        values (now(), ${name}, 'command line', 'merchant.create', ${`merchant ${ID}`}, ${pool.json({ id: ID })})`;
    await pool`delete from audit_log where actor in ('first', 'third')`;
    await migrate(pool);
    assert.deepEqual(
      [...(await pool`select id::int, actor, outcome, merchant_id, hash from audit_log order by id`)],
      [
        { id: 1, actor: "second", outcome: "done", merchant_id: ID, hash: null },
        { id: 2, actor: "fourth", outcome: "done", merchant_id: ID, hash: null },
      ],
    );
    await write(pool, 1);
    const { anchor, findings: wrong } = await verifyAuditLog(pool, KEY);
    assert.deepEqual([anchor?.found, anchor?.last, wrong], [2, 3, []]);
    await pool`update audit_log set actor = 'first' where id = 1`;
    assert.deepEqual(await findings(pool), ["entry 1 is not as it was written"]);
    await pool`delete from installation where name = 'audit-log'`;
    await assert.rejects(write(pool, 1), /entries of a chain and no anchor/);
  }, emptyDatabase));

const BACK = new Error("to be undone");

/** Whatever is done to the tables inside is taken back. */
async function undone(pool: Sql, work: (sql: TransactionSql) => Promise<void>): Promise<void> {
  await pool
    .begin(async (sql) => {
      // Verifying opens a transaction of its own; inside of this one it is a part of it.
      const inside = new Proxy(sql, {
        get: (target, name) =>
          name === "begin"
            ? (_options: string, verify: (one: TransactionSql) => Promise<unknown>) => verify(target)
            : Reflect.get(target, name),
      });
      await work(inside);
      throw BACK;
    })
    .catch((fault: unknown) => {
      if (fault !== BACK) throw fault;
    });
}

type Chance = (below: number) => number;

/** Mulberry32. */
function chanceFrom(seed: number): Chance {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** One random change that leaves the tables other than they were. @returns what was done */
async function change(sql: TransactionSql, chance: Chance, count: number): Promise<string> {
  const id = 1 + chance(count);
  const other = 1 + ((id + chance(count - 1)) % count);
  switch (chance(6)) {
    case 0:
      await sql`delete from audit_log where id = ${id}`;
      return `delete ${id}`;
    case 1: {
      const from = 1 + chance(count);
      await sql`delete from audit_log where id >= ${from}`;
      return `cut from ${from}`;
    }
    case 2: {
      // In its place, with all after it moved on; or behind the end.
      const at = chance(2) === 0 ? count + 1 : id;
      await sql`update audit_log set id = -(id + 1) where id >= ${at}`;
      await sql`update audit_log set id = -id where id < 0`;
      await sql`insert into audit_log (id, at, actor, source, action, subject, outcome, before, after, hash)
        select ${at}, at, actor, source, action, subject, outcome, before, after, hash from audit_log limit 1`;
      return `insert at ${at}`;
    }
    case 3:
      await sql`update audit_log set id = -id where id in (${id}, ${other})`;
      await sql`update audit_log set id = case -id when ${id} then ${other}::bigint else ${id}::bigint end where id < 0`;
      return `swap ${id} ${other}`;
    case 4: {
      const place = chance(200);
      await sql`update installation set value = to_jsonb(overlay(value #>> '{}' placing
        chr(case when ascii(substr(value #>> '{}', ${place}::int + 1, 1)) = 48 then 49 else 48 end) from ${place}::int + 1 for 1))
        where name = 'audit-log'`;
      return `anchor at ${place}`;
    }
    default:
      return flip(sql, chance, id);
  }
}

/** One character of one column. */
async function flip(sql: TransactionSql, chance: Chance, id: number): Promise<string> {
  const column = (["at", "actor", "source", "action", "subject", "outcome", "before", "after", "hash"] as const)[
    chance(9)
  ];
  const [row] = await sql`select at::text, actor, source, action, subject, outcome, before::text, after::text, hash
    from audit_log where id = ${id}`;
  if (column === undefined || row === undefined) throw new Error("no such entry");
  const value = row[column] as string | Buffer | null;
  if (column === "at")
    await sql`update audit_log set at = at + ${`${1 + chance(1000)} microseconds`}::interval where id = ${id}`;
  else if (column === "hash") {
    const hash = Buffer.from(value as Buffer);
    const place = chance(hash.length);
    hash[place] = (hash[place] ?? 0) ^ (1 << chance(8));
    await sql`update audit_log set hash = ${hash} where id = ${id}`;
  } else if (column === "before" || column === "after") {
    // Within a JSON text any other character may end it: a digit or a letter becomes another one.
    const places = [...(value ?? "{}").toString()].flatMap((one, place) => (/[1-8a-y]/.test(one) ? [place] : []));
    const text = (value ?? '{"x": 1}') as string;
    const at = places[chance(places.length || 1)];
    const changed = at === undefined ? text : text.slice(0, at) + next(text[at] ?? "") + text.slice(at + 1);
    // `null` is a word of JSON: a letter of it cannot be another one.
    const valid = isJson(changed) ? changed : '{"changed": true}';
    await sql`update audit_log set ${sql(column)} = ${sql.json(JSON.parse(valid))} where id = ${id}`;
  } else {
    const text = value as string;
    const at = chance(text.length);
    const changed = text.slice(0, at) + next(text[at] ?? "") + text.slice(at + 1);
    await sql`update audit_log set ${sql(column)} = ${changed} where id = ${id}`;
  }
  return `flip ${column} of ${id}`;
}

const next = (character: string): string => String.fromCharCode(character.charCodeAt(0) + 1);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
