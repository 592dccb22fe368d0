// `GET /api/batches`: a merchant's settlement batches, as the operator sees them too, and each with its totals and its events.

import type { FastifyInstance, FastifyReply } from "fastify";
import Type from "typebox";
import type { Sql } from "../journal/database.ts";
import { inTurn, lister } from "../journal/search/ask.ts";
import { pageMeta } from "../page-meta.ts";
import { BATCHES_ON_A_PAGE, type Batch, findBatch, listBatches, totalsOf, whyNotWhole } from "../settlement/batches.ts";
import { isUuid } from "../uuid.ts";
import { Uuid } from "../validation/fields.ts";
import { callerOf } from "./callers.ts";
import { type LongResponses, readerGone } from "./long-responses.ts";
import { errors, jsonResponse, type RouteDescription } from "./openapi/responses.ts";
import { BatchEventsQuery, batchEventsLayout, sendBatchEvents, showBatch, showTotals } from "./operator/batches.ts";
import { queryOf } from "./operator/calls.ts";
import { baseFault } from "./request-fault.ts";
import { PageMeta } from "./schema/transaction.ts";

type WithId = { Params: { id: string } };

const Query = Type.Object(
  {
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: "Default 1.", examples: [1] })),
    processor_id: Type.Optional({ ...Uuid, description: "Only this processor record's." }),
  },
  { additionalProperties: false },
);

const LIST: RouteDescription = {
  summary: "List the merchant's settlement batches",
  description:
    "Batches whose cut-off has passed, newest first, 50 a page. Each one's totals are shown when it is looked up.",
  tags: ["Ledger"],
  querystring: Query,
  response: {
    200: jsonResponse(
      "One page.",
      Type.Object({ batches: Type.Array(Type.Ref("BatchSummary")), meta: PageMeta }, { additionalProperties: false }),
    ),
    ...errors(400, 401, 403, 422, 429, 500, 503),
  },
};

const BATCH_ID = Type.Object({ id: { ...Uuid, description: "The batch's `id`: the `batch_id` of its events." } });

const FIND: RouteDescription = {
  summary: "Look a settlement batch up",
  description: "With its totals by operation and brand.",
  tags: ["Ledger"],
  params: BATCH_ID,
  response: {
    200: jsonResponse("The batch.", Type.Object({ batch: Type.Ref("Batch") }, { additionalProperties: false })),
    ...errors(401, 403, 404, 422, 429, 500, 503),
  },
};

const EVENTS: RouteDescription = {
  summary: "Export a settlement batch's events",
  description:
    "CSV: a header, then one line for each sale, capture and refund that is in it, in the order of their outcomes. What was " +
    "voided of them stands in the batch's `voided` and in the ledger.",
  tags: ["Ledger"],
  params: BATCH_ID,
  querystring: BatchEventsQuery,
  response: {
    200: { ...jsonResponse("All of it.", Type.String()), content: { "text/csv": { schema: Type.String() } } },
    ...errors(400, 401, 403, 404, 422, 429, 500, 503),
  },
};

const READING = { scope: "read", heavy: true } as const;

export function merchantBatchRoutes(
  app: FastifyInstance,
  sql: Sql,
  clock: { readonly now: () => Date },
  responses: LongResponses,
): void {
  const inTurnOf = <T>(merchantId: string, reply: FastifyReply, work: () => Promise<T>) =>
    inTurn(lister(sql, merchantId, readerGone(reply)), work);

  const ownBatch = async (merchantId: string, id: string, now: Date): Promise<Batch> => {
    const batch = isUuid(id) ? await findBatch(sql, now, id) : undefined;
    if (batch?.merchantId !== merchantId) throw baseFault(404, NOT_THERE);
    const archived = await whyNotWhole(sql, batch);
    if (archived !== undefined) throw baseFault(422, archived);
    return batch;
  };

  app.get("/batches", { config: READING, schema: LIST }, async (request, reply) => {
    const { page = 1, processor_id: processorId } = queryOf(Query, request);
    const { merchantId } = callerOf(request);
    const { batches, total } = await inTurnOf(merchantId, reply, () =>
      listBatches(sql, clock.now(), { merchantId, processorId }, page),
    );
    return { batches: batches.map(showBatch), meta: pageMeta(total, BATCHES_ON_A_PAGE, page) };
  });

  app.get<WithId>("/batches/:id", { config: READING, schema: FIND }, async (request, reply) => {
    const { merchantId } = callerOf(request);
    const now = clock.now();
    const batch = await ownBatch(merchantId, request.params.id, now);
    const totals = await totalsOf(lister(sql, merchantId, readerGone(reply)), now, batch);
    return { batch: { ...showBatch(batch), ...showTotals(totals) } };
  });

  app.get<WithId>("/batches/:id/events", { config: READING, schema: EVENTS }, async (request, reply) => {
    const { merchantId } = callerOf(request);
    const layout = batchEventsLayout(request);
    const batch = await ownBatch(merchantId, request.params.id, clock.now());
    return sendBatchEvents({ sql, responses, batch, holder: merchantId, layout }, request, reply);
  });
}

const NOT_THERE = "There is no such batch, or its cut-off has not passed yet.";
