// CSV as it comes, in pieces of text, becomes records (RFC 4180: quoted fields, doubled quotes, line breaks within quotes).
// A record that is broken is said to be, with the number of its first line, and the next line begins a new one: one quote
// too many does not swallow the rest of a file.

export type CsvRecord =
  | { readonly line: number; readonly fields: readonly string[] }
  | { readonly line: number; readonly fault: string };

/** Within one record. */
const MOST_LINES = 20;
const MOST_CHARACTERS = 65_536;

export class CsvRecords {
  /** The beginning of a line. */
  #rest = "";
  #number = 0;
  /** Lines of a record with a quote that is still open. */
  #open: { readonly number: number; readonly text: string }[] = [];
  #openCharacters = 0;
  /** What is left of a line that is too long is passed over. */
  #skipping = false;

  /** @returns the records that end in this text */
  push(text: string): CsvRecord[] {
    const records: CsvRecord[] = [];
    let from = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
      this.#endLine(text.slice(from, end), records);
      from = end + 1;
    }
    this.#rest += text.slice(from);
    if (this.#rest.length > MOST_CHARACTERS) {
      this.#skipping = true;
      this.#rest = "";
    }
    return records;
  }

  /** @returns the records that the end of the file ends */
  end(): CsvRecord[] {
    const records: CsvRecord[] = [];
    if (this.#rest !== "" || this.#skipping) this.#endLine("", records);
    while (this.#open.length > 0) this.#giveUp(records);
    return records;
  }

  #endLine(text: string, records: CsvRecord[]): void {
    const whole = this.#rest + text;
    const tooLong = this.#skipping || whole.length > MOST_CHARACTERS;
    this.#rest = "";
    this.#skipping = false;
    this.#number++;
    if (tooLong) {
      while (this.#open.length > 0) this.#giveUp(records);
      records.push({ line: this.#number, fault: `the line is longer than ${MOST_CHARACTERS} characters` });
    } else this.#line(this.#number, whole, records);
  }

  #line(number: number, text: string, records: CsvRecord[]): void {
    const begins = this.#open.length === 0;
    if (begins && !text.includes('"')) {
      const plain = withoutReturn(text);
      if (plain !== "") records.push({ line: number, fields: plain.split(",") });
      return;
    }
    const odd = quotesIn(text) % 2 === 1;
    if (begins && !odd) {
      records.push(recordOf(number, text));
      return;
    }
    this.#open.push({ number, text });
    this.#openCharacters += text.length;
    if (!begins && odd) this.#close(records);
    else if (this.#open.length > MOST_LINES || this.#openCharacters > MOST_CHARACTERS) this.#giveUp(records);
  }

  #close(records: CsvRecord[]): void {
    const record = recordOf(this.#open[0]?.number ?? 0, this.#open.map(({ text }) => text).join("\n"));
    if ("fault" in record) this.#giveUp(records);
    else {
      this.#open = [];
      this.#openCharacters = 0;
      records.push(record);
    }
  }

  /** The first of the open lines is broken; the others are read anew. */
  #giveUp(records: CsvRecord[]): void {
    const [first, ...others] = this.#open;
    this.#open = [];
    this.#openCharacters = 0;
    if (first) records.push({ line: first.number, fault: "a quote is where none may be, or is not closed" });
    for (const { number, text } of others) this.#line(number, text, records);
  }
}

/** Lines end in a line feed, with a carriage return before it or not. */
const withoutReturn = (text: string): string => (text.endsWith("\r") ? text.slice(0, -1) : text);

function quotesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) count++;
  return count;
}

/** A field: quoted, with doubled quotes in it; or without any quote. */
const FIELD = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y;

function recordOf(line: number, lines: string): CsvRecord {
  const text = withoutReturn(lines);
  const fields: string[] = [];
  FIELD.lastIndex = 0;
  for (;;) {
    const found = FIELD.exec(text);
    if (found === null) return { line, fault: "a quote is where none may be, or is not closed" };
    const [, quoted, plain = "", end] = found;
    fields.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === "") return { line, fields };
  }
}
