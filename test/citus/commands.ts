// The commands that keep and forget, on Citus, by the real command line. Started by run.ts.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openJournal } from "../../src/journal/postgres-journal.ts";
import { type CommandLine, commandLineOfItsOwn, WITH_MASTER_KEY } from "../command-line.ts";
import { approved, conclusion, intent } from "../conformance/intents.ts";

const DAY_MS = 86_400_000;
const SOLD_AT = new Date(Date.now() - 400 * DAY_MS);
const dayBefore = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
const PAYERS = ["jane@example.com", "john@example.com", "jane@example.com"];

describe("commands on Citus", () => {
  let cli: CommandLine;
  const merchants: string[] = [];
  const folder = mkdtempSync(join(tmpdir(), "faregate-citus-"));

  before(async () => {
    cli = await commandLineOfItsOwn(WITH_MASTER_KEY);
    for (const name of ["Northwind Air", "Eastwind Rail", "Westwind Sea"]) {
      const { merchant } = await cli.json<{ merchant: { id: string } }>("merchant", "create", "--name", name);
      merchants.push(merchant.id);
    }
    const { address, pool } = cli.database;
    // Nothing is older than its merchant.
    await pool`update merchant_counters set newest_at = ${SOLD_AT}`;
    const journal = openJournal({ address, pool, clock: { now: () => SOLD_AT }, node: 1, distributed: true });
    for (const merchantId of merchants)
      for (const email of PAYERS) {
        const sale = { ...intent(merchantId, SOLD_AT, { full: true }), fields: { email } };
        await journal.open(sale, null);
        await journal.conclude(conclusion(sale, sale.events[0], approved(SOLD_AT)));
      }
    await journal.close();
    // What is written long after it was known is a change of now.
    await pool`update outcomes set created_at = ${SOLD_AT}, changed_at = null`;
  });
  after(async () => {
    await cli.end();
    rmSync(folder, { recursive: true });
  });

  const run = async (...parameters: string[]) => {
    const { code, stdout, stderr } = await cli.run(...parameters, "--folder", folder, "--json");
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  const rows = async (table: string) => {
    const { pool } = cli.database;
    const found = await pool<{ id: string; rows: number }[]>`
      select merchant_id as id, count(*)::int as rows from ${pool(table)} group by merchant_id`;
    return merchants.map((id) => found.find((one) => one.id === id)?.rows ?? 0);
  };

  test("one merchant's old transactions are archived, found and restored; the others' stay", async () => {
    const [merchant = ""] = merchants;
    const archiving = ["archive", "--merchant", merchant, "--before", dayBefore(200)];
    assert.deepEqual(await run(...archiving), { applied: false, transactions: 3, stays: null });
    assert.deepEqual(await run(...archiving, "--apply"), { applied: true, transactions: 3, stays: null });
    for (const table of ["transactions", "events", "outcomes", "passengers"]) {
      const [mine, ...others] = await rows(table);
      assert.deepEqual([mine, others.every((count) => count > 0)], [0, true], table);
    }
    const { transactions } = await run("archive", "find", "--merchant", merchant, "--email", "john@example.com");
    assert.deepEqual(
      transactions.map(({ number, email }: Record<string, string>) => [number, email]),
      [["2", "john@example.com"]],
    );
    // On whichever node it was read, and whatever its time zone is.
    assert.match(transactions[0].created_at, /\+00:00$/);
    const restored = await run("archive", "restore", "--merchant", merchant, "--from", dayBefore(600), "--apply");
    assert.deepEqual(restored, { applied: true, transactions: 3 });
    const [mine, ...others] = await rows("passengers");
    assert.deepEqual(others, [mine, mine]);
  });

  test("a payer is erased from one merchant's rows", async () => {
    const [, merchant = ""] = merchants;
    const erasing = ["erase", "--merchant", merchant, "--email", "JANE@example.com"];
    const shown = await run(...erasing);
    assert.deepEqual([shown.erased, shown.transactions.length], [0, 2]);
    assert.equal((await run(...erasing, "--apply")).erased, 2);
    const left = await cli.database.pool<{ id: string; email: string | null }[]>`
      select merchant_id as id, email from transactions where email like 'jane%'`;
    assert.deepEqual(
      merchants.map((id) => left.filter((one) => one.id === id).length),
      [2, 0, 2],
    );
  });

  test("cards on file are imported, sealed again, erased and deleted, each of its own merchant", async () => {
    const csv = join(folder, "cards.csv");
    const lines = PAYERS.map((email, nth) => `card-${nth},411111111111111${nth},12,2039,${email}`);
    const header = "external_key,card_number,card_expiry_month,card_expiry_year,email";
    writeFileSync(csv, `${[header, ...lines].join("\n")}\n`);
    const stored: string[] = [];
    for (const merchant of merchants) {
      const of = ["--merchant", merchant];
      const { user } = await cli.json<{ user: { id: string } }>(
        "user",
        "create",
        ...of,
        "--name",
        "J",
        "--email",
        "j@x.org",
      );
      for (const results of ["stored", "exists"]) {
        const { cards } = await cli.json<{ cards: { id: string; result: string }[] }>(
          ...["card", "import", csv, ...of, "--user", user.id, "--apply"],
        );
        assert.deepEqual(
          cards.map(({ result }) => result),
          Array(3).fill(results),
        );
        if (results === "stored") stored.push(...cards.map(({ id }) => id));
      }
    }
    assert.deepEqual(await rows("cards"), [3, 3, 3]);
    assert.equal((await cli.json<{ sealed_anew: number }>("keys", "rotate")).sealed_anew, 9);
    const [first = "", second = ""] = merchants;
    const erased = await run("erase", "--merchant", second, "--email", "jane@example.com", "--apply");
    assert.equal(erased.erased_cards, 2);
    await cli.json("card", "delete", stored[0] ?? "", "--merchant", first);
    assert.deepEqual(await rows("cards"), [2, 1, 3]);
    const { cards } = await cli.json<{ cards: { email: string }[] }>("card", "list", "--merchant", second);
    assert.deepEqual(
      cards.map(({ email }) => email),
      ["john@example.com"],
    );
  });

  test("the audit log has an entry for each, and is whole", async () => {
    const { entries } = await cli.json<{ entries: { action: string }[] }>("audit");
    const done = entries.map(({ action }) => action).filter((action) => /^(archive|payer)\./.test(action));
    assert.deepEqual(done.sort(), ["archive.create", "archive.delete", "payer.delete"]);
    assert.equal((await cli.run("audit", "verify")).code, 0);
  });
});
