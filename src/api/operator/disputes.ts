// The operator's routes on disputes: all of them, and those that are entered and changed by hand.

import type { FastifyInstance } from "fastify";
import Type from "typebox";
import type { Sql } from "../../journal/database.ts";
import type { Backoffice } from "../../merchants/backoffice.ts";
import { changeDispute, createDispute } from "../../merchants/disputes/by-hand.ts";
import { DisputeChange, NewDispute } from "../../merchants/disputes/dispute-schema.ts";
import { DISPUTES_ON_A_PAGE, findDispute, listDisputes } from "../../merchants/disputes/list.ts";
import { Uuid } from "../../validation/fields.ts";
import { DISPUTE_QUERY, disputeFilterOf } from "../dispute-filter.ts";
import { PageMeta } from "../schema/transaction.ts";
import { authorOf, found, inOperatorsTurn, inputOf, outcomeOf, queryOf } from "./calls.ts";
import { changes, creates, shows, tells } from "./describe.ts";

type WithId = { Params: { id: string } };

const DISPUTE = ["dispute", "Dispute"] as const;

const Query = Type.Object(
  { ...DISPUTE_QUERY, merchant_id: Type.Optional({ ...Uuid, description: "Only this merchant's." }) },
  { additionalProperties: false },
);

const LIST = tells(
  { summary: "List all disputes", description: `Newest first, ${DISPUTES_ON_A_PAGE} a page.` },
  Type.Object({ disputes: Type.Array(Type.Ref("Dispute")), meta: PageMeta }, { additionalProperties: false }),
  Query,
);
const CREATE = creates(
  {
    summary: "Enter a dispute by hand",
    description: "For processors that report none. The merchant gets its webhooks, and the ledger what is withdrawn.",
    of: "merchant",
  },
  "DisputeFields",
  DISPUTE,
  null,
);
const FIND = shows({ summary: "Look any dispute up", description: "As its merchant sees it.", of: "dispute" }, DISPUTE);
const CHANGE = changes(
  {
    summary: "Change a dispute by hand",
    description: "Fields that are named change. What the processor reports later wins.",
    of: "dispute",
  },
  "DisputeChange",
  DISPUTE,
);

export function operatorDisputeRoutes(app: FastifyInstance, office: Backoffice & { readonly slowReads: Sql }): void {
  app.get("/disputes", { schema: LIST }, async (request, reply) => {
    const { merchant_id: merchantId, ...query } = queryOf(Query, request);
    const { page, ...filter } = disputeFilterOf(query);
    const { slowReads } = office;
    return inOperatorsTurn(slowReads, reply, () => listDisputes(slowReads, { ...filter, merchantId }, page));
  });

  app.post<WithId>("/merchants/:id/disputes", { schema: CREATE }, async (request, reply) => {
    const input = inputOf(NewDispute, request, reply);
    const dispute = outcomeOf(await createDispute(office, authorOf(request), request.params.id, input));
    return reply.code(201).send({ dispute });
  });

  app.get<WithId>("/disputes/:id", { schema: FIND }, async ({ params }) => ({
    dispute: found("dispute", await findDispute(office.sql, params.id)),
  }));

  app.patch<WithId>("/disputes/:id", { schema: CHANGE }, async (request, reply) => {
    const input = inputOf(DisputeChange, request, reply);
    return { dispute: outcomeOf(await changeDispute(office, authorOf(request), request.params.id, input)) };
  });
}
