// The operator's routes on settlement batches: what was submitted at each cut-off, its totals, and its events as CSV.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { csvLines } from "../../csv-lines.ts";
import type { Sql } from "../../journal/database.ts";
import { lister } from "../../journal/search/ask.ts";
import type { Backoffice } from "../../merchants/backoffice.ts";
import { pageMeta } from "../../page-meta.ts";
import { renderAmount, renderSigned } from "../../payment/money.ts";
import {
  BATCH_EVENT_COLUMNS,
  BATCH_EVENT_LAYOUT,
  batchEventLine,
  OPERATOR,
  streamEvents,
} from "../../settlement/batch-events.ts";
import {
  BATCHES_ON_A_PAGE,
  type Batch,
  type BatchTotals,
  findBatch,
  listBatches,
  totalsOf,
  whyNotWhole,
} from "../../settlement/batches.ts";
import { isUuid } from "../../uuid.ts";
import { Timestamp, timestamp, Uuid } from "../../validation/fields.ts";
import { type LongResponses, readerGone, sendHead } from "../long-responses.ts";
import { ForSpreadsheet } from "../openapi/responses.ts";
import { baseFault } from "../request-fault.ts";
import { PageMeta } from "../schema/transaction.ts";
import { inOperatorsTurn, queryOf } from "./calls.ts";
import { givesCsv, shows, tells } from "./describe.ts";

type WithId = { Params: { id: string } };

const decimal = (description: string) => Type.String({ description, examples: ["1204.50"] });

const BatchShape = {
  id: { ...Uuid, description: "The `batch_id` of its events." },
  merchant_id: Uuid,
  processor_id: { ...Uuid, description: "The batch's processor record." },
  currency: Type.String({ description: "ISO 4217.", examples: ["CAD"] }),
  cutoff_at: {
    ...Timestamp,
    description: "The batch has what was captured before it and after the previous cut-off.",
  },
};

export const BatchSummary = Type.Object(BatchShape);
export const BatchWithTotals = Type.Object({
  ...BatchShape,
  totals: Type.Array(
    Type.Object({
      operation: Type.Enum(["sale", "capture", "refund"]),
      card_brand: Type.String({ examples: ["visa"] }),
      count: Type.Integer(),
      amount: decimal("Sum of its events' amounts."),
    }),
    { description: "By operation and brand." },
  ),
  voided: decimal("Of its sales and captures, what was cancelled before it settled."),
  net: decimal("Sales and captures, less what was voided and refunded. May be negative."),
});

const Query = Type.Object(
  {
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: "Default 1.", examples: [1] })),
    merchant_id: Type.Optional({ ...Uuid, description: "Only this merchant's." }),
    processor_id: Type.Optional({ ...Uuid, description: "Only this processor record's." }),
  },
  { additionalProperties: false },
);
export const BatchEventsQuery = Type.Object({ for: Type.Optional(ForSpreadsheet) }, { additionalProperties: false });

const LIST = tells(
  { summary: "List settlement batches", description: "Batches whose cut-off has passed, newest first, 50 a page." },
  Type.Object({ batches: Type.Array(Type.Ref("BatchSummary")), meta: PageMeta }, { additionalProperties: false }),
  Query,
);
const FIND = shows(
  { summary: "Look a settlement batch up", description: "With its totals by operation and brand.", of: "batch" },
  ["batch", "Batch"],
);
const EVENTS = givesCsv({
  summary: "A batch's events as CSV",
  description: "A header, then one line for each event, in the order of their outcomes.",
  of: "batch",
  querystring: BatchEventsQuery,
});

/** A batch may have a million events. */
const HEAVY = { heavy: true } as const;

export function batchRoutes(app: FastifyInstance, { sql, clock }: Backoffice, responses: LongResponses): void {
  const found = async (id: string): Promise<Batch> => {
    const batch = isUuid(id) ? await findBatch(sql, clock.now(), id) : undefined;
    if (batch === undefined) throw baseFault(404, "There is no such batch, or its cut-off has not passed yet.");
    const archived = await whyNotWhole(sql, batch);
    if (archived !== undefined) throw baseFault(422, archived);
    return batch;
  };

  app.get("/batches", { config: HEAVY, schema: LIST }, async (request, reply) => {
    const { page = 1, merchant_id: merchantId, processor_id: processorId } = queryOf(Query, request);
    const { batches, total } = await inOperatorsTurn(sql, reply, () =>
      listBatches(sql, clock.now(), { merchantId, processorId }, page),
    );
    return { batches: batches.map(showBatch), meta: pageMeta(total, BATCHES_ON_A_PAGE, page) };
  });

  app.get<WithId>("/batches/:id", { config: HEAVY, schema: FIND }, async ({ params }, reply) => {
    const batch = await found(params.id);
    const totals = await totalsOf(lister(sql, OPERATOR, readerGone(reply)), clock.now(), batch);
    return { batch: { ...showBatch(batch), ...showTotals(totals) } };
  });

  app.get<WithId>("/batches/:id/events", { config: HEAVY, schema: EVENTS }, async (request, reply) => {
    const layout = batchEventsLayout(request);
    const batch = await found(request.params.id);
    return sendBatchEvents({ sql, responses, batch, holder: OPERATOR, layout }, request, reply);
  });
}

interface BatchEvents {
  readonly sql: Sql;
  readonly responses: LongResponses;
  readonly batch: Batch;
  /** Whose share of exports it takes. */
  readonly holder: string;
  readonly layout: ReturnType<typeof batchEventsLayout>;
}

/** As the query asks for it. */
export const batchEventsLayout = (request: FastifyRequest) => ({
  ...BATCH_EVENT_LAYOUT,
  forSpreadsheet: queryOf(BatchEventsQuery, request).for === "spreadsheet",
});

/** As CSV, written as they are read. */
export async function sendBatchEvents(
  { sql, responses, batch, holder, layout }: BatchEvents,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  reply.type("text/csv; charset=utf-8").header("content-disposition", `attachment; filename="batch-${batch.id}.csv"`);
  if (request.method === "HEAD") return sendHead(reply);
  return responses.send(holder, reply, (gone) =>
    csvLines(BATCH_EVENT_COLUMNS, streamEvents(sql, batch, gone, holder), batchEventLine(batch), layout),
  );
}

export const showBatch = ({ id, merchantId, processorId, currency, cutoffAt }: Batch) => ({
  id,
  merchant_id: merchantId,
  processor_id: processorId,
  currency,
  cutoff_at: timestamp(cutoffAt),
});

export const showTotals = ({ totals, voided, net }: BatchTotals) => ({
  totals: totals.map(({ operation, cardBrand, count, amount }) => ({
    operation,
    card_brand: cardBrand,
    count,
    amount: renderAmount(amount),
  })),
  voided: renderAmount(voided),
  net: renderSigned(net),
});
