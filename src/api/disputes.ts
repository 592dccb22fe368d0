// `GET /api/disputes`: what payers' banks dispute of a merchant's transactions.

import type { FastifyInstance } from "fastify";
import Type from "typebox";
import type { Sql } from "../journal/database.ts";
import { inTurn, lister } from "../journal/search/ask.ts";
import { DISPUTES_ON_A_PAGE, findDispute, listDisputes } from "../merchants/disputes/list.ts";
import { Uuid } from "../validation/fields.ts";
import { callerOf } from "./callers.ts";
import { DISPUTE_QUERY, disputeFilterOf } from "./dispute-filter.ts";
import { readerGone } from "./long-responses.ts";
import { errors, jsonResponse, type RouteDescription } from "./openapi/responses.ts";
import { queryOf } from "./operator/calls.ts";
import { baseFault } from "./request-fault.ts";
import { PageMeta } from "./schema/transaction.ts";

type WithId = { Params: { dispute_id: string } };

const Query = Type.Object(DISPUTE_QUERY, { additionalProperties: false });

const LIST: RouteDescription = {
  summary: "List disputes",
  description: `Disputes of the merchant's transactions, newest first, ${DISPUTES_ON_A_PAGE} a page. An unknown parameter is an error.`,
  tags: ["Disputes"],
  querystring: Query,
  response: {
    200: jsonResponse(
      "One page.",
      Type.Object({ disputes: Type.Array(Type.Ref("Dispute")), meta: PageMeta }, { additionalProperties: false }),
    ),
    ...errors(400, 401, 403, 422, 429, 500, 503),
  },
};

const FIND: RouteDescription = {
  summary: "Look a dispute up",
  description: "Evidence is sent at the processor.",
  tags: ["Disputes"],
  params: Type.Object({ dispute_id: { ...Uuid, description: "The dispute's `id`." } }),
  response: {
    200: jsonResponse("The dispute.", Type.Object({ dispute: Type.Ref("Dispute") }, { additionalProperties: false })),
    ...errors(401, 403, 404, 422, 429, 500, 503),
  },
};

const READING = { scope: "read", heavy: true } as const;

export function disputeRoutes(app: FastifyInstance, sql: Sql): void {
  app.get("/disputes", { config: READING, schema: LIST }, async (request, reply) => {
    const { page, ...filter } = disputeFilterOf(queryOf(Query, request));
    const { merchantId } = callerOf(request);
    return inTurn(lister(sql, merchantId, readerGone(reply)), () => listDisputes(sql, { ...filter, merchantId }, page));
  });

  app.get<WithId>("/disputes/:dispute_id", { config: { scope: "read" }, schema: FIND }, async (request) => {
    const { merchantId } = callerOf(request);
    const dispute = await findDispute(sql, request.params.dispute_id, merchantId);
    if (dispute === undefined) throw baseFault(404, "There is no such dispute.");
    return { dispute };
  });
}
