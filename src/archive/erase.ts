// Erases what the journal and the archive know of one payer: names, e-mail, phone, addresses, IP addresses and passengers' names, and
// the kept responses that repeat them. What is rendered from then on (lists, webhooks, replayed responses) has none of it.

import { arrayOf } from "../journal/columns.ts";
import { instant, list, object, orNull, rowReader, text, wholeNumber } from "../journal/rows.ts";
import { forgetBlocks } from "../journal/search/prepare-blocks.ts";
import type { TransactionSql } from "../journal/sql/sql.ts";
import { audited } from "../merchants/audit.ts";
import type { Author } from "../merchants/backoffice.ts";
import { type ArchiveOffice, removeUnnamed, verifiedRecords } from "./archive.ts";
import { erasedDetails, erasedPassengers, NO_NAME, PAYER_COLUMNS } from "./erased.ts";
import { BrokenArchive, removeFile, writeFileOf } from "./file.ts";
import { type Found, findArchived } from "./find.ts";
import { CHANGED, lockArchive, portionsOf } from "./portions.ts";
import { digestOf, type Rows } from "./records.ts";

/** Who is sought: every field that is named must be exactly so. */
export interface Payer {
  readonly email?: string;
  readonly mobile_phone?: string;
  readonly first_name?: string;
  readonly last_name?: string;
}

export interface Erasing {
  readonly merchantId: string;
  readonly payer: Payer;
  readonly folder: string;
  /** `meta` is the merchant's own text, and may hold anything. */
  readonly keepMeta: boolean;
}

/** A transaction of the payer's. */
export interface OfPayer {
  readonly id: string;
  readonly merchantTransactionId: string;
  readonly createdAt: Date;
  readonly archived: boolean;
}

/** All that there are, the oldest first. @throws BrokenArchive if a file of the archive is not what was written */
export async function findPayer({ sql }: Pick<ArchiveOffice, "sql">, erasing: Erasing): Promise<readonly OfPayer[]> {
  const { folder, merchantId, payer } = erasing;
  const archived: OfPayer[] = [];
  for await (const { lines } of findArchived(sql, folder, merchantId, payer))
    for (const { id, merchant_transaction_id, created_at } of lines)
      archived.push({
        ...{ id, merchantTransactionId: merchant_transaction_id },
        ...{ createdAt: new Date(created_at), archived: true },
      });
  const rows = await sql.begin(async (one) => {
    await one`set local statement_timeout = 0`;
    return one`
      select t.id, t.merchant_transaction_id as "merchantTransactionId", t.created_at as "createdAt"
      ${ofPayer(one, erasing)} order by t.number`;
  });
  return [...archived, ...rows.map((row) => ({ ...ofPayerRow(row), archived: false }))];
}

const ofPayerRow = rowReader("transactions", { id: text, merchantTransactionId: text, createdAt: instant });

/** From which transactions of the journal. */
export const ofPayer = (sql: TransactionSql, { merchantId, payer }: Pick<Erasing, "merchantId" | "payer">) => sql`
  from transactions t where t.merchant_id = ${merchantId}
    and ${payer.email === undefined ? sql`true` : sql`lower(t.email) = lower(${payer.email}::text)`}
    and ${payer.mobile_phone === undefined ? sql`true` : sql`t.mobile_phone = ${payer.mobile_phone}`}
    and ${payer.first_name === undefined ? sql`true` : sql`t.first_name = ${payer.first_name}`}
    and ${payer.last_name === undefined ? sql`true` : sql`t.last_name = ${payer.last_name}`}
    and not exists (select from archived_transactions a where a.merchant_id = t.merchant_id and a.id = t.id)`;

/**
 * To be run by one at a time. Each portion is one database transaction with its entry in the audit log, which names transactions and
 * nobody. Run again, it goes on with what is left, files included.
 * @returns how many transactions were erased
 * @throws BrokenArchive if a file is not what was written, or an archiving was cut off
 */
export async function erase(office: ArchiveOffice, author: Author, erasing: Erasing): Promise<number> {
  await removeUnnamed(office.sql, erasing.merchantId, erasing.folder);
  const portions = await portionsOf(office.sql, erasing.merchantId);
  if (portions.some(({ state }) => state === "leaving"))
    throw new BrokenArchive("an archiving of this merchant was cut off: let it end first, by archiving again");
  let erased = 0;
  for await (const found of findArchived(office.sql, erasing.folder, erasing.merchantId, erasing.payer))
    erased += await eraseInFile(office, author, erasing, found);
  for (let some = MOST_AT_ONCE; some === MOST_AT_ONCE; erased += some) some = await eraseRows(office, author, erasing);
  return erased;
}

const MOST_AT_ONCE = 500;

async function eraseRows(office: ArchiveOffice, author: Author, erasing: Erasing): Promise<number> {
  const { merchantId, keepMeta } = erasing;
  return audited(office, author, async (sql) => {
    await lockArchive(sql, merchantId);
    const rows = await sql`
      select t.id, t.number, t.details, t.passengers ${ofPayer(sql, erasing)} order by t.number limit ${MOST_AT_ONCE} for update`;
    const found = rows.map(storedRow);
    if (found.length === 0) return { result: 0 };
    const ids = found.map(({ id }) => id);
    const gone = arrayOf(sql, "uuid", ids);
    await forgetBlocks(
      sql,
      merchantId,
      found.map(({ number }) => Number(number)),
    );
    for (const { id, details, passengers } of found)
      await sql`
        update transactions set ${sql(Object.fromEntries(PAYER_COLUMNS.map((name) => [name, null])))}, bytes = null,
          details = ${json(erasedDetails(details, keepMeta))}::text::json,
          passengers = ${json(erasedPassengers(passengers))}::text::json
        where merchant_id = ${merchantId} and id = ${id}`;
    await sql`
      update passengers set passenger_name = ${NO_NAME} where merchant_id = ${merchantId}
        and (number >> 16, number) in (select number >> 16, number from transactions
          where merchant_id = ${merchantId} and id = any(${gone}) and passengers is not null)`;
    await sql`
      update events set ip_address = null where merchant_id = ${merchantId} and transaction_id = any(${gone})
        and ip_address is not null`;
    // Whoever repeats a request gets its response rendered anew.
    await sql`
      delete from idempotency_answers a using idempotency_keys k
      where k.merchant_id = ${merchantId} and k.transaction_id = any(${gone}) and a.merchant_id = ${merchantId} and a.key = k.key`;
    await sql`update archives set version = version + 1 where merchant_id = ${merchantId}`;
    return { result: ids.length, entry: entryOf(merchantId, ids) };
  });
}

const json = (value: object | null): string | null => value && JSON.stringify(value);

const storedRow = rowReader("transactions", {
  id: text,
  number: wholeNumber,
  details: orNull(object),
  passengers: orNull(list(object)),
});

const entryOf = (merchantId: string, ids: readonly string[]) =>
  ({
    action: "payer.delete",
    subject: ["merchant", merchantId],
    after: { transactions: ids },
  }) as const;

/** A new file beside the old one, which goes when the database names the new one. */
async function eraseInFile(
  office: ArchiveOffice,
  author: Author,
  { folder, keepMeta }: Erasing,
  { portion, lines }: Found,
): Promise<number> {
  const ids = new Set(lines.map(({ id }) => id));
  const before = await verifiedRecords(folder, portion);
  const records = before.map((record) => erasedRecord(record, ids, keepMeta));
  const written = await writeFileOf(folder, portion, records);
  const after = { ...portion, ...written, recordsSha256: digestOf(records) };
  await verifiedRecords(folder, after);
  await audited(office, author, async (sql) => {
    await lockArchive(sql, portion.merchantId);
    const replaced = await sql`
      update archive_portions
      set file = ${after.file}, sha256 = ${after.sha256}, records_sha256 = ${after.recordsSha256}
      where merchant_id = ${portion.merchantId} and first_number = ${portion.first} and file = ${portion.file}`;
    if (replaced.count === 0) throw new BrokenArchive(CHANGED);
    return { result: undefined, entry: entryOf(portion.merchantId, [...ids]) };
  });
  await removeFile(folder, portion.file);
  return ids.size;
}

function erasedRecord(record: string, ids: ReadonlySet<string>, keepMeta: boolean): string {
  const { transactions, events, ...others } = JSON.parse(record) as Rows;
  if (!transactions.some(({ id }) => ids.has(text(id)))) return record;
  return JSON.stringify({
    transactions: transactions.map(({ details, passengers, ...row }) => ({
      ...row,
      ...Object.fromEntries(PAYER_COLUMNS.map((name) => [name, null])),
      bytes: null,
      details: erasedDetails(orNull(object)(details), keepMeta),
      passengers: erasedPassengers(orNull(list(object))(passengers)),
    })),
    events: events.map((event) => ({ ...event, ip_address: null })),
    ...others,
  });
}
