// The entries of a host's books as they stand on disk: what it knew of when it was killed, and nothing else.

import { existsSync, readFileSync } from "node:fs";

/** A line is a checksum of eight digits, a space, and an entry (acquirer/books-file.ts). */
export const readEntries = <Entry>(file: string): readonly Entry[] =>
  existsSync(file)
    ? readFileSync(file, "latin1")
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line.slice(9)) as Entry)
    : [];
