// `GET /api/transactions`: fifty a page, or all matches as CSV (specification 4.6, decisions 8).

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { termsNow } from "../gateway/card-numbers.ts";
import type { Parts } from "../gateway/parts.ts";
import type { Sql } from "../journal/database.ts";
import { disputesOf } from "../journal/disputes.ts";
import { type Asker, exporter, inTurn, lister } from "../journal/search/ask.ts";
import type { ListFilter } from "../journal/search/list-filter.ts";
import { findPage, PAGE_SIZE, streamMatches } from "../journal/search/lists.ts";
import { TooMuchToLookThrough } from "../journal/search/with-event.ts";
import type { Transaction } from "../payment/transaction.ts";
import type { BodyTree } from "./body/tree.ts";
import { callerOf } from "./callers.ts";
import { csvOf } from "./csv.ts";
import { type LongResponses, readerGone, sendHead } from "./long-responses.ts";
import { list as description } from "./openapi/list-route.ts";
import { type ListRequest, parseList } from "./parse-list.ts";
import { representTransaction } from "./represent.ts";
import { RequestFault } from "./request-fault.ts";

export function listRoute(app: FastifyInstance, parts: Parts, pool: Sql, responses: LongResponses): void {
  const { clock } = parts;
  const represent = async (asker: Asker, transactions: readonly Transaction[]): Promise<object[]> => {
    const ids = transactions.map(({ id }) => id);
    const disputes = await inTurn(asker, () => disputesOf(pool, asker.holder, ids));
    return Promise.all(
      transactions.map(async (transaction) =>
        representTransaction(
          transaction,
          await termsNow(parts, transaction),
          clock.now(),
          disputes.get(transaction.id),
        ),
      ),
    );
  };

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
    const gone = readerGone(reply);
    const found = findPage(pool, merchantId, filter, page, gone);
    const { total, small, portions } = await found.catch((fault: unknown) => {
      throw fault instanceof TooMuchToLookThrough ? tooMuch(filter, fault) : fault;
    });
    const meta = { last_page: Math.max(1, Math.ceil(total / PAGE_SIZE)), current_page: page, total };
    const representing = (asker: Asker) => (some: readonly Transaction[]) => represent(asker, some);
    if (!small)
      return responses.send(merchantId, reply, () =>
        written(portions(), representing(exporter(pool, merchantId, gone)), meta),
      );
    const transactions = (await Array.fromAsync(portions())).flat();
    return { transactions: await representing(lister(pool, merchantId, gone))(transactions), meta };
  };

  app.get("/transactions", { config: { scope: "read", heavy: true }, schema: description }, async (request, reply) => {
    const asked = parseList(request.query as BodyTree, clock.now());
    return asked.format === "csv" ? sendCsv(request, reply, asked) : sendPage(request, reply, asked);
  });
}

function tooMuch({ event = {} }: ListFilter, { count, most }: TooMuchToLookThrough): RequestFault {
  const text =
    `leaves ${count} transactions to look through, and ${most} at most are: narrow it with search[created_at_gte] and ` +
    "search[created_at_lte], or other filters. format=csv has no such limit";
  const names = [
    ...(event.type === undefined ? [] : ["event_type"]),
    ...(event.status === undefined ? [] : ["status"]),
  ];
  return new RequestFault(422, Object.fromEntries(names.map((name) => [`search.${name}`, [text]])));
}

/** The same bytes as of a page that is rendered in one piece. */
async function* written(
  portions: AsyncIterable<readonly Transaction[]>,
  represent: (transactions: readonly Transaction[]) => Promise<object[]>,
  meta: object,
): AsyncGenerator<string> {
  let before = '{"transactions":[';
  for await (const portion of portions) {
    const rendered = await represent(portion);
    yield before + rendered.map((transaction) => JSON.stringify(transaction)).join();
    before = ",";
  }
  yield `],"meta":${JSON.stringify(meta)}}`;
}
