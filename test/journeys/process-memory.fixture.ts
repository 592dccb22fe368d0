// The memory of a process as the system shows it: all of it, what is in use and what was freed and not used again.

import { closeSync, openSync, readFileSync, readSync } from "node:fs";

const PIECE_BYTES = 8_388_608;
/** More than any text that is looked for, so that none is missed between two pieces. */
const OVERLAP_BYTES = 64;

/**
 * All texts of this beginning and length in it, as they are and as UTF-16.
 * @throws if this user may not read the process's memory
 */
export function textsInMemory(pid: number, beginning: string, length: number): readonly string[] {
  const found: string[] = [];
  const memory = openSync(`/proc/${pid}/mem`, "r");
  try {
    for (const piece of piecesOf(pid, memory))
      for (const encoding of ["latin1", "utf16le"] as const) {
        const sought = Buffer.from(beginning, encoding);
        const bytes = encoding === "latin1" ? length : 2 * length;
        for (let at = piece.indexOf(sought); at >= 0; at = piece.indexOf(sought, at + 1))
          found.push(piece.toString(encoding, at, at + bytes));
      }
  } finally {
    closeSync(memory);
  }
  return found;
}

/** What can be written to, and is no file: heaps, stacks, buffers. */
function* piecesOf(pid: number, memory: number): Generator<Buffer> {
  const piece = Buffer.alloc(PIECE_BYTES + OVERLAP_BYTES);
  for (const line of readFileSync(`/proc/${pid}/maps`, "utf8").split("\n")) {
    const [, from = "", to = "", rights = ""] = /^([0-9a-f]+)-([0-9a-f]+) (\S+)/.exec(line) ?? [];
    if (!rights.startsWith("rw")) continue;
    const end = Number.parseInt(to, 16);
    for (let at = Number.parseInt(from, 16); at < end; at += PIECE_BYTES) {
      const bytes = read(memory, piece, Math.min(piece.length, end - at), at);
      if (bytes > 0) yield piece.subarray(0, bytes);
    }
  }
}

/** A piece that is gone since, or cannot be read, has nothing. */
function read(memory: number, into: Buffer, bytes: number, at: number): number {
  try {
    return readSync(memory, into, 0, bytes, at);
  } catch {
    return 0;
  }
}
