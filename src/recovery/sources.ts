// Where a record's bookings come from: files that an operator has got, or the processor itself.

import { createReadStream } from "node:fs";
import { basename } from "node:path";
import type { Sql } from "../journal/database.ts";
import type { ProcessorRecord } from "../payment/processor-record.ts";
import type { BookingsReader } from "../processors/bookings.ts";
import { openCharges, type Source } from "./compare.ts";

/** What is in the way, for an operator. */
export class NoSource extends Error {}

/** Longer than an authorization is good for. */
const OPEN_SINCE_MS = 32 * 86_400_000;

/** @throws NoSource */
export async function sourcesOf(
  sql: Sql,
  record: ProcessorRecord,
  reader: BookingsReader,
  files: readonly string[],
  from: Date,
  signal: AbortSignal,
): Promise<readonly Source[]> {
  if (files.length > 0) {
    const { read } = reader;
    if (read === undefined) throw new NoSource(`processors of the kind ${record.kind} are asked: name no file`);
    return files.map((file) => ({
      file: file === "-" ? "stdin" : basename(file),
      bookings: read(textOf(file), record),
    }));
  }
  if (reader.ask === undefined) throw new NoSource(`name the files: ${reader.needs}`);
  const open = await openCharges(sql, record, new Date(from.getTime() - OPEN_SINCE_MS));
  return [{ file: null, bookings: reader.ask(record, from, open, signal) }];
}

async function* textOf(file: string): AsyncGenerator<string> {
  const stream = file === "-" ? process.stdin : createReadStream(file, { highWaterMark: 262_144 });
  stream.setEncoding("utf8");
  yield* stream as AsyncIterable<string>;
}
