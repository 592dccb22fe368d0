// `GET /api/reconciliations`: how the merchant's processors' books and reports compared with the journal.

import type { FastifyInstance } from "fastify";
import Type from "typebox";
import type { Sql } from "../journal/database.ts";
import { inTurn, lister } from "../journal/search/ask.ts";
import { pageMeta } from "../page-meta.ts";
import {
  FINDINGS_ON_A_PAGE,
  findingsOf,
  findRun,
  listRuns,
  RUNS_ON_A_PAGE,
} from "../settlement/reconciliation/runs.ts";
import { Uuid } from "../validation/fields.ts";
import { callerOf } from "./callers.ts";
import { readerGone } from "./long-responses.ts";
import { errors, jsonResponse, type RouteDescription } from "./openapi/responses.ts";
import { queryOf } from "./operator/calls.ts";
import { baseFault } from "./request-fault.ts";
import { FINDINGS_PAGED, showFinding, showOwnRun, showRun } from "./schema/reconciliation.ts";
import { PageMeta } from "./schema/transaction.ts";

type WithId = { Params: { reconciliation_id: string } };

export const RECONCILIATION_PAGE = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: "Default 1.", examples: [1] })),
};
export const RECONCILIATION_QUERY = {
  ...RECONCILIATION_PAGE,
  processor_id: Type.Optional({ ...Uuid, description: "Only this processor record's." }),
};
const Query = Type.Object(RECONCILIATION_QUERY, { additionalProperties: false });
const OneQuery = Type.Object(RECONCILIATION_PAGE, { additionalProperties: false });

/** `{"reconciliations": …, "meta": …}` */
export const RECONCILIATIONS = Type.Object(
  { reconciliations: Type.Array(Type.Ref("Reconciliation")), meta: PageMeta },
  { additionalProperties: false },
);
/** `{"reconciliation": …, "findings": …, "meta": …}` */
export const RECONCILIATION = Type.Object(
  {
    reconciliation: Type.Ref("Reconciliation"),
    findings: Type.Array(Type.Ref("ReconciliationFinding")),
    meta: PageMeta,
  },
  { additionalProperties: false },
);

const LIST: RouteDescription = {
  summary: "List reconciliations",
  description: `Those that the operator ran with \`faregate reconcile\`, newest first, ${RUNS_ON_A_PAGE} a page. Findings without an operation of the merchant's are only counted.`,
  tags: ["Ledger"],
  querystring: Query,
  response: { 200: jsonResponse("One page.", RECONCILIATIONS), ...errors(400, 401, 403, 422, 429, 500, 503) },
};

const FIND: RouteDescription = {
  summary: "Look a reconciliation up",
  description: `${FINDINGS_PAGED} Findings without an operation of the merchant's are only counted.`,
  tags: ["Ledger"],
  params: Type.Object({ reconciliation_id: { ...Uuid, description: "The reconciliation's `id`." } }),
  querystring: OneQuery,
  response: { 200: jsonResponse("It, and a page.", RECONCILIATION), ...errors(400, 401, 403, 404, 422, 429, 500, 503) },
};

const READING = { scope: "read", heavy: true } as const;

export function reconciliationRoutes(app: FastifyInstance, sql: Sql): void {
  app.get("/reconciliations", { config: READING, schema: LIST }, async (request, reply) => {
    const { page = 1, processor_id: processorId } = queryOf(Query, request);
    const { merchantId } = callerOf(request);
    const asker = lister(sql, merchantId, readerGone(reply));
    return inTurn(asker, () => reconciliationPage(sql, { merchantId, processorId }, page, "own"));
  });

  app.get<WithId>("/reconciliations/:reconciliation_id", { config: READING, schema: FIND }, async (request, reply) => {
    const { page = 1 } = queryOf(OneQuery, request);
    const { merchantId } = callerOf(request);
    const asker = lister(sql, merchantId, readerGone(reply));
    return inTurn(asker, () => reconciliationWithFindings(sql, request.params.reconciliation_id, page, merchantId));
  });
}

/**
 * As both lists answer.
 * @param whose `own`: as a merchant sees them
 */
export async function reconciliationPage(
  sql: Sql,
  filter: Parameters<typeof listRuns>[1],
  page: number,
  whose: "all" | "own",
) {
  const { runs, total } = await listRuns(sql, filter, page);
  return {
    reconciliations: runs.map(whose === "all" ? showRun : showOwnRun),
    meta: pageMeta(total, RUNS_ON_A_PAGE, page),
  };
}

/** As both look-ups answer: with a merchant, as that one sees it. @throws RequestFault if there is none, or it is another merchant's */
export async function reconciliationWithFindings(sql: Sql, id: string, page: number, merchantId?: string) {
  const run = await findRun(sql, id, merchantId);
  if (run === undefined) throw baseFault(404, "There is no such reconciliation.");
  const { findings, total } = await findingsOf(sql, run, page, merchantId === undefined ? "all" : "own");
  return {
    reconciliation: merchantId === undefined ? showRun(run) : showOwnRun(run),
    findings: findings.map((one) => showFinding(one, run)),
    meta: pageMeta(total, FINDINGS_ON_A_PAGE, page),
  };
}
