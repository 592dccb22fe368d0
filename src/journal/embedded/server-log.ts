// The log that PostgreSQL writes beside its cluster: kept from growing without bound, and read for why a start failed.
import { closeSync, constants, fchownSync, fstatSync, openSync, readSync, renameSync, statSync } from "node:fs";
import type { Owner } from "./owner.ts";

const ROTATE_AT_BYTES = 10 * 2 ** 20;
const READ_AT_MOST_BYTES = 64 * 2 ** 10;

/** Opens the log to append to. One that has grown large is moved out of the way first; the one before it goes. */
export function openLog(file: string, owner: Owner): number {
  if (logSize(file) > ROTATE_AT_BYTES) renameSync(file, `${file}.1`);
  // Never through a link: root must not write where another user points it.
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
  const log = openSync(file, flags, 0o600);
  fchownSync(log, owner.uid, owner.gid);
  return log;
}

export function logSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** What was written from byte `position` on, or all of a log that was begun anew since. */
export function logSince(file: string, position: number): string {
  const start = position > logSize(file) ? 0 : position;
  const log = openSync(file, "r");
  try {
    const length = Math.min(fstatSync(log).size - start, READ_AT_MOST_BYTES);
    if (length <= 0) return "";
    const bytes = Buffer.alloc(length);
    return bytes.toString("utf8", 0, readSync(log, bytes, 0, length, start));
  } finally {
    closeSync(log);
  }
}

/** The line that tells why the server gave up, without its time and process id: the first fatal one, else the last. */
export function relevantLine(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const fatal = lines.find((line) => /\b(FATAL|PANIC): /.test(line));
  const line = fatal ?? lines.at(-1) ?? "it wrote nothing to its log";
  return line.replace(/^.*?\b(?:FATAL|PANIC|ERROR|LOG|initdb: error): +/, "").trim();
}
