// A statement as it goes out: its text with $1, $2 … and the values that stand for them. Made of a template, in whose braces
// a value becomes a parameter, and a query or a name becomes text.

import { type Named, Query } from "./query.ts";
import type { Value } from "./sql.ts";
import { isParameter } from "./values.ts";

export interface Statement {
  readonly text: string;
  readonly values: readonly Value[];
  /** Planned once a connection, under a name. */
  readonly prepare: boolean;
  /** Sent as it is, and may be several statements. */
  readonly script: boolean;
}

/** Of templates in whose braces are values alone: the same text each time, which is found quickly. */
const plain = new WeakMap<TemplateStringsArray, string>();

export function statementOf(template: TemplateStringsArray, filled: readonly unknown[]): Statement {
  const values: Value[] = [];
  if (filled.every(isValue)) {
    values.push(...(filled as Value[]));
    let text = plain.get(template);
    if (text === undefined) {
      text = template.reduce((before, part, index) => `${before}$${index}${part}`);
      plain.set(template, text);
    }
    return { text, values, prepare: true, script: false };
  }
  return { text: fill(template, filled, values), values, prepare: true, script: false };
}

function fill(template: TemplateStringsArray, filled: readonly unknown[], values: Value[]): string {
  let text = template[0] ?? "";
  for (const [index, one] of filled.entries()) text += part(one, text, values) + template[index + 1];
  return text;
}

function part(one: unknown, before: string, values: Value[]): string {
  if (one instanceof Query) {
    const { template, filled, text } = one.asked;
    return template === undefined ? text : fill(template, filled, values);
  }
  if (isNamed(one)) return named(one.named, before, values);
  return placeholder(one, values);
}

function placeholder(one: unknown, values: Value[]): string {
  if (!isValue(one)) throw new TypeError(`${typeof one} is no value of a statement`);
  values.push(one);
  return `$${values.length}`;
}

/** By the word before it: names, the elements of `in`, columns to `set`, or rows to insert. */
function named(what: Named["named"], before: string, values: Value[]): string {
  if (typeof what === "string") return quoted(what);
  if (/\bin\s*$/i.test(before))
    return `(${(what as readonly Value[]).map((element) => placeholder(element, values)).join(", ")})`;
  if (/\bset\s*$/i.test(before))
    return Object.entries(what)
      .map(([name, value]) => `${quoted(name)} = ${placeholder(value, values)}`)
      .join(", ");
  const rows = (Array.isArray(what) ? what : [what]) as readonly Readonly<Record<string, unknown>>[];
  const names = Object.keys(rows[0] ?? {});
  const lines = rows.map((row) => `(${names.map((name) => placeholder(row[name], values)).join(", ")})`);
  return `(${names.map(quoted).join(", ")}) values ${lines.join(", ")}`;
}

/** PostgreSQL, section 4.1.1; a point parts the names of schema and table. */
const quoted = (name: string): string =>
  name
    .split(".")
    .map((word) => `"${word.replaceAll('"', '""')}"`)
    .join(".");

const isNamed = (one: unknown): one is Named => typeof one === "object" && one !== null && "named" in one;

function isValue(one: unknown): one is Value {
  if (typeof one !== "object") return one !== undefined && typeof one !== "function" && typeof one !== "symbol";
  return one === null || one instanceof Date || one instanceof Uint8Array || Array.isArray(one) || isParameter(one);
}

/** How the end of the statement reads. Undefined for statements that may not come behind another (PostgreSQL, section 55.2.4): they have no rows. */
export function tagOf(text: string): RegExp | undefined {
  const [, verb = ""] = VERB.exec(text) ?? [];
  return TAGS.get(verb.toLowerCase());
}

const VERB = /^\s*(\w+)/;
/** How the end of a statement reads that begins with this word. */
const TAGS: ReadonlyMap<string, RegExp> = new Map([
  ["select", /^SELECT \d+$/],
  ["values", /^SELECT \d+$/],
  ["insert", /^INSERT 0 \d+$/],
  ["update", /^UPDATE \d+$/],
  ["delete", /^DELETE \d+$/],
  ["merge", /^MERGE \d+$/],
  ["with", /^(SELECT|INSERT 0|UPDATE|DELETE|MERGE) \d+$/],
  ["commit", /^COMMIT$/],
]);
