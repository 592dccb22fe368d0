// How the database is asked: sql`select … where id = ${id}`. Values are sent beside the text, never in it; a query in braces becomes
// part of the text.

export type Value =
  | string
  | number
  | bigint
  | boolean
  | Date
  | Uint8Array
  | null
  | readonly (string | number)[]
  | Parameter;

/** A value with the type that it is sent as. */
export interface Parameter {
  readonly value: unknown;
  /** Object identifier (pg_type.dat). */
  readonly type: number;
}

/** What `sql(…)` makes of names, of the columns of a row, or of the elements of `in`. */
export interface Named {
  readonly named: string | object | readonly object[] | readonly (string | number)[];
}

/** Asked as soon as somebody waits for it, and once. */
export type Query<Rows> = Promise<Rows & Counted>;

export interface Counted {
  /** Rows that were read or written. */
  readonly count: number;
}

export interface Options {
  /** Planned once a connection, and kept. */
  readonly prepare?: boolean;
}

type AnyRow = Record<string, unknown>;

export interface TransactionSql {
  <Rows extends readonly object[] = AnyRow[]>(
    text: TemplateStringsArray,
    ...values: readonly (Value | Query<object> | Named)[]
  ): Query<Rows>;
  /** A name, the row or rows to insert, the columns to set, or the elements of `in`. */
  (named: Named["named"]): Named;
  /** A text as it is. Several statements at once are possible where there are no parameters. */
  unsafe<Rows extends readonly object[] = AnyRow[]>(
    text: string,
    parameters?: readonly Value[],
    options?: Options,
  ): Query<Rows>;
  json(value: unknown): Parameter;
  typed(value: unknown, type: number): Parameter;
}

type Work<T> = (sql: TransactionSql) => T | PromiseLike<T>;

/** How many connections there are, and how many statements wait for one. */
export interface PoolCounts {
  readonly busy: number;
  readonly idle: number;
  /** As many as there may be. */
  readonly most: number;
  readonly waiting: number;
}

export interface Sql extends TransactionSql {
  /** Committed when the work is done, undone if it fails, or if one of its statements did. */
  begin<T>(work: Work<T>): Promise<T>;
  /** @param mode as after BEGIN: "isolation level repeatable read read only" */
  begin<T>(mode: string, work: Work<T>): Promise<T>;
  /** A connection of one's own, until it is released. */
  reserve(): Promise<ReservedSql>;
  /** At this moment. */
  counts(): PoolCounts;
  /** Takes no more questions, and waits this many seconds for those in flight. */
  end(options?: { readonly timeout?: number }): Promise<void>;
}

export interface ReservedSql extends TransactionSql {
  release(): void;
}
