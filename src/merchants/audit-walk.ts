// Walking the chain of the audit log from entry to entry, a portion at a time. Pure.

import { type AuditKey, hashOf } from "./audit-chain.ts";

export interface ChainedRow {
  readonly id: string;
  readonly content: string;
  readonly hash: string | null;
}

/** Where a walk stands: the number that comes next, and the hash before it. */
export interface Place {
  readonly expected: number;
  readonly previous: string;
}

/** What is wrong with these entries, which are in the order of their numbers and of a chain that ends at `last`. */
export function walk(
  key: AuditKey,
  last: number,
  from: Place,
  rows: readonly ChainedRow[],
): { readonly place: Place; readonly findings: readonly string[] } {
  let { expected, previous } = from;
  const findings: string[] = [];
  for (const { id: text, content, hash } of rows) {
    const id = Number(text);
    if (id < expected || id > last) {
      findings.push(`entry ${text} does not belong there`);
      continue;
    }
    const gap = id > expected;
    findings.push(...missing(expected, id - 1));
    // After a gap the hash before it is unknown: what is wrong with the entry itself shows in the next one.
    if (hash === null || (!gap && hash !== hashOf(key, previous, content)))
      findings.push(`entry ${id} is not as it was written`);
    expected = id + 1;
    previous = hash ?? "";
  }
  return { place: { expected, previous }, findings };
}

/** What is wrong where the rows end. */
export function atEnd({ expected, previous }: Place, { last, hash }: { readonly last: number; readonly hash: string }) {
  if (expected <= last) return missing(expected, last);
  return previous === hash ? [] : [`entry ${last} is not as it was written`];
}

function missing(from: number, to: number): readonly string[] {
  if (from > to) return [];
  return [from === to ? `entry ${to} is missing` : `entries ${from} to ${to} are missing`];
}
