// Who is erased and who is not: a payer is whoever has every field that is named, of one merchant, in the journal and in the archive alike.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { v7 } from "uuid";
import { approved, conclusion, intent } from "../../test/conformance/intents.ts";
import { type FreshDatabase, freshDatabase } from "../../test/database.ts";
import { ON_CITUS } from "../../test/database-server.ts";
import { officeOn } from "../../test/fixtures/archiving.ts";
import { listPage } from "../../test/fixtures/whole-page.ts";
import { registerNode } from "../journal/nodes.ts";
import { openJournal, type PostgresJournal } from "../journal/postgres-journal.ts";
import type { Transaction } from "../payment/transaction.ts";
import { archive } from "./archive.ts";
import { type Erasing, erase, findPayer, type Payer } from "./erase.ts";
import { BrokenArchive } from "./file.ts";
import { restore } from "./restore.ts";

const AT = new Date("2031-01-01T12:00:00Z");
const LATER = new Date("2032-01-01T12:00:00Z");
const AUTHOR = { actor: "test", source: "test" };
const JANE = { first_name: "Jane", last_name: "Featherstone", email: "jane@example.com", mobile_phone: "15145550123" };
/** Each differs from Jane in one field. */
const OTHERS: readonly (typeof JANE)[] = [
  { ...JANE, first_name: "June" },
  { ...JANE, last_name: "Feather" },
  { ...JANE, email: "jane@example.org" },
  { ...JANE, mobile_phone: "15145550124" },
];

describe("erasing a payer", () => {
  let database: FreshDatabase;
  let journal: PostgresJournal;
  const folder = mkdtempSync(join(tmpdir(), "faregate-erase-"));
  before(async () => {
    database = await freshDatabase();
    const { address, pool } = database;
    const clock = { now: () => AT };
    journal = openJournal({ address, pool, clock, node: await registerNode(pool, AT), distributed: ON_CITUS });
  });
  after(async () => {
    await journal.close();
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  const office = () => officeOn(database.pool, { now: () => LATER });
  const archiveAll = (merchantId: string) => archive(office(), AUTHOR, { merchantId, folder, before: LATER });
  const restoreAll = (merchantId: string) => restore(office(), AUTHOR, { merchantId, folder, from: new Date(0) });
  const merchant = async (): Promise<string> => {
    const id = v7();
    await database.pool`insert into merchant_counters values (${id}, 0, ${AT})`;
    return id;
  };
  /** With passengers and `meta`. */
  const charged = async (merchantId: string, payer: typeof JANE): Promise<Transaction> => {
    const full = intent(merchantId, AT, { full: true });
    const transaction = { ...full, fields: { ...full.fields, ...payer } };
    await journal.open(transaction, null);
    await journal.conclude(conclusion(transaction, transaction.events[0], approved(AT)));
    return transaction;
  };
  const erasing = (merchantId: string, payer: Payer, keepMeta = false): Erasing => ({
    ...{ merchantId, payer, folder, keepMeta },
  });
  const found = async (merchantId: string, id: string): Promise<Transaction> => {
    const transaction = await journal.find(merchantId, id);
    assert.ok(transaction);
    return transaction;
  };

  for (const where of ["journal", "archive"] as const)
    test(`takes who has every field that is named, and nobody else, of this merchant alone: ${where}`, async () => {
      const [own, other] = [await merchant(), await merchant()];
      const jane = await charged(own, JANE);
      const left = [await charged(other, JANE)];
      for (const one of OTHERS) left.push(await charged(own, one));
      const before = await Promise.all(left.map(({ merchantId, id }) => found(merchantId, id)));
      if (where === "archive") for (const one of [own, other]) await archiveAll(one);
      const wanted = erasing(own, JANE);
      assert.deepEqual(
        (await findPayer(office(), wanted)).map(({ id, archived }) => [id, archived]),
        [[jane.id, where === "archive"]],
      );
      assert.equal(await erase(office(), AUTHOR, wanted), 1);
      assert.deepEqual(await findPayer(office(), wanted), []);
      if (where === "archive") for (const one of [own, other]) await restoreAll(one);
      assert.deepEqual(await Promise.all(left.map(({ merchantId, id }) => found(merchantId, id))), before);
      assert.equal((await found(own, jane.id)).fields.email, undefined);
    });

  for (const where of ["journal", "archive"] as const)
    test(`leaves no passenger's name, and each one's money: ${where}`, async () => {
      const own = await merchant();
      const { id, passengers } = await charged(own, JANE);
      const [named] = passengers ?? [];
      assert.ok(named);
      const byName = { startsWith: { passenger_name: named.passenger_name } };
      assert.equal((await listPage(database.pool, own, byName, 1)).total, 1);
      if (where === "archive") await archiveAll(own);
      assert.equal(await erase(office(), AUTHOR, erasing(own, { email: JANE.email })), 1);
      if (where === "archive") {
        const [name = "", ...more] = readdirSync(join(folder, own));
        assert.deepEqual(more, []);
        assert.ok(!gunzipSync(readFileSync(join(folder, own, name))).includes(named.passenger_name));
        await restoreAll(own);
      }
      const after = (await found(own, id)).passengers;
      assert.deepEqual(
        after,
        passengers?.map((one) => ({ ...one, passenger_name: "ERASED" })),
      );
      assert.equal((await listPage(database.pool, own, byName, 1)).total, 0);
    });

  for (const [what, run] of [
    ["an erasing", (own: string) => erase(office(), AUTHOR, erasing(own, { email: JANE.email }))],
    ["a restoring", restoreAll],
  ] as const)
    test(`leaves no file that ${what} was killed before it removed`, async () => {
      const own = await merchant();
      const [place, before] = [join(folder, own), mkdtempSync(join(tmpdir(), "faregate-before-"))];
      await charged(own, JANE);
      await archiveAll(own);
      cpSync(place, before, { recursive: true });
      await run(own);
      // As the kill leaves it: the database names the file no more, and it is still there.
      cpSync(before, place, { recursive: true });
      rmSync(before, { recursive: true });
      await erase(office(), AUTHOR, erasing(own, { email: JANE.email }));
      const named = (name: string) => gunzipSync(readFileSync(join(place, name))).includes(JANE.email);
      assert.deepEqual(readdirSync(place).filter(named), []);
    });

  test("removes no file where one that the database names is missing: it may hold the same transactions", async () => {
    const own = await merchant();
    const place = join(folder, own);
    await charged(own, JANE);
    await archiveAll(own);
    const [name = ""] = readdirSync(place);
    // As after an erasing, with the database as it was before it.
    const written = name.replace(/[0-9a-f]{16}/, "0".repeat(16));
    renameSync(join(place, name), join(place, written));
    await assert.rejects(erase(office(), AUTHOR, erasing(own, { email: JANE.email })), BrokenArchive);
    assert.deepEqual(readdirSync(place), [written]);
  });

  for (const where of ["journal", "archive"] as const)
    test(`keeps the merchant's own text only where that is asked for: ${where}`, async () => {
      for (const keepMeta of [true, false]) {
        const own = await merchant();
        const { id, meta } = await charged(own, JANE);
        if (where === "archive") await archiveAll(own);
        assert.equal(await erase(office(), AUTHOR, erasing(own, { last_name: JANE.last_name }, keepMeta)), 1);
        if (where === "archive") await restoreAll(own);
        assert.equal((await found(own, id)).meta, keepMeta ? meta : null);
      }
    });
});
