// The files of an archive: CSV, compressed by gzip, one for each portion of a merchant's transactions, each with columns to read and
// search by and the record itself. A file's name ends in its checksum, so that no file is ever written over.

import { createHash } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import { text, wholeNumber } from "../journal/rows.ts";
import { amountOf, renderAmount } from "../payment/money.ts";
import type { Numbers, Rows } from "./records.ts";

const COLUMNS = [
  "number",
  "id",
  "created_at",
  "merchant_transaction_id",
  "currency",
  "amount",
  "card_mask",
  "card_brand",
  "first_name",
  "last_name",
  "email",
  "mobile_phone",
  "record",
] as const;
/** A transaction in a file. What is not there is the empty text. */
export type Line = { readonly [column in (typeof COLUMNS)[number]]: string };

/** The file is not what was written, or not there. */
export class BrokenArchive extends Error {}

const lineOf = (record: string): Line => {
  const { transactions, events } = JSON.parse(record) as Rows;
  const row = transactions?.[0] ?? {};
  const shown = (name: string) => (row[name] === null || row[name] === undefined ? "" : String(row[name]));
  const amount = renderAmount(amountOf(wholeNumber(events?.[0]?.amount)));
  return Object.fromEntries(
    COLUMNS.map((name) => [name, name === "record" ? record : name === "amount" ? amount : shown(name)]),
  ) as Line;
};

export interface Written {
  /** Below the archive's folder. */
  readonly file: string;
  readonly sha256: string;
}

/** Durable when it resolves. */
export async function writeFileOf(folder: string, numbers: Numbers, records: readonly string[]): Promise<Written> {
  const csv = stringify(records.map(lineOf), { header: true, columns: [...COLUMNS] });
  const bytes = await promisify(gzip)(csv);
  const sha256 = sha256Of(bytes);
  const file = join(numbers.merchantId, `${numbers.first}-${numbers.last}-${sha256.slice(0, 16)}.csv.gz`);
  const path = join(folder, file);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const handle = await open(`${path}.part`, "w", 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${path}.part`, path);
  for (const above of [dirname(path), folder]) await syncFolder(above);
  return { file, sha256 };
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** @throws BrokenArchive if it is not there, or not as it was written */
export async function readFileOf(folder: string, { file, sha256 }: Written): Promise<readonly Line[]> {
  const path = join(folder, file);
  const bytes = await readFile(path).catch((fault: NodeJS.ErrnoException) => {
    throw new BrokenArchive(`the file ${path} cannot be read: ${fault.code}`);
  });
  if (sha256Of(bytes) !== sha256)
    throw new BrokenArchive(`the file ${path} is not as it was written: its checksum differs`);
  const csv = await promisify(gunzip)(bytes);
  return (parse(csv, { columns: true }) as Record<string, unknown>[]).map(
    (row) => Object.fromEntries(COLUMNS.map((name) => [name, text(row[name])])) as Line,
  );
}

const sha256Of = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

export const removeFile = (folder: string, file: string): Promise<void> => rm(join(folder, file), { force: true });

const NAME = /^\d+-\d+-[0-9a-f]{16}\.csv\.gz(\.part)?$/;

/**
 * Removes what a run that was cut off left: files of the merchant's that the database does not name. None while one that it names is
 * missing: the database may be older than the files, and the others may be all that is left of these transactions.
 */
export async function removeStrays(folder: string, merchantId: string, named: readonly string[]): Promise<void> {
  const kept = new Set(named.map((file) => basename(file)));
  const there: readonly string[] = await readdir(join(folder, merchantId)).catch(() => []);
  for (const name of kept) if (!there.includes(name)) return;
  for (const name of there) if (NAME.test(name) && !kept.has(name)) await removeFile(folder, join(merchantId, name));
}
