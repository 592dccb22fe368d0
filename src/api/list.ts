// `GET /api/transactions`: fifty a page, or all matches as CSV (specification 4.6, decisions 8).

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { termsNow } from "../gateway/card-numbers.ts";
import type { Parts } from "../gateway/parts.ts";
import type { Sql } from "../journal/database.ts";
import { findPage, PAGE_SIZE, streamMatches } from "../journal/search/lists.ts";
import type { Transaction } from "../payment/transaction.ts";
import type { BodyTree } from "./body/tree.ts";
import { callerOf } from "./callers.ts";
import { csvOf } from "./csv.ts";
import { type LongResponses, readerGone, sendHead } from "./long-responses.ts";
import { list as description } from "./openapi/list-route.ts";
import { type ListRequest, parseList } from "./parse-list.ts";
import { representTransaction } from "./represent.ts";

export function listRoute(app: FastifyInstance, parts: Parts, pool: Sql, responses: LongResponses): void {
  const { clock } = parts;
  const represent = async (transaction: Transaction) =>
    representTransaction(transaction, await termsNow(parts, transaction), clock.now());

  const sendCsv = (request: FastifyRequest, reply: FastifyReply, { filter, forSpreadsheet }: ListRequest) => {
    reply.type("text/csv; charset=utf-8").header("content-disposition", 'attachment; filename="transactions.csv"');
    if (request.method === "HEAD") return sendHead(reply);
    const { merchantId } = callerOf(request);
    return responses.send(merchantId, reply, (gone) =>
      csvOf(streamMatches(pool, merchantId, filter, gone), () => clock.now(), forSpreadsheet),
    );
  };

  const sendPage = async (request: FastifyRequest, reply: FastifyReply, { filter, page }: ListRequest) => {
    reply.type("application/json; charset=utf-8");
    if (request.method === "HEAD") return sendHead(reply);
    const { merchantId } = callerOf(request);
    const { total, small, portions } = await findPage(pool, merchantId, filter, page, readerGone(reply));
    const meta = { last_page: Math.max(1, Math.ceil(total / PAGE_SIZE)), current_page: page, total };
    if (!small) return responses.send(merchantId, reply, () => written(portions(), represent, meta));
    const transactions = (await Array.fromAsync(portions())).flat();
    return { transactions: await Promise.all(transactions.map(represent)), meta };
  };

  app.get("/transactions", { config: { scope: "read", heavy: true }, schema: description }, async (request, reply) => {
    const asked = parseList(request.query as BodyTree);
    return asked.format === "csv" ? sendCsv(request, reply, asked) : sendPage(request, reply, asked);
  });
}

/** The same bytes as of a page that is rendered in one piece. */
async function* written(
  portions: AsyncIterable<readonly Transaction[]>,
  represent: (transaction: Transaction) => Promise<object>,
  meta: object,
): AsyncGenerator<string> {
  let before = '{"transactions":[';
  for await (const portion of portions) {
    const rendered = await Promise.all(portion.map(represent));
    yield before + rendered.map((transaction) => JSON.stringify(transaction)).join();
    before = ",";
  }
  yield `],"meta":${JSON.stringify(meta)}}`;
}
