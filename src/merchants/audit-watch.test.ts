// A log that was tampered with anywhere takes no entry any more, and so no change is made.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { freshDatabase } from "../../test/database.ts";
import type { Sql } from "../journal/database.ts";
import { audited } from "./audit.ts";
import { AuditLogBroken, appendEntry, auditKeyOf } from "./audit-chain.ts";
import { verifyAuditLog } from "./audit-verify.ts";
import { auditWatch, checkNewest } from "./audit-watch.ts";

const KEY = auditKeyOf(Buffer.alloc(32, 1));
const NOW = new Date("2026-01-01T10:00:00.123Z");
const ENTRIES = 450;

/** As it was written once, for all tests: the entries, and the anchor. */
let log: string | undefined;

/** More than two portions. */
async function written(sql: Sql): Promise<void> {
  if (log !== undefined) return again(sql, log);
  await sql.begin(async (transaction) => {
    for (let index = 1; index <= ENTRIES; index++)
      await appendEntry(transaction, KEY, {
        ...{ at: NOW, actor: "operator Jane", source: "192.0.2.7", action: "merchant.change" },
        ...{ subject: "merchant 1", merchantId: null, outcome: "done", before: null, after: { name: `Shop ${index}` } },
      });
  });
  const [row] = await sql<{ log: string }[]>`
    select json_build_object(
      'entries', (select json_agg(audit_log order by id) from audit_log),
      'anchors', (select json_agg(installation) from installation))::text as log`;
  log = row?.log;
}

async function again(sql: Sql, text: string): Promise<void> {
  await sql`insert into audit_log select * from json_populate_recordset(null::audit_log, ${text}::json -> 'entries')`;
  await sql`
    insert into installation select * from json_populate_recordset(null::installation, ${text}::json -> 'anchors')`;
}

const change = (sql: Sql): Promise<void> =>
  audited(
    { sql, clock: { now: () => NOW }, auditKey: async () => KEY },
    { actor: "operator Jane", source: "192.0.2.7" },
    async () => ({ result: undefined, entry: { action: "merchant.change", subject: ["merchant", "1"] } }),
  );

async function withLog(work: (sql: Sql) => Promise<void>): Promise<void> {
  const { pool, drop } = await freshDatabase();
  try {
    await written(pool);
    await work(pool);
  } finally {
    await drop();
  }
}

/** A whole pass, and the beginning of the next. */
async function passed(sql: Sql): Promise<readonly string[]> {
  const watch = auditWatch(sql, KEY, () => NOW);
  const found: string[] = [];
  for (let portion = 0; portion < 4; portion++) found.push(...[await watch.next()].filter((one) => one !== undefined));
  return found;
}

test("a log that is whole is passed again and again, also while it grows, and takes changes", () =>
  withLog(async (pool) => {
    assert.equal(await checkNewest(pool, KEY, NOW), undefined);
    const watch = auditWatch(pool, KEY, () => NOW);
    for (let portion = 0; portion < 8; portion++) {
      assert.equal(await watch.next(), undefined);
      await change(pool);
    }
    assert.deepEqual((await verifyAuditLog(pool, KEY)).findings, []);
  }));

describe("found in the middle, and then no change is taken, also when it was mended", () => {
  const copied = `from audit_log as other where other.id = 222 and audit_log.id = 223`;
  for (const [what, tamper, mend, finding] of [
    [
      "an edited entry",
      `update audit_log set actor = 'operator Joan' where id = 223`,
      `update audit_log set actor = 'operator Jane' where id = 223`,
      "entry 223 is not as it was written",
    ],
    [
      "a missing entry",
      `create table aside as select * from audit_log where id = 223; delete from audit_log where id = 223`,
      `insert into audit_log select * from aside`,
      "entry 223 is missing",
    ],
    [
      "an entry in another's place",
      `create table aside as select * from audit_log where id = 223;
       update audit_log set after = other.after, hash = other.hash ${copied}`,
      `update audit_log set after = other.after, hash = other.hash from aside as other where audit_log.id = 223`,
      "entry 223 is not as it was written",
    ],
    [
      "a doubled entry at the end",
      `insert into audit_log (id, at, actor, source, action, subject, outcome, before, after, hash)
       select 451, at, actor, source, action, subject, outcome, before, after, hash from audit_log where id = 450`,
      `delete from audit_log where id = 451`,
      "entry 451 does not belong there",
    ],
  ] as const)
    test(what, () =>
      withLog(async (pool) => {
        for (const statement of tamper.split(";")) await pool.unsafe(statement);
        assert.deepEqual(await passed(pool), [finding]);
        await assert.rejects(
          change(pool),
          new AuditLogBroken(`The audit log was tampered with or damaged: ${finding}. Nothing is added to it.`),
        );
        await pool.unsafe(mend);
        await assert.rejects(change(pool), AuditLogBroken);
        assert.deepEqual((await verifyAuditLog(pool, KEY)).findings, [`found before: ${finding}`]);
      }),
    );
});

test("the newest entries are looked at before a gateway takes its first change", () =>
  withLog(async (pool) => {
    await pool`update audit_log set source = '192.0.2.8' where id = 300`;
    assert.equal(await checkNewest(pool, KEY, NOW), "entry 300 is not as it was written");
    await assert.rejects(change(pool), AuditLogBroken);
  }));

test("as many of the newest as are asked for: what is before them is left to the watch", () =>
  withLog(async (pool) => {
    assert.equal(await checkNewest(pool, KEY, NOW, 100), undefined);
    await pool`update audit_log set source = '192.0.2.8' where id = 349`;
    assert.equal(await checkNewest(pool, KEY, NOW, 100), undefined);
    await pool`delete from audit_log where id = 350`;
    assert.equal(await checkNewest(pool, KEY, NOW, 100), "entry 350 is missing");
  }));
