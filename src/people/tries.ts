// Slows whoever guesses a password: after ten tries there are no more for half an hour. They are counted in the database, for all
// nodes, and before the password is looked at, so that many at once are counted too. By real time.

import { count, rowReader } from "../journal/rows.ts";
import type { TransactionSql } from "../journal/sql/sql.ts";

/** PCI DSS 8.3.4: at most ten, and then at least half an hour. */
const MOST_TRIES = 10;

/** The tries are used up for some time. */
export type Wait = { readonly kind: "wait"; readonly seconds: number };

export interface Tries {
  /** Counts one. @param account whose it is, for `forgetAll` @returns seconds to wait if there were too many; 0 if this one may be made */
  take(name: Buffer, account: Buffer): Promise<number>;
  /** The last one was no failure. */
  giveBack(name: Buffer): Promise<void>;
  /** It was right: counting begins anew. */
  forget(name: Buffer): Promise<void>;
  /** Nobody waits for this account any more, on whatever device. */
  forgetAll(account: Buffer): Promise<void>;
}

const triesRow = rowReader("sign_in_tries", { tries: count, wait_seconds: count });

export function triesIn(sql: TransactionSql): Tries {
  return {
    take: async (name, account) => {
      await sql`
        delete from sign_in_tries where name = any(array(
          select name from sign_in_tries where since < now() - interval '1 hour' limit 20 for update skip locked))`;
      // The half hour begins with the last try that was allowed, and no later one prolongs it.
      const [row] = await sql`
        insert into sign_in_tries as known (name, tries, since, account) values (${name}, 1, now(), ${account})
        on conflict (name) do update set
          account = excluded.account,
          tries = case when known.since < now() - interval '30 minutes' then 1
            else least(known.tries + 1, ${MOST_TRIES}::int + 1) end,
          since = case when known.tries < ${MOST_TRIES}::int or known.since < now() - interval '30 minutes' then now()
            else known.since end
        returning tries, greatest(1, ceil(extract(epoch from since + interval '30 minutes' - now())))::int as wait_seconds`;
      const { tries, wait_seconds } = triesRow(row ?? {});
      return tries > MOST_TRIES ? wait_seconds : 0;
    },
    giveBack: async (name) => {
      await sql`update sign_in_tries set tries = greatest(tries - 1, 0) where name = ${name}`;
    },
    forget: async (name) => {
      await sql`delete from sign_in_tries where name = ${name}`;
    },
    forgetAll: async (account) => {
      await sql`delete from sign_in_tries where account = ${account} or name = ${account}`;
    },
  };
}
