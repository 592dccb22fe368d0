// The books on disk: a file to which lines are only ever added, each with its checksum, and on disk before anybody is told
// of it. What a killed process left of a last line is cut off at the next start; damage anywhere else is no start.

import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { createInterface } from "node:readline";
import { crc32 } from "node:zlib";

export class BooksFile<Entry> {
  readonly #path: string;
  readonly #file: FileHandle;
  #lines: string[] = [];
  #writing: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  /** @param replay is given every entry, in order */
  static async open<Entry>(path: string, replay: (entry: Entry) => void): Promise<BooksFile<Entry>> {
    const file = await open(path, "a+");
    const { size } = await file.stat();
    let [whole, number] = [0, 0];
    for await (const line of linesOf(path)) {
      number++;
      const entry = entryOf<Entry>(line);
      const end = whole + line.length + 1;
      if (entry === undefined || end > size) {
        if (end >= size) break;
        await file.close();
        throw new Error(`The books ${path} are damaged at line ${number}: its checksum is wrong.`);
      }
      replay(entry);
      whole = end;
    }
    if (whole < size) {
      await file.truncate(whole);
      await file.sync();
    }
    return new BooksFile<Entry>(path, file);
  }

  /** Resolves once this entry, and all before it, are on disk. Many that wait share one write. */
  append(entry: Entry): Promise<void> {
    this.#lines.push(lineOf(entry));
    return this.flushed();
  }

  /** Resolves once all that was appended so far is on disk. */
  flushed(): Promise<void> {
    if (this.#lines.length === 0) return this.#writing;
    this.#next ??= this.#writing.then(() => {
      const lines = this.#lines.splice(0).join("");
      this.#next = undefined;
      this.#writing = this.#write(lines);
      return this.#writing;
    });
    return this.#next;
  }

  /** All entries that are in the file now, in order. */
  async *entries(): AsyncGenerator<Entry> {
    await this.flushed();
    for await (const line of linesOf(this.#path)) {
      const entry = entryOf<Entry>(line);
      if (entry === undefined) return; // a line that is being written
      yield entry;
    }
  }

  async close(): Promise<void> {
    await this.flushed();
    await this.#file.close();
  }

  async #write(lines: string): Promise<void> {
    await this.#file.write(lines);
    await this.#file.datasync();
  }
}

// All that is written here is ASCII.
const linesOf = (path: string) =>
  createInterface({ input: createReadStream(path, "latin1"), crlfDelay: Number.POSITIVE_INFINITY });

const checksum = (json: string): string => crc32(json).toString(16).padStart(8, "0");

function lineOf(entry: unknown): string {
  const json = JSON.stringify(entry).replace(
    /[^ -~]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `${checksum(json)} ${json}\n`;
}

function entryOf<Entry>(line: string): Entry | undefined {
  const json = line.slice(9);
  return line.slice(0, 8) === checksum(json) && line.charAt(8) === " " ? (JSON.parse(json) as Entry) : undefined;
}
