// `GET /api/transactions`: fifty a page, or all matches as CSV (specification 4.6, decisions 8).

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { termsOfListed } from "../gateway/card-numbers.ts";
import type { Parts } from "../gateway/parts.ts";
import type { Sql } from "../journal/database.ts";
import { disputesOf } from "../journal/disputes.ts";
import { sealedAmong } from "../journal/sealed-cards.ts";
import { type Asker, exporter, inTurn, lister } from "../journal/search/ask.ts";
import type { ListFilter } from "../journal/search/list-filter.ts";
import { findPage, PAGE_SIZE, type Page, streamMatches } from "../journal/search/lists.ts";
import type { Numbered } from "../journal/search/numbered.ts";
import { TooMuchToLookThrough } from "../journal/search/with-event.ts";
import { pageMeta } from "../page-meta.ts";
import { joinedReads } from "../shares/joined-reads.ts";
import type { BodyTree } from "./body/tree.ts";
import { callerOf } from "./callers.ts";
import { csvOf } from "./csv.ts";
import { type LongResponses, readerGone, sendHead } from "./long-responses.ts";
import { list as description } from "./openapi/list-route.ts";
import { type ListRequest, parseList } from "./parse-list.ts";
import { representTransaction } from "./represent.ts";
import { RequestFault } from "./request-fault.ts";

/** A page of ordinary size as it is sent, or what a big one is sent of. */
type Read = Buffer | { readonly page: Page; readonly meta: object };

export function listRoute(app: FastifyInstance, parts: Parts, pool: Sql, responses: LongResponses): void {
  const { clock } = parts;
  const reads = joinedReads<Read>();

  const represent = async (asker: Asker, { transactions, disputed }: Numbered): Promise<object[]> => {
    const { holder: merchantId } = asker;
    const cardsAmong = (ids: readonly string[]) => inTurn(asker, () => sealedAmong(pool, merchantId, ids));
    const withTerms = await termsOfListed(parts, transactions, cardsAmong);
    const disputes =
      disputed.length > 0 ? await inTurn(asker, () => disputesOf(pool, merchantId, disputed)) : undefined;
    const now = clock.now();
    return withTerms.map(([transaction, terms]) =>
      representTransaction(transaction, terms, now, disputes?.get(transaction.id)),
    );
  };

  const readPage = async (merchantId: string, { filter, page }: ListRequest, gone: AbortSignal): Promise<Read> => {
    const found = await findPage(pool, merchantId, filter, page, gone).catch((fault: unknown) => {
      throw fault instanceof TooMuchToLookThrough ? tooMuch(filter, fault) : fault;
    });
    const { total, whole } = found;
    const meta = pageMeta(total, PAGE_SIZE, page);
    if (whole === undefined) return { page: found, meta };
    const transactions = await represent(lister(pool, merchantId, gone), whole);
    // As bytes, which all who asked for it are sent without another copy.
    return Buffer.from(JSON.stringify({ transactions, meta }));
  };

  const sendCsv = (request: FastifyRequest, reply: FastifyReply, { filter, forSpreadsheet }: ListRequest) => {
    reply.type("text/csv; charset=utf-8").header("content-disposition", 'attachment; filename="transactions.csv"');
    if (request.method === "HEAD") return sendHead(reply);
    const { merchantId } = callerOf(request);
    return responses.send(merchantId, reply, (gone) =>
      csvOf(streamMatches(pool, merchantId, filter, gone), () => clock.now(), forSpreadsheet),
    );
  };

  const sendPage = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.type("application/json; charset=utf-8");
    if (request.method === "HEAD") return sendHead(reply);
    const { merchantId } = callerOf(request);
    const gone = readerGone(reply);
    const query = request.query as BodyTree;
    const read = await reads.read(JSON.stringify([merchantId, query]), gone, (allGone) =>
      readPage(merchantId, parseList(query, clock.now()), allGone),
    );
    if (Buffer.isBuffer(read)) return reply.send(read);
    const { page, meta } = read;
    const asker = exporter(pool, merchantId, gone);
    return responses.send(merchantId, reply, () =>
      written(page.portions(gone), (portion) => represent(asker, portion), meta),
    );
  };

  app.get(
    "/transactions",
    { config: { scope: "read", heavy: true, equal: true }, schema: description },
    async (request, reply) => {
      const asked = parseList(request.query as BodyTree, clock.now());
      return asked.format === "csv" ? sendCsv(request, reply, asked) : sendPage(request, reply);
    },
  );
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
  portions: AsyncIterable<Numbered>,
  represent: (portion: Numbered) => Promise<object[]>,
  meta: object,
): AsyncGenerator<string> {
  let before = '{"transactions":[';
  for await (const portion of portions) {
    const rendered = await represent(portion);
    // All of a portion may have been archived meanwhile.
    if (rendered.length === 0) continue;
    yield before + rendered.map((transaction) => JSON.stringify(transaction)).join();
    before = ",";
  }
  yield `${before === "," ? "" : before}],"meta":${JSON.stringify(meta)}}`;
}
