// `GET /operator/notifications`: what processors told by themselves, and what became of it.

import type { FastifyInstance } from "fastify";
import Type from "typebox";
import type { Backoffice } from "../../merchants/backoffice.ts";
import {
  listNotifications,
  NEWS_KINDS,
  NOTIFICATION_RESULTS,
  NOTIFICATIONS_ON_A_PAGE,
} from "../../merchants/notifications.ts";
import { nullable, Timestamp, Uuid } from "../../validation/fields.ts";
import { PageMeta } from "../schema/transaction.ts";
import { inOperatorsTurn, queryOf } from "./calls.ts";
import { tells } from "./describe.ts";

export const ProcessorNotification = Type.Object({
  merchant_id: Uuid,
  processor_id: { ...Uuid, description: "The processor record that it came for." },
  id: Type.String({ description: "The processor's own id; a message that comes again is ignored." }),
  kind: Type.Enum([...NEWS_KINDS], { description: "What it reports." }),
  transaction_id: nullable(Uuid, { description: "Which transaction it is about, if that can be told." }),
  reference: nullable(Type.String(), { description: "Which of its events, by the event's id." }),
  said: Type.String({ description: "In the processor's words." }),
  occurred_at: { ...Timestamp, description: "When it happened, by the processor." },
  received_at: { ...Timestamp, description: "When the gateway had it." },
  result: Type.Enum([...NOTIFICATION_RESULTS], {
    description:
      "`waiting`: not applied yet. `applied`: it ended an event, or an approved one failed after all. `known`: it said " +
      "nothing new. `kept`: it changed nothing and is for you to look at.",
  }),
  why: nullable(Type.String(), { description: "Why it was kept." }),
});

const Query = Type.Object(
  {
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: "Default 1.", examples: [1] })),
    merchant_id: Type.Optional({ ...Uuid, description: "Only this merchant's." }),
    processor_id: Type.Optional({ ...Uuid, description: "Only those for this processor record." }),
    transaction_id: Type.Optional({ ...Uuid, description: "Only those about this transaction." }),
    result: Type.Optional(Type.Enum([...NOTIFICATION_RESULTS], { description: "Only those with this result." })),
  },
  { additionalProperties: false },
);

const LIST = tells(
  {
    summary: "List what processors told",
    description: `Messages that processors sent by themselves, newest first, ${NOTIFICATIONS_ON_A_PAGE} a page.`,
  },
  Type.Object(
    { notifications: Type.Array(Type.Ref("ProcessorNotification")), meta: PageMeta },
    { additionalProperties: false },
  ),
  Query,
);

export function notificationRoutes(app: FastifyInstance, { sql }: Pick<Backoffice, "sql">): void {
  app.get("/notifications", { schema: LIST }, async (request, reply) => {
    const { page = 1, merchant_id, processor_id, transaction_id, result } = queryOf(Query, request);
    const filter = { merchantId: merchant_id, processorId: processor_id, transactionId: transaction_id, result };
    return inOperatorsTurn(sql, reply, () => listNotifications(sql, filter, page));
  });
}
