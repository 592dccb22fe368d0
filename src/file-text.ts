// The text of a whole file that must not be larger than it may be.

import { closeSync, openSync, readSync } from "node:fs";

const PORTION_BYTES = 64 * 1024;

/**
 * @param path 0 is what is piped in
 * @throws if it cannot be read, is larger, or is not UTF-8
 */
export function textOfFile(path: string | 0, mostBytes: number): string {
  const file = path === 0 ? 0 : openSync(path, "r");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytesOf(file, mostBytes));
  } finally {
    if (file !== 0) closeSync(file);
  }
}

/** It may be a device or a pipe that never ends, so no more is read than it may have. */
function bytesOf(file: number, mostBytes: number): Buffer {
  const portions: Buffer[] = [];
  for (let length = 0; ; ) {
    const portion = Buffer.allocUnsafe(PORTION_BYTES);
    const read = readSync(file, portion);
    if (read === 0) return Buffer.concat(portions);
    length += read;
    if (length > mostBytes) throw new Error(`it has more than ${mostBytes} bytes`);
    portions.push(portion.subarray(0, read));
  }
}
