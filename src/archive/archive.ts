// Moves a merchant's oldest transactions into files, portion by portion, beside a gateway at work: a file is written and read back,
// then its transactions are marked, and only then removed. Whatever is cut off, the next run goes on from what is there.

import { arrayOf } from "../journal/columns.ts";
import type { Sql } from "../journal/database.ts";
import { figuresAnew, keepFigures } from "../journal/figures.ts";
import { instant, text } from "../journal/rows.ts";
import type { TransactionSql } from "../journal/sql/sql.ts";
import { audited } from "../merchants/audit.ts";
import type { Author, Backoffice } from "../merchants/backoffice.ts";
import { BrokenArchive, readFileOf, removeFile, removeStrays, writeFileOf } from "./file.ts";
import { othersEnded } from "./others-ended.ts";
import { type Candidate, planPortion } from "./plan.ts";
import {
  archivedThrough,
  comparable,
  deletePortion,
  insertPortion,
  lockArchive,
  type Portion,
  portionNow,
  portionsOf,
} from "./portions.ts";
import { digestOf, type Numbers, type Rows, readRecords, removeRecords, sumsInDatabase, sumsOf } from "./records.ts";

export type ArchiveOffice = Pick<Backoffice, "sql" | "clock" | "auditKey">;

export interface Archiving {
  readonly merchantId: string;
  /** Only what was over before it. */
  readonly before: Date;
  readonly folder: string;
  /** Told what has just become durable. */
  readonly reached?: (step: "written" | "marked" | "removed", numbers: Numbers) => void;
}

export interface Archived {
  readonly transactions: number;
  readonly files: number;
  /** The oldest that stays although it was created before the day. */
  readonly stays: Candidate | null;
}

/** To be run by one at a time. @throws BrokenArchive if a file is not what was written: nothing of it is removed then */
export async function archive(office: ArchiveOffice, author: Author, given: Archiving): Promise<Archived> {
  const { sql } = office;
  const { merchantId, before, folder } = given;
  let [transactions, files] = [0, 0];
  const remove = async (portion: Portion) => {
    if (!(await removeIfUnchanged(office, author, portion, folder))) return;
    given.reached?.("removed", portion);
    transactions += portion.last - portion.first + 1;
    files++;
  };
  const portions = await portionsOf(sql, merchantId);
  for (const portion of portions) if (portion.state === "leaving") await remove(portion);
  await removeUnnamed(sql, merchantId, folder);
  for (;;) {
    const { leaving, stays } = await planPortion(sql, merchantId, before, await archivedThrough(sql, merchantId));
    if (leaving.length === 0) return { transactions, files, stays };
    const portion = await writePortion(sql, merchantId, leaving, folder);
    given.reached?.("written", portion);
    await sql.begin(async (one) => {
      await lockArchive(one, merchantId);
      await insertPortion(one, portion, office.clock.now());
    });
    given.reached?.("marked", portion);
    await remove(portion);
  }
}

/** What a run that was cut off left: files that hold a payer's data, and that nothing finds any more. */
export async function removeUnnamed(sql: Sql, merchantId: string, folder: string): Promise<void> {
  await sql.begin(async (one) => {
    // A run that was cut off in its commit holds the lock, and may still put a file's name there.
    await lockArchive(one, merchantId);
    const named = await portionsOf(one, merchantId);
    await removeStrays(
      folder,
      merchantId,
      named.map(({ file }) => file),
    );
  });
}

async function writePortion(
  sql: Sql,
  merchantId: string,
  leaving: readonly Candidate[],
  folder: string,
): Promise<Portion> {
  const [first, last] = [leaving[0], leaving.at(-1)];
  if (first === undefined || last === undefined) throw new Error("broken invariant: a portion of nothing");
  const numbers: Numbers = { merchantId, first: first.number, last: last.number };
  const { records, sums } = await sql.begin("isolation level repeatable read read only", async (one) => {
    await comparable(one);
    return { records: await readRecords(one, numbers), sums: await sumsInDatabase(one, numbers) };
  });
  const written = await writeFileOf(folder, numbers, records);
  const portion: Portion = {
    ...{ ...numbers, ...written, state: "leaving", recordsSha256: digestOf(records), sums },
    ...{ firstCreatedAt: first.createdAt, lastCreatedAt: last.createdAt },
    lastChange: new Date(Math.max(...leaving.map(({ lastChange }) => lastChange.getTime()))),
  };
  await verifiedRecords(folder, portion);
  return portion;
}

/** The records of a file, once it has shown to be whole: each transaction once, each amount in the sums. @throws BrokenArchive */
export async function verifiedRecords(folder: string, portion: Portion): Promise<readonly string[]> {
  const lines = await readFileOf(folder, portion);
  const records = lines.map(({ record }) => record);
  const numbers = lines.map((line) => Number(line.number));
  const whole =
    numbers.length === portion.last - portion.first + 1 &&
    numbers.every((number, index) => number === portion.first + index) &&
    digestOf(records) === portion.recordsSha256 &&
    JSON.stringify(sumsOf(records.map((record) => JSON.parse(record) as Rows))) ===
      JSON.stringify(inOrder(portion.sums));
  if (!whole) throw new BrokenArchive(`the file ${portion.file} does not say what the database said`);
  return records;
}

const inOrder = (sums: Portion["sums"]) =>
  Object.fromEntries(Object.entries(sums).sort(([one], [other]) => (one < other ? -1 : 1)));

/** @returns false if something happened to one of them meanwhile: then all of them stay */
async function removeIfUnchanged(
  office: ArchiveOffice,
  author: Author,
  portion: Portion,
  folder: string,
): Promise<boolean> {
  const { sql } = office;
  await verifiedRecords(folder, portion);
  await othersEnded(sql, portion.merchantId);
  const found = await audited<Portion["state"] | "not marked" | "changed">(office, author, async (one) => {
    await lockArchive(one, portion.merchantId);
    const state = (await portionNow(one, portion))?.state ?? "not marked";
    if (state !== "leaving") return { result: state };
    if (digestOf(await readRecords(one, portion)) !== portion.recordsSha256) return { result: "changed" };
    await moveOut(one, portion);
    return {
      result: "archived",
      entry: { action: "archive.create", subject: ["merchant", portion.merchantId], after: shown(portion) },
    };
  });
  if (found !== "changed") return found === "archived";
  await sql.begin(async (one) => {
    await lockArchive(one, portion.merchantId);
    await deletePortion(one, portion);
  });
  await removeFile(folder, portion.file);
  return false;
}

async function moveOut(sql: TransactionSql, portion: Portion): Promise<void> {
  const { merchantId, first, last } = portion;
  const rows = await sql`
    select id from transactions where merchant_id = ${merchantId} and number between ${first} and ${last}`;
  const ids = rows.map(({ id }) => text(id));
  const hours = await hoursOf(sql, merchantId, ids);
  await keepFigures(sql, merchantId, ids, first);
  await removeRecords(sql, portion, ids);
  await figuresAnew(sql, merchantId, hours);
  await sql`
    update archive_portions set state = 'archived' where merchant_id = ${merchantId} and first_number = ${first}`;
}

/** In which something happened to them. */
export async function hoursOf(
  sql: TransactionSql,
  merchantId: string,
  ids: readonly string[],
): Promise<readonly Date[]> {
  const rows = await sql`
    select distinct date_trunc('hour', created_at, 'UTC') as hour from events
    where merchant_id = ${merchantId} and transaction_id = any(${arrayOf(sql, "uuid", ids)})`;
  return rows.map(({ hour }) => instant(hour));
}

/** For the audit log: which, and how much, and nobody's name. */
export const shown = ({ first, last, file, sha256, sums }: Portion) => ({
  ...{ first_number: first, last_number: last, transactions: last - first + 1 },
  ...{ file, sha256, sums },
});
