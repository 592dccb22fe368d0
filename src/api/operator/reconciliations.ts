// The operator's routes on reconciliations: all merchants'.

import type { FastifyInstance } from "fastify";
import Type from "typebox";
import type { Sql } from "../../journal/database.ts";
import { RUNS_ON_A_PAGE } from "../../settlement/reconciliation/runs.ts";
import { Uuid } from "../../validation/fields.ts";
import {
  RECONCILIATION,
  RECONCILIATION_PAGE,
  RECONCILIATION_QUERY,
  RECONCILIATIONS,
  reconciliationPage,
  reconciliationWithFindings,
} from "../reconciliations.ts";
import { FINDINGS_PAGED } from "../schema/reconciliation.ts";
import { inOperatorsTurn, queryOf } from "./calls.ts";
import { showsPaged, tells } from "./describe.ts";

const Query = Type.Object(
  { ...RECONCILIATION_QUERY, merchant_id: Type.Optional({ ...Uuid, description: "Only this merchant's." }) },
  { additionalProperties: false },
);
const OneQuery = Type.Object(RECONCILIATION_PAGE, { additionalProperties: false });

const LIST = tells(
  {
    summary: "List all reconciliations",
    description: `Those that were run with \`faregate reconcile\`, newest first, ${RUNS_ON_A_PAGE} a page.`,
  },
  RECONCILIATIONS,
  Query,
);
const FIND = showsPaged(
  { summary: "Look any reconciliation up", description: FINDINGS_PAGED, of: "reconciliation" },
  RECONCILIATION,
  OneQuery,
);

const HEAVY = { heavy: true } as const;

type WithId = { Params: { id: string } };

export function operatorReconciliationRoutes(app: FastifyInstance, { slowReads }: { readonly slowReads: Sql }): void {
  app.get("/reconciliations", { config: HEAVY, schema: LIST }, async (request, reply) => {
    const { page = 1, merchant_id: merchantId, processor_id: processorId } = queryOf(Query, request);
    return inOperatorsTurn(slowReads, reply, () =>
      reconciliationPage(slowReads, { merchantId, processorId }, page, "all"),
    );
  });

  app.get<WithId>("/reconciliations/:id", { config: HEAVY, schema: FIND }, async (request, reply) => {
    const { page = 1 } = queryOf(OneQuery, request);
    return inOperatorsTurn(slowReads, reply, () => reconciliationWithFindings(slowReads, request.params.id, page));
  });
}
