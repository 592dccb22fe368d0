// One question to the server and its answer, as the only ones on a connection. The answer is taken only if each message is
// the one that has to come next; it begins with the nonce that this question was sent with, and ends with as many rows as
// the server says it sent. Anything else throws, and the connection is given up.

import { randomBytes } from "node:crypto";
import { StatementFault } from "./faults.ts";
import { type Column, readColumns, readFields, readRow, readStatus, readTag, TYPE } from "./messages.ts";

export interface Rows extends Array<object> {
  /** That were read, or written. */
  count: number;
}

/** What has to come, in this order; `rows` stands for rows and the end of the statement. */
export type Step = "closed" | "parsed" | "bound" | "nonce" | "nonce-end" | "described" | "rows" | "script" | "ready";

/** What has to come, and what else the answer has to be. */
export interface Expected {
  readonly steps: readonly Step[];
  readonly nonce: string;
  /** The server's word for what it did: "INSERT 0 5". Undefined: any. */
  readonly tag: RegExp | undefined;
  /** As described before; undefined if that is still to come. */
  readonly columns: readonly Column[] | undefined;
}

/** What no other process sends, and no other question of this one. */
export const newNonce = (): string => `${PROCESS}${(++questions).toString(36)}`;
const PROCESS = randomBytes(9).toString("base64url");
let questions = 0;

/** Text that is sent as it is. */
export const SCRIPT: Expected = { steps: ["script"], nonce: "", tag: undefined, columns: undefined };

export interface Answer {
  readonly rows: Rows;
  /** "COMMIT" */
  readonly tag: string;
  /** `I`, `T` in a transaction, `E` in one that failed. */
  readonly status: string;
  readonly fault: StatementFault | undefined;
}

const NO_COLUMNS: readonly Column[] = [];

export class Exchange {
  readonly #steps: readonly Step[];
  readonly #expected: Expected;
  #at = 0;
  #rows = noRows();
  #tag = "";
  #fault: StatementFault | undefined;
  /** As described; undefined until then. */
  columns: readonly Column[] | undefined;

  constructor(expected: Expected) {
    this.#expected = expected;
    this.#steps = expected.steps;
    this.columns = expected.columns;
  }

  /** Whether the server came past this step, if it was one. */
  past(step: Step): boolean {
    const place = this.#steps.lastIndexOf(step);
    return place !== -1 && place < this.#at;
  }

  /** @returns the answer with its last message. @throws for a message that does not fit */
  take(type: number, bytes: Buffer, start: number, end: number): Answer | undefined {
    if (type === TYPE.error) return this.#failed(new StatementFault(readFields(bytes, start, end)));
    switch (this.#fault ? "ready" : this.#steps[this.#at]) {
      case "closed":
        return this.#next(type === TYPE.closeComplete && start === end);
      case "parsed":
        return this.#next(type === TYPE.parseComplete && start === end);
      case "bound":
        return this.#next(type === TYPE.bindComplete && start === end);
      case "nonce":
        return this.#next(type === TYPE.dataRow && isNonce(this.#expected.nonce, bytes, start, end));
      case "nonce-end":
        return this.#next(type === TYPE.commandComplete && readTag(bytes, start, end).tag === "SELECT 1");
      case "described":
        return this.#described(type, bytes, start, end);
      case "rows":
        return this.#row(type, bytes, start, end);
      case "script":
        return this.#ofScript(type, bytes, start, end);
      case "ready":
        return this.#ready(type, bytes, start, end);
      default:
        throw unexpected(type);
    }
  }

  /** Before the nonce it may be the fault of another question. */
  #failed(fault: StatementFault): undefined {
    const mayFail = this.#at > this.#steps.indexOf("nonce-end") && this.#steps[this.#at] !== "ready";
    if (!mayFail || this.#fault !== undefined) throw fault;
    this.#fault = fault;
  }

  #next(fits: boolean): undefined {
    if (!fits) throw new Error(`not ${this.#steps[this.#at]}`);
    this.#at++;
  }

  #described(type: number, bytes: Buffer, start: number, end: number): undefined {
    this.columns = type === TYPE.rowDescription ? readColumns(bytes, start, end) : NO_COLUMNS;
    this.#next(type === TYPE.rowDescription || type === TYPE.noData);
  }

  #row(type: number, bytes: Buffer, start: number, end: number): undefined {
    if (type === TYPE.dataRow) return this.#push(bytes, start, end);
    this.#ended(type, bytes, start, end);
    this.#at++;
  }

  #push(bytes: Buffer, start: number, end: number): undefined {
    if (this.columns === undefined || this.columns === NO_COLUMNS) throw unexpected(TYPE.dataRow);
    this.#rows.push(readRow(this.columns, bytes, start, end));
  }

  #ended(type: number, bytes: Buffer, start: number, end: number): void {
    const wanted = this.#expected.tag;
    if (type === TYPE.emptyQuery && start === end && wanted === undefined) return;
    if (type !== TYPE.commandComplete) throw unexpected(type);
    const { tag, count } = readTag(bytes, start, end);
    if (wanted?.test(tag) === false) throw new Error(`the end of another statement: ${tag}`);
    const described = this.columns !== undefined && this.columns !== NO_COLUMNS;
    if (described && count !== undefined && count !== this.#rows.length)
      throw new Error(`${this.#rows.length} rows of ${count}`);
    this.#rows.count = count ?? this.#rows.length;
    this.#tag = tag;
  }

  /** Several statements: the rows are those of the last that has some. */
  #ofScript(type: number, bytes: Buffer, start: number, end: number): Answer | undefined {
    switch (type) {
      case TYPE.readyForQuery:
        return this.#ready(type, bytes, start, end);
      case TYPE.rowDescription:
        this.columns = readColumns(bytes, start, end);
        this.#rows = noRows();
        return undefined;
      case TYPE.dataRow:
        return this.#push(bytes, start, end);
      default:
        this.#ended(type, bytes, start, end);
        this.columns = undefined;
        return undefined;
    }
  }

  #ready(type: number, bytes: Buffer, start: number, end: number): Answer {
    if (type !== TYPE.readyForQuery) throw unexpected(type);
    return { rows: this.#rows, tag: this.#tag, status: readStatus(bytes, start, end), fault: this.#fault };
  }
}

/** The count does not show among the elements. */
const noRows = (): Rows => Object.defineProperty([], "count", { value: 0, writable: true }) as unknown as Rows;

const unexpected = (type: number): Error => new Error(`a message ${String.fromCharCode(type)} that was not asked for`);

/** A row of one value. */
function isNonce(nonce: string, bytes: Buffer, start: number, end: number): boolean {
  const value = start + 6;
  return (
    end - value === nonce.length &&
    bytes.readInt16BE(start) === 1 &&
    bytes.readInt32BE(start + 2) === nonce.length &&
    bytes.toString("latin1", value, end) === nonce
  );
}
