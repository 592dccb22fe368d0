// A pool that is given up as soon as one of its connections is lost; another takes its place. The driver goes on using such a
// connection with what it still holds of it (porsager/postgres 1130, 1133, 1216): queries that came between its error and
// its close never end, or get the answer of another; what was not sent yet goes ahead of its next greeting; the next query
// is told the error of the one before; and a rollback on it throws where nobody can catch it.

import type { Sql, TransactionSql } from "postgres";

/** For what was asked of the other connections of a pool that is given up, and for what will never end. */
const LAST_SECONDS = 1;

interface Events {
  readonly onparameter: () => void;
  readonly onclose: () => void;
}

type Work = (transaction: TransactionSql) => Promise<unknown>;

/**
 * @param open a pool of the driver's, which is to tell these events
 * @param tellsOfLoss whether what was thrown says that a connection was lost
 */
export function renewedPool(open: (events: Events) => Sql, tellsOfLoss: (fault: unknown) => boolean): Sql {
  const givenUp = new Set<Promise<void>>();
  let ending: Promise<unknown> | undefined;
  let current = fresh();

  function fresh(): Sql {
    // A pool that was never connected has nothing to forget, and waits longer with each try.
    let greeted = false;
    const pool = open({
      onparameter: () => {
        greeted = true;
      },
      onclose: () => greeted && giveUp(pool),
    });
    return pool;
  }

  function giveUp(pool: Sql): void {
    if (pool !== current || ending !== undefined) return;
    current = fresh();
    const end = pool.end({ timeout: LAST_SECONDS }).finally(() => givenUp.delete(end));
    givenUp.add(end);
  }

  /** The driver rolls back when the work fails, also on a connection that is lost: of such a failure it is not told. */
  async function begin(mode: string, work: Work): Promise<unknown> {
    const pool = current;
    const { promise: failed, reject: fail } = Promise.withResolvers<never>();
    let lost = false;
    const transaction = pool.begin(mode, async (session) => {
      try {
        const result = await work(guarded(session, () => lost));
        if (!lost) return result;
      } catch (fault) {
        if (!lost && !tellsOfLoss(fault)) throw fault;
        giveUp(pool);
        fail(fault);
      }
      return new Promise(() => undefined);
    });
    transaction.catch(() => {
      lost = true;
    });
    return Promise.race([failed, transaction]);
  }

  const own: Readonly<Record<PropertyKey, unknown>> = {
    begin: (...[mode, work]: [Work] | [string, Work]) =>
      typeof mode === "string" ? begin(mode, work as Work) : begin("", mode),
    end: (options?: { timeout?: number }): Promise<unknown> => {
      ending ??= Promise.all([current.end(options), ...givenUp]);
      return ending;
    },
  };
  return new Proxy(current, {
    apply: (_, __, asked) => Reflect.apply(current, undefined, asked),
    get: (_, name) => own[name] ?? Reflect.get(current, name),
  });
}

/** Asks nothing more once the connection is lost. */
function guarded(session: TransactionSql, lost: () => boolean): TransactionSql {
  const assertNotLost = () => {
    if (lost()) throw Object.assign(new Error("the connection was closed"), { code: "CONNECTION_CLOSED" });
  };
  const unsafe: typeof session.unsafe = (...asked) => {
    assertNotLost();
    return session.unsafe(...asked);
  };
  return new Proxy(session, {
    apply: (_, __, asked) => {
      assertNotLost();
      return Reflect.apply(session, undefined, asked);
    },
    get: (_, name) => (name === "unsafe" ? unsafe : Reflect.get(session, name)),
  });
}
