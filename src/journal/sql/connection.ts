// One connection, with one question at a time. After anything unexpected it is closed: it is not used again, and what still arrives
// is ignored.

import type { Duplex } from "node:stream";
import type { ClientConfig } from "pg";
import { serialize as messages } from "pg-protocol";
import { type Answer, Exchange, type Expected, newNonce, SCRIPT, type Step } from "./exchange.ts";
import { ConnectionFault, endsSession, StatementFault } from "./faults.ts";
import { greet } from "./greeting.ts";
import { type Column, readFields, TYPE } from "./messages.ts";
import { type Statement, tagOf } from "./statement.ts";
import { serialize, typeOf } from "./values.ts";

export interface ConnectionSettings {
  readonly config: ClientConfig;
  readonly connectTimeoutMs: number;
  /** For the answer to a statement: a little more than the server takes before it stops it. */
  readonly deadlineMs: number;
  /** Asked on each connection before anything else. */
  readonly first?: string;
  /** Given the row that `first` brought. If it throws, nothing is asked on this connection. */
  readonly began?: ((row: object | undefined) => void) | undefined;
  /** Told of each connection that is open: the server's process for it. */
  readonly opened?: ((serverPid: number) => void) | undefined;
}

interface InFlight {
  readonly exchange: Exchange;
  readonly statement: Prepared | undefined;
  readonly done: (answer: Answer) => void;
  readonly failed: (fault: unknown) => void;
  readonly timer: NodeJS.Timeout | undefined;
}

/** A statement as this connection has it. */
interface Prepared {
  readonly name: string;
  /** Of its parameters. */
  readonly types: readonly number[];
  columns: readonly Column[] | undefined;
  /** Whether the server knows it by its name. */
  parsed: boolean;
}

const MOST_PREPARED = 500;
const NONCE = "select $1";
const NONCE_NAME = "nonce";

export class Connection {
  readonly #settings: ConnectionSettings;
  readonly #over: (connection: Connection, lost: boolean) => void;
  #stream: Duplex | undefined;
  #inFlight: InFlight | undefined;
  #fault: unknown;
  #isOpen = false;
  #first: string | undefined;
  #status = "I";
  /** By their texts, each once for the types that it was sent with. */
  readonly #prepared = new Map<string, Prepared[]>();
  #names = 0;
  #knowsNonce = false;

  /** @param over told once, when nothing may be asked any more; `lost` if the server hung up */
  static async open(
    settings: ConnectionSettings,
    over: (connection: Connection, lost: boolean) => void,
  ): Promise<Connection> {
    const connection = new Connection(settings, over);
    const { config, connectTimeoutMs, opened } = settings;
    const { stream, serverPid } = await greet(config, connectTimeoutMs, {
      receive: (...message) => connection.#receive(...message),
      violated: (fault) => connection.#lost(fault, false),
      lost: (fault) => connection.#lost(fault, true),
    });
    connection.#stream = stream;
    if (connection.isOver) throw connection.#fault;
    opened?.(serverPid);
    connection.#isOpen = true;
    return connection;
  }

  private constructor(settings: ConnectionSettings, over: (connection: Connection, lost: boolean) => void) {
    this.#settings = settings;
    this.#first = settings.first;
    this.#over = over;
  }

  get isOver(): boolean {
    return this.#fault !== undefined;
  }

  /** Whether a transaction is open, failed or not. */
  get inTransaction(): boolean {
    return this.#status !== "I";
  }

  /**
   * One at a time. @throws StatementFault, or ConnectionFault, after which the connection is over
   * @param patient for as long as the server lets it run
   */
  async ask(statement: Statement, patient = false): Promise<Answer> {
    if (this.#first !== undefined) await this.#begin(this.#first);
    const deadlineMs = patient ? undefined : this.#settings.deadlineMs;
    if (statement.script) return this.#exchange(SCRIPT, [messages.query(statement.text)], undefined, deadlineMs);
    try {
      return await this.#askOne(statement, deadlineMs);
    } catch (fault) {
      if (!(fault instanceof StatementFault && fault.code === OUTDATED)) throw fault;
      for (const outdated of this.#prepared.get(statement.text) ?? []) outdated.parsed = false;
      if (this.isOver || this.inTransaction) throw fault;
      return this.#askOne(statement, deadlineMs);
    }
  }

  async #begin(text: string): Promise<void> {
    this.#first = undefined;
    try {
      const { rows } = await this.#askOne(
        { text, values: [], prepare: false, script: false },
        this.#settings.deadlineMs,
      );
      this.#settings.began?.(rows[0]);
    } catch (fault) {
      this.destroy(fault);
      throw fault;
    }
  }

  /** Nothing is asked on it again, whatever was in flight. */
  destroy(fault: unknown, lost = false): void {
    if (this.isOver) return;
    this.#fault = fault;
    const inFlight = this.#inFlight;
    this.#inFlight = undefined;
    clearTimeout(inFlight?.timer);
    this.#stream?.destroy();
    if (this.#isOpen) this.#over(this, lost);
    inFlight?.failed(fault);
  }

  /** With a farewell. */
  end(): void {
    const stream = this.#stream;
    if (stream === undefined || this.isOver) return;
    this.#stream = undefined;
    this.destroy(new ConnectionFault("CONNECTION_ENDED", "the connection was ended"));
    stream.end(messages.end());
    setTimeout(() => stream.destroy(), FAREWELL_MS).unref();
  }

  #askOne(statement: Statement, deadlineMs: number | undefined): Promise<Answer> {
    const types = statement.values.map(typeOf);
    const values = statement.values.map(serialize);
    const prepared = statement.prepare ? this.#preparedFor(statement.text, types) : undefined;
    const { name = "", parsed = false } = prepared ?? {};
    const columns = parsed ? prepared?.columns : undefined;
    const steps: Step[] = [];
    const out: Buffer[] = [];
    const nonce = newNonce();
    const tag = tagOf(statement.text);
    if (tag !== undefined) this.#addNonce(nonce, steps, out);
    if (!parsed) {
      if (prepared !== undefined) {
        // An outdated one may have the name. To close what is not there is no error.
        out.push(messages.close({ type: "S", name }));
        steps.push("closed");
      }
      out.push(messages.parse({ name, text: statement.text, types }));
      steps.push("parsed");
    }
    out.push(messages.bind({ statement: name, values }));
    steps.push("bound");
    if (columns === undefined) {
      out.push(messages.describe({ type: "P" }));
      steps.push("described");
    }
    out.push(messages.execute(), messages.sync());
    steps.push("rows", "ready");
    return this.#exchange({ steps, nonce, tag, columns }, out, prepared, deadlineMs);
  }

  #addNonce(nonce: string, steps: Step[], out: Buffer[]): void {
    if (!this.#knowsNonce) {
      out.push(messages.parse({ name: NONCE_NAME, text: NONCE, types: [TEXT] }));
      steps.push("parsed");
    }
    out.push(messages.bind({ statement: NONCE_NAME, values: [nonce] }), messages.execute());
    steps.push("bound", "nonce", "nonce-end");
  }

  #preparedFor(text: string, types: readonly number[]): Prepared | undefined {
    const ofText = this.#prepared.get(text) ?? [];
    const known = ofText.find((one) => one.types.every((type, nth) => type === types[nth]));
    if (known !== undefined || this.#names >= MOST_PREPARED) return known;
    const prepared: Prepared = { name: `s${++this.#names}`, types, columns: undefined, parsed: false };
    this.#prepared.set(text, [...ofText, prepared]);
    return prepared;
  }

  #exchange(
    expected: Expected,
    out: readonly Buffer[],
    statement: Prepared | undefined,
    deadlineMs: number | undefined,
  ): Promise<Answer> {
    if (this.isOver) return Promise.reject(this.#fault);
    if (this.#inFlight !== undefined) return Promise.reject(new Error("broken invariant: two questions at once"));
    return new Promise((done, failed) => {
      const late = () => this.destroy(new ConnectionFault("STATEMENT_DEADLINE", "the database did not answer in time"));
      const timer = deadlineMs === undefined ? undefined : setTimeout(late, deadlineMs);
      this.#inFlight = { exchange: new Exchange(expected), statement, done, failed, timer };
      this.#stream?.write(out.length === 1 ? (out[0] as Buffer) : Buffer.concat(out));
    });
  }

  /** @throws for what does not fit */
  #receive(type: number, bytes: Buffer, start: number, end: number): void {
    if (this.isOver || NOT_AN_ANSWER.has(type)) return;
    const inFlight = this.#inFlight;
    if (inFlight === undefined) throw this.#uninvited(type, bytes, start, end);
    const answer = inFlight.exchange.take(type, bytes, start, end);
    if (answer !== undefined) this.#conclude(inFlight, answer);
  }

  #conclude({ exchange, statement, done, failed, timer }: InFlight, answer: Answer): void {
    this.#inFlight = undefined;
    clearTimeout(timer);
    this.#status = answer.status;
    this.#knowsNonce ||= exchange.past("nonce-end");
    if (statement !== undefined) {
      statement.parsed ||= exchange.past("parsed");
      if (exchange.past("described")) statement.columns = exchange.columns;
    }
    const { fault } = answer;
    if (fault !== undefined && endsSession(fault)) this.destroy(fault);
    if (fault !== undefined) failed(fault);
    else done(answer);
  }

  /** Why the server hangs up it says in advance. */
  #uninvited(type: number, bytes: Buffer, start: number, end: number): Error {
    return type === TYPE.error
      ? new StatementFault(readFields(bytes, start, end))
      : new Error("an answer that nobody asked for");
  }

  #lost(fault: unknown, hungUp: boolean): void {
    const told = fault instanceof StatementFault && endsSession(fault);
    const code = hungUp && fault instanceof Error && "code" in fault ? String(fault.code) : "CONNECTION_CLOSED";
    const lost = told ? fault : new ConnectionFault(code, "the connection to the database was lost", fault);
    this.destroy(lost, hungUp || told);
  }
}

/** A table is another one now (feature_not_supported: a cached plan must not change its result): it is planned anew. */
const OUTDATED = "0A000";
const TEXT = 25;
const FAREWELL_MS = 1_000;

/** The server sends these whenever it likes. */
const NOT_AN_ANSWER: ReadonlySet<number> = new Set([TYPE.notice, TYPE.notification, TYPE.parameterStatus]);
