// `/operator/unresolved`: the events that have no end yet, with what the attempts so far came to; and how one of them ended, by an operator.

import type { FastifyInstance } from "fastify";
import Type from "typebox";
import { REMEDIES } from "../../journal/journal.ts";
import type { Backoffice } from "../../merchants/backoffice.ts";
import { enterResolution, NewResolution } from "../../merchants/resolution.ts";
import { listUnresolved, UNRESOLVED_ON_A_PAGE } from "../../merchants/unresolved.ts";
import { EVENT_TYPES } from "../../payment/transaction.ts";
import { nullable, Timestamp, Uuid } from "../../validation/fields.ts";
import { PageMeta } from "../schema/transaction.ts";
import { authorOf, inputOf, outcomeOf, queryOf } from "./calls.ts";
import { creates, tells } from "./describe.ts";

const Said = Type.String({ examples: ["no answer within 2000 ms"] });

export const Unresolved = Type.Object({
  merchant_id: Uuid,
  transaction_id: Uuid,
  merchant_transaction_id: Type.String({ examples: ["order 4711"] }),
  sequence: Type.Integer({
    minimum: 1,
    description: "Which of the transaction's events it is; 1 is the sale or auth.",
  }),
  event_id: Uuid,
  event_type: Type.Enum([...EVENT_TYPES]),
  request_id: nullable(Type.String({ examples: ["01a1fc7e-c630-7255-8cd1-96e3479052c8"] }), {
    description: "`X-Request-Id` of the request that asked for it; null where the gateway did by itself.",
  }),
  amount: Type.String({ examples: ["12.50"] }),
  currency: Type.String({ description: "ISO 4217.", examples: ["CAD"] }),
  processor_id: { ...Uuid, description: "The processor record that is asked." },
  remedy: Type.Enum([...REMEDIES], {
    description:
      "`reverse`: a charge without an answer is taken back until the processor confirms it. " +
      "`repeat`: the operation is asked again under its own reference until it has an outcome. " +
      "`await`: the processor has accepted it, and is asked how it ended, or tells it. " +
      "`operator`: the processor answers, and does not say how it ended; it is not asked any more: an operator enters how it ended.",
  }),
  given_up: Type.Boolean({
    description:
      "A charge of which the merchant was told that it failed, and of which the processor may hold or take money: " +
      "it ends as `reversed`. All others end as `approved` or `declined`.",
  }),
  attempts: Type.Integer({
    minimum: 0,
    description: "How often the remedy was tried, including an attempt in flight.",
  }),
  since: { ...Timestamp, description: "Since when it is unresolved." },
  due_at: {
    ...Timestamp,
    description:
      "When it is tried next. In the past: as soon as its processor answers again, or an event before it is resolved.",
  },
  in_flight: Type.Boolean({ description: "An attempt is in flight." }),
  last_said: nullable(Said, { description: "The result of the last attempt; null before the first has ended." }),
  history: Type.Array(
    Type.Object(
      { at: { ...Timestamp, description: "When the attempt ended." }, said: Said },
      { additionalProperties: false },
    ),
    { description: "The first attempt and the last twenty, oldest first." },
  ),
});

const Query = Type.Object(
  {
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: "Default 1.", examples: [1] })),
    merchant_id: Type.Optional({ ...Uuid, description: "Only this merchant's." }),
    processor_id: Type.Optional({ ...Uuid, description: "Only what waits for this processor record." }),
  },
  { additionalProperties: false },
);

const LIST = tells(
  {
    summary: "List what is not resolved",
    description:
      "Events that have no outcome although their processor was asked, and unanswered charges that are still to be " +
      `reversed: what waits longest first, ${UNRESOLVED_ON_A_PAGE} a page. What is resolved goes from the list.`,
  },
  Type.Object({ unresolved: Type.Array(Type.Ref("UnresolvedEvent")), meta: PageMeta }, { additionalProperties: false }),
  Query,
);

const RESOLVE = creates(
  {
    summary: "Enter how an operation ended",
    description:
      "For what neither an answer nor a notification will end: what the processor's own site shows. " +
      "A gateway applies it within a second, and then the event leaves the list.",
    of: "unresolved event",
  },
  "ResolutionFields",
  ["resolution", "Resolution"],
  null,
);

export function unresolvedRoutes(app: FastifyInstance, office: Backoffice): void {
  const { sql, clock } = office;
  app.get("/unresolved", { schema: LIST }, async (request) => {
    const { page = 1, merchant_id: merchantId, processor_id: processorId } = queryOf(Query, request);
    return listUnresolved(sql, clock.now(), { merchantId, processorId }, page);
  });

  app.post<{ Params: { id: string } }>("/unresolved/:id/resolution", { schema: RESOLVE }, async (request, reply) => {
    const input = inputOf(NewResolution, request, reply);
    const resolution = outcomeOf(await enterResolution(office, authorOf(request), request.params.id, input));
    return reply.code(201).send({ resolution });
  });
}
