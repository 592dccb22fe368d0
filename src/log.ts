// The process's log: in a terminal, lines of words; everywhere else, lines of JSON.

import { inspect } from "node:util";
import { type Logger, pino } from "pino";
import { printable, printableJson, printableLines } from "./printable.ts";
import type { LogFormat, LogLevel } from "./settings.ts";

/** Words for a person who looks on, JSON for whatever collects lines. */
export const formatFor = (wanted: LogFormat | undefined, output: { readonly isTTY?: boolean }): LogFormat =>
  wanted ?? (output.isTTY ? "text" : "json");

/** To standard output. */
export const openLog = (level: LogLevel, format: LogFormat): Logger =>
  format === "json"
    ? pino({ level, hooks: { streamWrite: printableJson } })
    : pino({ level }, { write: (line) => void process.stdout.write(inWords(line)) });

interface Line {
  readonly level: number;
  readonly time: number;
  readonly msg?: string;
  readonly err?: { readonly stack?: string };
  readonly [fact: string]: unknown;
}

/** `12:03:07 warning: webhooks could not be delivered (webhook 01a1…, fault Error: …)` */
export function inWords(json: string): string {
  const { level, time, pid: _, hostname: __, msg = "", err, ...facts } = JSON.parse(json) as Line;
  const clock = new Date(time).toTimeString().slice(0, 8);
  const told = Object.entries(facts).map(([name, value]) => `${printable(name)} ${shown(value)}`);
  const beside = told.length > 0 ? ` (${told.join(", ")})` : "";
  const stack = err?.stack === undefined ? "" : `\n${printableLines(err.stack)}`;
  return `${clock} ${severityOf(level)}${printableLines(msg)}${beside}${stack}\n`;
}

/** Of pino's numbers: 40 is a warning, from 50 on it is an error. */
const severityOf = (level: number): string => (level >= 50 ? "error: " : level >= 40 ? "warning: " : "");

const shown = (value: unknown): string =>
  printable(typeof value === "string" ? value : inspect(value, { breakLength: Number.POSITIVE_INFINITY }));
