// The setting `field_layouts`: fields that a host writes in another length than ISO 8583:1987 has, as `55 llvar, 60 lllvar digits, 127 fixed
// 8`.

import type { Dialect, FieldFormat, Layout, LengthRule } from "./codec/dialect.ts";
import { LAYOUTS } from "./dialect/layouts.ts";
import { STANDARD } from "./dialect/standard.ts";

const numbers = Object.keys(LAYOUTS);
/** Those that the gateway writes keep their content, and those by which it knows an answer their length. */
const written = numbers.filter((field) => STANDARD.fields[Number(field)]?.rule.endsWith("var"));
const others = numbers.filter((field) => STANDARD.fields[Number(field)] === undefined);
const ONE = `((${written.join("|")}) ll?lvar|(${others.join("|")}) (ll?lvar|fixed [1-9][0-9]{0,2})( digits)?)`;

export const FIELD_LAYOUTS_PATTERN = `^${ONE}(, ${ONE}){0,125}$`;

export const FIELD_LAYOUTS_MUST_BE =
  `a list like "55 llvar, 60 lllvar digits, 127 fixed 8": llvar or lllvar of the fields ${written.join(", ")}, and llvar, lllvar or ` +
  "fixed of those that the gateway does not use";

/** @param setting as the pattern has it; empty: as the dialect is */
export function withLayouts(dialect: Dialect, setting: string): Dialect {
  const fields: Record<number, FieldFormat> = { ...dialect.fields };
  const layouts: Record<number, Layout> = { ...dialect.layouts };
  for (const one of setting.split(", ").filter((text) => text !== "")) {
    const [number = "", rule = "", ...rest] = one.split(" ");
    const field = Number(number);
    const given: Layout = {
      content: rest.includes("digits") ? "n" : "ans",
      rule: rule as LengthRule,
      length: rule === "fixed" ? Number(rest[0]) : LONGEST[rule as LengthRule],
    };
    const format = fields[field];
    if (format === undefined) layouts[field] = given;
    else fields[field] = { ...format, rule: given.rule, length: Math.min(format.length, given.length) };
  }
  return { ...dialect, fields, layouts };
}

const LONGEST: Readonly<Record<LengthRule, number>> = { fixed: 999, llvar: 99, lllvar: 999 };
