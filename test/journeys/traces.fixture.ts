// Looks for what must be nowhere: in the tables of a database, in files, in the memory of a process.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Sql } from "../../src/journal/database.ts";

/** Tables in which some row holds this text, as text or as bytes. */
export const tablesThatShow = (sql: Sql, text: string): Promise<string[]> =>
  tablesThatMatch(sql, `${text}|${Buffer.from(text).toString("hex")}`);

/** By a regular expression of PostgreSQL, over each row as text. */
export async function tablesThatMatch(sql: Sql, pattern: string): Promise<string[]> {
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = 'public' order by 1`;
  const shows: string[] = [];
  for (const { name } of tables)
    if ((await sql`select 1 from ${sql(name)} t where t::text ~ ${pattern} limit 1`).length > 0) shows.push(name);
  return shows;
}

/** `file: text` for each text in a file below this folder, as it is and as UTF-16. */
export function filesThatShow(folder: string, texts: readonly string[]): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.flatMap(({ parentPath, name }) => {
    const bytes = readFileSync(join(parentPath, name));
    const shown = texts.filter((text) => bytes.includes(text) || bytes.includes(Buffer.from(text, "utf16le")));
    return shown.map((text) => `${name}: ${text}`);
  });
}
