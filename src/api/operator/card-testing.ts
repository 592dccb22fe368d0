// The operator's routes on card testing: a merchant's settings, and what was slowed and refused.

import type { FastifyInstance } from "fastify";
import Type from "typebox";
import type { Backoffice } from "../../merchants/backoffice.ts";
import { CardTestingChange, changeCardTesting, findCardTesting } from "../../merchants/card-testing.ts";
import { listReports } from "../../merchants/card-testing-reports.ts";
import { findMerchant } from "../../merchants/merchants.ts";
import { Uuid } from "../../validation/fields.ts";
import { authorOf, found, inputOf, outcomeOf, queryOf } from "./calls.ts";
import { changes, findsMany, shows, tells } from "./describe.ts";

type WithId = { Params: { id: string } };

const SETTINGS = ["card_testing", "CardTesting"] as const;

const Query = Type.Object(
  { merchant: Type.Optional({ ...Uuid, description: "The id of a merchant: only its charges." }) },
  { additionalProperties: false },
);

const REPORTS = Type.Object(
  { card_testing: Type.Array(Type.Ref("CardTestingReport")) },
  { additionalProperties: false },
);

const LIST = tells(
  {
    summary: "List what looked like card testing",
    description: "The last hundred within 30 days, newest first, with the counts of all nodes.",
  },
  REPORTS,
  Query,
);

export function cardTestingRoutes(app: FastifyInstance, office: Backoffice): void {
  const path = "/merchants/:id/card-testing";

  const find = shows(
    {
      summary: "Look up a merchant's settings against card testing",
      description: "From how many cards on a series of charges is refused.",
      of: "merchant",
    },
    SETTINGS,
  );
  app.get<WithId>(path, { config: { ownRecord: "merchant" }, schema: find }, async ({ params }) => ({
    card_testing: found("merchant", await findCardTesting(office, params.id)),
  }));

  const change = changes(
    {
      summary: "Change a merchant's settings against card testing",
      description: "Applies on every node within a second.",
      of: "merchant",
    },
    "CardTestingChange",
    SETTINGS,
  );
  app.patch<WithId>(path, { schema: change }, async (request, reply) => {
    const input = inputOf(CardTestingChange, request, reply);
    return { card_testing: outcomeOf(await changeCardTesting(office, authorOf(request), request.params.id, input)) };
  });

  const reports = findsMany(
    {
      summary: "List what looked like card testing at a merchant",
      description: "The last hundred within 30 days, newest first, with the counts of all nodes.",
      of: "merchant",
    },
    ["card_testing", "CardTestingReport"],
  );
  app.get<WithId>(`${path}/reports`, { config: { ownRecord: "merchant" }, schema: reports }, async ({ params }) => {
    const { id } = found("merchant", await findMerchant(office.sql, params.id));
    return { card_testing: await listReports(office.sql, { merchant: id }) };
  });

  app.get("/card-testing", { schema: LIST }, async (request) => ({
    card_testing: await listReports(office.sql, queryOf(Query, request)),
  }));
}
