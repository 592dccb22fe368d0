// Makes `sql`: it turns templates into statements and asks them on connections.

import type { Rows } from "./exchange.ts";
import { Pool, type PoolSettings } from "./pool.ts";
import { type Asking, Query } from "./query.ts";
import { Session, transaction } from "./session.ts";
import type { ReservedSql, Sql, TransactionSql, Value } from "./sql.ts";
import { type Statement, statementOf } from "./statement.ts";
import { json, typed } from "./values.ts";

export function openSql(settings: PoolSettings): Sql {
  const pool = new Pool(settings);
  const ask = async (statement: Statement): Promise<Rows> => {
    const connection = await pool.take();
    try {
      return (await connection.ask(statement, statement.script)).rows;
    } finally {
      pool.give(connection);
    }
  };
  async function begin<T>(mode: string, work: (sql: TransactionSql) => T | PromiseLike<T>): Promise<T> {
    const connection = await pool.take();
    try {
      return await transaction(connection, mode, (session) => work(sqlOver((statement) => session.ask(statement))));
    } finally {
      pool.give(connection);
    }
  }
  const reserve = async (): Promise<ReservedSql> => {
    const connection = await pool.take();
    const session = new Session(connection);
    const release = () => void session.close().then(() => pool.give(connection));
    return Object.assign(
      sqlOver((statement) => session.ask(statement)),
      { release },
    );
  };
  type Work = Parameters<typeof begin>[1];
  return Object.assign(sqlOver(ask), {
    begin: (...[mode, work]: [Work] | [string, Work]) =>
      typeof mode === "string" ? begin(mode, work as Work) : begin("", mode),
    reserve,
    counts: () => pool.counts(),
    end: ({ timeout = LAST_SECONDS } = {}) => pool.end(timeout * 1_000),
  }) as Sql;
}

/** For what is in flight when a pool is ended. */
const LAST_SECONDS = 30;

function sqlOver(ask: (statement: Statement) => Promise<Rows>): TransactionSql {
  const asked = async ({ template, filled, text, parameters, prepare }: Asking): Promise<Rows> =>
    ask(
      template
        ? statementOf(template, filled)
        : { text, values: parameters ?? [], prepare, script: parameters === undefined },
    );
  const sql = (first: unknown, ...filled: unknown[]) =>
    isTemplate(first) ? new Query({ template: first, filled, text: "", prepare: true }, asked) : { named: first };
  const unsafe = (text: string, parameters?: readonly Value[], { prepare = false } = {}) =>
    new Query({ filled: [], text, parameters, prepare }, asked);
  return Object.assign(sql, { unsafe, json, typed }) as TransactionSql;
}

const isTemplate = (first: unknown): first is TemplateStringsArray => Array.isArray(first) && "raw" in first;
