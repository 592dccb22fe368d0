// What the gateway logged as an error.

import { readFileSync } from "node:fs";
import { join } from "node:path";

/** pino's. */
const ERROR = 50;

export interface Logged {
  /** By message, how often. */
  readonly counts: Readonly<Record<string, number>>;
  /** The first lines of them, cut short. */
  readonly first: readonly string[];
}

const MOST_SHOWN = 5;
const MOST_OF_A_LINE = 1_000;

export function faultsIn(folder: string): Logged {
  const counts: Record<string, number> = {};
  const first: string[] = [];
  for (const line of readFileSync(join(folder, "gateway.log"), "utf8").split("\n")) {
    const { level = 0, msg = "" } = entryOf(line);
    if (level < ERROR) continue;
    counts[msg] = (counts[msg] ?? 0) + 1;
    if (first.length < MOST_SHOWN) first.push(line.slice(0, MOST_OF_A_LINE));
  }
  return { counts, first };
}

function entryOf(line: string): { readonly level?: number; readonly msg?: string } {
  try {
    return JSON.parse(line) as { level: number; msg: string };
  } catch {
    return {}; // a line for people
  }
}
