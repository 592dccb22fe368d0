// `GET /api/ledger`: the movements of a period as CSV or JSON, written as they are read.

import type { FastifyInstance } from "fastify";
import { csvLines } from "../csv-lines.ts";
import { archivedUntil } from "../journal/archived.ts";
import type { Sql } from "../journal/database.ts";
import { archivedText, isAfter } from "../settlement/archived.ts";
import { LEDGER_COLUMNS, LEDGER_LAYOUT, type LedgerRecord, ledgerLine, streamLedger } from "../settlement/ledger.ts";
import type { BodyTree } from "./body/tree.ts";
import { callerOf } from "./callers.ts";
import { type LongResponses, sendHead } from "./long-responses.ts";
import { ledger as description } from "./openapi/ledger-route.ts";
import { parseLedger } from "./parse-ledger.ts";
import { RequestFault } from "./request-fault.ts";

export function ledgerRoute(
  app: FastifyInstance,
  pool: Sql,
  clock: { readonly now: () => Date },
  responses: LongResponses,
): void {
  app.get("/ledger", { config: { scope: "read", heavy: true }, schema: description }, async (request, reply) => {
    const { period, format, forSpreadsheet } = parseLedger(request.query as BodyTree);
    const { merchantId } = callerOf(request);
    const archived = await archivedUntil(pool, merchantId);
    if (archived !== null && !isAfter(period, archived))
      throw new RequestFault(422, { from: [archivedText(archived)] });
    if (format === "csv")
      reply.type("text/csv; charset=utf-8").header("content-disposition", 'attachment; filename="ledger.csv"');
    else reply.type("application/json; charset=utf-8");
    if (request.method === "HEAD") return sendHead(reply);
    const now = clock.now();
    return responses.send(merchantId, reply, (gone) => {
      const portions = streamLedger(pool, merchantId, period, now, gone);
      const layout = { ...LEDGER_LAYOUT, forSpreadsheet };
      return format === "csv" ? csvLines(LEDGER_COLUMNS, portions, ledgerLine, layout) : written(portions);
    });
  });
}

async function* written(portions: AsyncIterable<readonly LedgerRecord[]>): AsyncGenerator<string> {
  let before = '{"movements":[';
  for await (const portion of portions) {
    yield before + portion.map((record) => JSON.stringify(record)).join();
    before = ",";
  }
  yield before === "," ? "]}" : `${before}]}`;
}
