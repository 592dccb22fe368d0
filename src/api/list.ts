// `GET /api/transactions`: fifty a page, or all matches as CSV (specification 4.6, decisions 8).

import type { FastifyInstance } from "fastify";
import { termsNow } from "../gateway/card-numbers.ts";
import type { Parts } from "../gateway/parts.ts";
import type { Sql } from "../journal/database.ts";
import { listPage, PAGE_SIZE, streamMatches } from "../journal/search/lists.ts";
import type { Transaction } from "../payment/transaction.ts";
import type { BodyTree } from "./body/tree.ts";
import { callerOf } from "./callers.ts";
import { csvOf } from "./csv.ts";
import { tellIgnored } from "./ignored-fields.ts";
import { list as description } from "./openapi/list-route.ts";
import { parseList } from "./parse-list.ts";
import { representTransaction } from "./represent.ts";

export function listRoute(app: FastifyInstance, parts: Parts, pool: Sql): void {
  const { clock } = parts;
  const represent = async (transaction: Transaction) =>
    representTransaction(transaction, await termsNow(parts, transaction), clock.now());

  app.get("/transactions", { config: { scope: "read" }, schema: description }, async (request, reply) => {
    const { filter, page, format, ignored } = parseList(request.query as BodyTree);
    tellIgnored(reply, ignored);
    const { merchantId } = callerOf(request);
    if (format === "csv") {
      reply.type("text/csv; charset=utf-8").header("content-disposition", 'attachment; filename="transactions.csv"');
      return reply.send(csvOf(streamMatches(pool, merchantId, filter), () => clock.now()));
    }
    const { transactions, total } = await listPage(pool, merchantId, filter, page);
    return {
      transactions: await Promise.all(transactions.map(represent)),
      meta: { last_page: Math.max(1, Math.ceil(total / PAGE_SIZE)), current_page: page, total },
    };
  });
}
