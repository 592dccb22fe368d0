// A reconciliation as the command line keeps it, with one finding of each side, for whoever only reads them.

import type { Sql } from "../../src/journal/database.ts";
import { Run } from "../../src/settlement/reconciliation/run.ts";
import { newId } from "../../src/uuid.ts";

interface Owner {
  readonly merchantId: string;
  readonly processorId: string;
}

/** @returns its id */
export async function keptRun(
  sql: Sql,
  owner: Owner,
  over: { findings?: number; most?: number } = {},
): Promise<string> {
  const of = {
    ...owner,
    source: "books",
    currency: "USD",
    day: "2030-05-15",
    payout: null,
    file: "books.csv",
  } as const;
  const run = new Run(of, over.most);
  for (let number = 1; number <= (over.findings ?? 2); number++)
    run.add(number % 2 === 1 ? missingHere(number) : PENDING);
  const as = { id: newId(new Date()), now: new Date() };
  await run.keep(sql, as, { lines: 2, differences: 1, pending: 1, broken: 0, others: 0, nearMidnight: 0 });
  return as.id;
}

const missingHere = (line: number) => ({
  finding: {
    ...({ kind: "missing-here", difference: true, operation: "sale", reference: "0123456789AZ" } as const),
    ...{ transactionId: null, sequence: null, here: null },
    there: { line, amount: "11.00", currency: "USD", code: "00", batch_id: null, net: null, net_currency: null },
  },
  here: null,
  there: 11_000_000n,
});

const PENDING = {
  finding: {
    ...({ kind: "pending", difference: false, operation: "refund", reference: "0123456789AY" } as const),
    ...{ transactionId: "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77", sequence: 2, there: null },
    here: {
      ...({ operation: "refund", amount: "1.00", currency: "USD", outcome: null } as const),
      sent_at: "2030-05-15T12:00:00.000Z",
    },
  },
  here: 1_000_000n,
  there: null,
};
