// `GET /api/ledger`: the movements of a period as CSV or JSON, written as they are read. Both ends of the period are required, so that a file
// that was booked can be asked for again.

import type { FastifyInstance } from "fastify";
import { csvLines } from "../csv-lines.ts";
import { archivedUntil } from "../journal/archived.ts";
import type { Sql } from "../journal/database.ts";
import { type Period, periodOf } from "../journal/search/span.ts";
import { archivedText, isAfter } from "../settlement/archived.ts";
import { LEDGER_COLUMNS, LEDGER_LAYOUT, type LedgerRecord, ledgerLine, streamLedger } from "../settlement/ledger.ts";
import { beginningOf, endOf, PERIOD_ENDS } from "../validation/instants.ts";
import { shownName } from "../validation/stray-card-numbers.ts";
import type { BodyTree } from "./body/tree.ts";
import { queryFault } from "./body/urlencoded.ts";
import { callerOf } from "./callers.ts";
import { type LongResponses, sendHead } from "./long-responses.ts";
import { ledger as description } from "./openapi/ledger-route.ts";
import { ONLY_SPREADSHEET } from "./parse-list.ts";
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

interface LedgerRequest {
  readonly period: Period;
  readonly format: "json" | "csv";
  /** Of CSV. */
  readonly forSpreadsheet: boolean;
}

function parseLedger(query: BodyTree): LedgerRequest {
  const fault = queryFault(query);
  if (fault) throw fault;
  const problems: Record<string, string[]> = {};
  const { from, to, format, for: reader, ...others } = query;
  for (const name of Object.keys(others)) problems[shownName(name)] = ["is unknown; use from, to, format or for"];
  const [first, last] = [instant("from", from, beginningOf), instant("to", to, endOf)];
  if (first && last && last < first) problems.to = ["must not be before from"];
  if (format !== undefined && format !== "json" && format !== "csv") problems.format = ["must be json or csv"];
  if (reader !== undefined && (reader !== "spreadsheet" || format === "json")) problems.for = [ONLY_SPREADSHEET];
  if (Object.keys(problems).length > 0) throw new RequestFault(422, problems);
  return {
    period: periodOf(first, last),
    format: format === "csv" || reader !== undefined ? "csv" : "json",
    forSpreadsheet: reader === "spreadsheet",
  };

  function instant(name: "from" | "to", value: unknown, read: (text: string) => Date | undefined): Date | undefined {
    const found = typeof value === "string" ? read(value) : undefined;
    if (value === undefined) problems[name] = [`is required: ${PERIOD_ENDS}`];
    else if (found === undefined) problems[name] = [`must be ${PERIOD_ENDS}`];
    return found;
  }
}
