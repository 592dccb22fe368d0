// What the gateway logged as an error.

import { readFileSync } from "node:fs";
import { join } from "node:path";

/** pino's. */
const ERROR = 50;

export function faultsIn(folder: string): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const line of readFileSync(join(folder, "gateway.log"), "utf8").split("\n")) {
    const { level = 0, msg = "" } = entryOf(line);
    if (level >= ERROR) counts[msg] = (counts[msg] ?? 0) + 1;
  }
  return counts;
}

function entryOf(line: string): { readonly level?: number; readonly msg?: string } {
  try {
    return JSON.parse(line) as { level: number; msg: string };
  } catch {
    return {}; // a line for people
  }
}
