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

/** No number goes over the end of a line. */
export function shownIn(strings: readonly string[], numbers: readonly string[]): string[] {
  const all = strings.join("\n");
  return numbers.filter((number) => all.includes(number));
}

/** What a heap snapshot says of its strings; of long ones the first thousand characters. Names of edges are none of them. */
export function stringsOf(file: string): readonly string[] {
  const { snapshot, nodes, strings } = JSON.parse(readFileSync(file, "utf8")) as {
    readonly snapshot: {
      readonly meta: { readonly node_fields: readonly string[]; readonly node_types: readonly (readonly string[])[] };
    };
    readonly nodes: readonly number[];
    readonly strings: readonly string[];
  };
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const names = new Set<number>();
  for (let node = 0; node < nodes.length; node += fields.length)
    if (/string/.test(types[0]?.[nodes[node] ?? 0] ?? "")) names.add(nodes[node + fields.indexOf("name")] ?? 0);
  return [...names].map((name) => strings[name] ?? "");
}

/** A card of its own, right by its check digit, of a range that no other test has. */
export function newNumber(nth: number): string {
  const first = `47391${String(nth).padStart(4, "0")}58${String((nth * 7919) % 10_000).padStart(4, "0")}`;
  const sum = [...first].reduceRight((total, digit, index) => {
    const value = Number(digit) * ((first.length - index) % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return first + String((10 - (sum % 10)) % 10);
}
