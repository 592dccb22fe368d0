// A connection reserved for several questions, such as a transaction. They are asked one after the other.

import type { Connection } from "./connection.ts";
import type { Rows } from "./exchange.ts";
import { ConnectionFault } from "./faults.ts";
import type { Statement } from "./statement.ts";

/** A limit of the server's that is only another one is no word of a server that says nothing any more. */
const LIFTS_THE_LIMIT = /\bstatement_timeout = 0\b/;

export class Session {
  readonly #connection: Connection;
  #last: Promise<unknown> = Promise.resolve();
  #isOver = false;
  /** What the server may take any time for is not stopped by our limit. */
  #patient = false;
  /** The first statement that failed: PostgreSQL does no more in such a transaction. */
  fault: unknown;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  ask(statement: Statement): Promise<Rows> {
    if (this.#isOver) return Promise.reject(new Error("broken invariant: asked after the end of a transaction"));
    const asked = this.#last.then(() => this.#askNow(statement));
    this.#last = asked.catch(() => undefined);
    return asked;
  }

  /** Nothing is in flight any more, and nothing more is asked. */
  async close(): Promise<void> {
    this.#isOver = true;
    await this.#last;
  }

  async #askNow(statement: Statement): Promise<Rows> {
    if (this.fault !== undefined && this.#connection.inTransaction) throw this.fault;
    this.#patient ||= LIFTS_THE_LIMIT.test(statement.text);
    try {
      const { rows } = await this.#connection.ask(statement, this.#patient || statement.script);
      return rows;
    } catch (fault) {
      this.fault ??= fault;
      throw fault;
    }
  }
}

/**
 * Commits what the work did, or nothing of it.
 * @param mode as after BEGIN
 * @throws what the work throws, the first fault of its statements, or that of the commit
 */
export async function transaction<T>(
  connection: Connection,
  mode: string,
  work: (session: Session) => T | PromiseLike<T>,
): Promise<T> {
  await command(connection, `begin ${mode}`, "BEGIN");
  const session = new Session(connection);
  try {
    const result = await work(session);
    await session.close();
    if (session.fault !== undefined) throw session.fault;
    await command(connection, "commit", "COMMIT");
    return result;
  } catch (fault) {
    await session.close();
    if (connection.isOver) throw session.fault ?? fault;
    if (connection.inTransaction) await command(connection, "rollback", "ROLLBACK").catch(() => undefined);
    throw fault;
  }
}

/** A commit is asked with a nonce, like what has rows; BEGIN may not come behind another statement. */
async function command(connection: Connection, text: string, tag: string): Promise<void> {
  const answer = await connection.ask({ text, values: [], prepare: false, script: tag !== "COMMIT" });
  if (answer.tag === tag) return;
  const fault = new ConnectionFault("CONNECTION_CLOSED", `${text} was answered with ${answer.tag || "nothing"}`);
  connection.destroy(fault);
  throw fault;
}
