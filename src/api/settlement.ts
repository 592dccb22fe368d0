// `GET /api/settlement`: where the merchant's money stands in the settlement day.

import type { FastifyInstance } from "fastify";
import Type from "typebox";
import type { Parts } from "../gateway/parts.ts";
import type { Sql } from "../journal/database.ts";
import { lister } from "../journal/search/ask.ts";
import { renderAmount, renderSigned, ZERO } from "../payment/money.ts";
import { PARTS, type PositionBatch, position } from "../settlement/position.ts";
import { nullable, Timestamp, timestamp, Uuid } from "../validation/fields.ts";
import { callerOf } from "./callers.ts";
import { readerGone, sendHead } from "./long-responses.ts";
import { errors, jsonResponse, type RouteDescription } from "./openapi/responses.ts";
import { queryOf } from "./operator/calls.ts";

const closed = { additionalProperties: false } as const;
const Count = Type.Integer({ minimum: 0 });
const Amount = Type.String({ examples: ["12345.00"] });
const Time = Type.String({ description: "A time of day, UTC.", examples: ["22:00"] });

const BATCH = Type.Object(
  {
    id: { ...Uuid, description: "Of the settlement batch; it can be looked up from its cut-off on." },
    cutoff_at: Timestamp,
    visible_at: { ...Timestamp, description: "From then on its events are `settled`." },
    part: Type.Enum([...PARTS], {
      description:
        "`collecting`: before the cut-off. `settling`: after it, and not settled for certain. `settled`: within the last 24 hours.",
    }),
    count: { ...Count, description: "Sales, captures and refunds." },
    captured: { ...Amount, description: "By sales and captures." },
    voided: { ...Amount, description: "Of that, what was cancelled." },
    refunded: Amount,
    net: Type.String({ description: "What goes to the merchant. May be negative.", examples: ["12300.00", "-5.00"] }),
  },
  closed,
);

export const SettlementShape = Type.Object(
  {
    as_of: Timestamp,
    processors: Type.Array(
      Type.Object(
        {
          id: { ...Uuid, description: "Of the processor record." },
          name: Type.String(),
          currency: Type.String({ description: "ISO 4217." }),
          schedule: Type.Object(
            {
              auto_capture_at: nullable(Time, { description: "Null: nothing is captured by itself." }),
              cutoff_at: Time,
              settled_at: Time,
              visible_at: Time,
            },
            closed,
          ),
          awaiting_capture: Type.Object(
            { count: Count, amount: Amount },
            { ...closed, description: "Authorizations that the next automatic capture will take." },
          ),
          batches: Type.Array(BATCH, { description: "By cut-off." }),
        },
        closed,
      ),
      { description: "Those that are enabled or have money in one of the parts." },
    ),
  },
  { ...closed, $id: "Settlement", description: "Where money stands in the settlement day, by processor record." },
);

const DESCRIPTION: RouteDescription = {
  summary: "Show where money stands in the settlement day",
  description:
    "By processor record: what waits for its automatic capture, and the batches that collect, settle, or have settled within the last 24 hours.",
  tags: ["Ledger"],
  response: {
    200: jsonResponse("As it is now.", Type.Object({ settlement: Type.Ref("Settlement") }, closed)),
    ...errors(400, 401, 403, 422, 429, 500, 503),
  },
};

const NOTHING = Type.Object({}, closed);

export function settlementRoute(
  app: FastifyInstance,
  sql: Sql,
  { clock, processors }: Pick<Parts, "clock" | "processors">,
) {
  app.get("/settlement", { config: { scope: "read", heavy: true }, schema: DESCRIPTION }, async (request, reply) => {
    queryOf(NOTHING, request);
    if (request.method === "HEAD") return sendHead(reply);
    const { merchantId } = callerOf(request);
    const now = clock.now();
    const { awaiting, batches } = await position(lister(sql, merchantId, readerGone(reply)), merchantId, now);
    const records = (await processors.of(merchantId)).map(({ record }) => record);
    const shown = records.map(({ id, name, currency, enabled, schedule }) => {
      const { count, amount } = awaiting.find(({ processorId }) => processorId === id) ?? NONE;
      const own = batches.filter(({ processorId }) => processorId === id);
      const { auto_capture_at, cutoff_at, settled_at, visible_at } = schedule;
      return {
        ...{ enabled, id, name, currency, schedule: { auto_capture_at, cutoff_at, settled_at, visible_at } },
        ...{ awaiting_capture: { count, amount: renderAmount(amount) }, batches: own.map(batchOf) },
      };
    });
    const there = shown.filter((one) => one.enabled || one.batches.length > 0 || one.awaiting_capture.count > 0);
    return { settlement: { as_of: timestamp(now), processors: there.map(({ enabled: _, ...one }) => one) } };
  });
}

const NONE = { count: 0, amount: ZERO };

const batchOf = ({ id, cutoffAt, visibleAt, part, count, captured, voided, refunded, net }: PositionBatch) => ({
  ...{ id, cutoff_at: timestamp(cutoffAt), visible_at: timestamp(visibleAt), part, count },
  ...{ captured: renderAmount(captured), voided: renderAmount(voided), refunded: renderAmount(refunded) },
  net: renderSigned(net),
});
