// What is compared: a running gateway with a database of its own, and how it is asked for the same things as the other.

import type { Request } from "autocannon";
import type { Sql } from "../../src/journal/database.ts";
import { PAGE_SIZE } from "../../src/journal/search/lists.ts";
import { newFolder, openDatabase } from "../data.ts";
import { launchGateway } from "../gateway.ts";
import { childrenOf } from "../processes.ts";
import { approved, saleRequests } from "../sale.ts";
import type { Undo } from "../undo.ts";

export const NAMES = ["Faregate", "Kill Bill"] as const;
export type Name = (typeof NAMES)[number];

export interface Peer {
  readonly name: Name;
  readonly url: string;
  /** The process whose children, if any, do the rest of the work. */
  readonly pid: number;
  /** The process that all others of its database descend from. */
  readonly databasePid: number;
  /** Its database. */
  readonly sql: Sql;
  /** HTTP status of an approved payment or refund. */
  readonly done: number;
  readonly isApproved: (body: string) => boolean;
  /** @param run keeps the references of one load apart from those of all others */
  payments(run: string): () => Request;
  /** Made before, on its own. @returns its id */
  idOf(answer: Response): Promise<string>;
  /** Of 1.00. */
  refund(id: string): Request;
  /** The first page of all payments. */
  readonly list: Request;
  readonly isList: (body: string) => boolean;
  /** Payments and refunds in its database: approved, and with any other outcome. */
  counted(): Promise<{ readonly approved: number; readonly others: number }>;
}

/** Both sides show as many payments on a page. */
export const LISTED = PAGE_SIZE;

export async function openFaregate(undo: Undo): Promise<Peer> {
  const folder = newFolder(undo);
  const launched = await undo.started(launchGateway(["src/main.ts"], folder));
  const { url, sandbox, pid, databasePid } = await launched.ready;
  const headers = { authorization: `Bearer ${sandbox.api_token}` };
  const sql = await openDatabase(undo, folder);
  return {
    ...{ name: "Faregate", url, pid, databasePid, sql, done: 200, isApproved: approved },
    payments: (run) => {
      const next = saleRequests(sandbox.api_token, sandbox.processors.usd ?? "", run);
      return () => ({ method: "POST", path: "/api/transactions/sale", ...next() });
    },
    idOf: async (answer) => ((await answer.json()) as { transaction: { id: string } }).transaction.id,
    refund: (id) => ({
      method: "POST",
      path: `/api/transactions/${id}/refund`,
      headers: { ...headers, "content-type": "application/json" },
      body: '{"amount":"1.00"}',
    }),
    list: { method: "GET", path: "/api/transactions", headers },
    isList: (body) => (JSON.parse(body) as { transactions: unknown[] }).transactions.length === LISTED,
    counted: async () => {
      const [row] = await sql<{ approved: number; others: number }[]>`
        select count(*) filter (where kind = 'approved')::int as approved,
               count(*) filter (where kind is distinct from 'approved')::int as others
        from events left join outcomes using (merchant_id, transaction_id, sequence)`;
      return row ?? { approved: 0, others: 0 };
    },
  };
}

/** The processes of the gateway itself, without its database. */
export const processesOf = ({ pid, databasePid }: Peer): readonly number[] =>
  [pid, ...childrenOf(pid)].filter((one) => one !== databasePid);
