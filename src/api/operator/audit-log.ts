// `GET /operator/audit-log`: who changed what, when, from where, before and after. Newest first. And whether it is what was written.
// `GET /operator/merchants/:id/audit-log`: what of it concerns one merchant.

import type { FastifyInstance, FastifyRequest } from "fastify";
import Type from "typebox";
import type { Sql } from "../../journal/database.ts";
import { inTurn, lister } from "../../journal/search/ask.ts";
import { type AuditFilter, auditLog, chainState } from "../../merchants/audit-log.ts";
import type { Backoffice } from "../../merchants/backoffice.ts";
import { findMerchant } from "../../merchants/merchants.ts";
import { Name, nullable, Timestamp, Uuid } from "../../validation/fields.ts";
import { beginningOf, endOf, PERIOD_ENDS } from "../../validation/instants.ts";
import { readerGone } from "../long-responses.ts";
import { RequestFault } from "../request-fault.ts";
import { authorOf, found, inOperatorsTurn, queryOf } from "./calls.ts";
import { findsMany, tells } from "./describe.ts";

type WithId = { Params: { id: string } };

const ENTRIES_A_PAGE = 50;

const part = (description: string, example: string) => Type.Optional({ ...Name, description, examples: [example] });
const time = (description: string) => Type.Optional(Type.String({ description, examples: ["2031-05-31"] }));

const Query = Type.Object(
  {
    before: Type.Optional(
      Type.String({
        pattern: "^[0-9]{1,18}$",
        "x-must-be": "the id of an entry",
        description: "Only entries older than the one with this id: the last one of the previous response.",
        examples: ["117"],
      }),
    ),
    subject: Type.Optional({ ...Uuid, description: "The id of a record: only its changes." }),
    actor: part("Only of those whose name has this in it, in capitals or not.", "jane@example.com"),
    action: part("Only actions that begin so.", "person"),
    outcome: Type.Optional(
      Type.Enum(["done", "refused"], { description: "Only what was done, or only what was refused." }),
    ),
    at_gte: time("From this day or time (UTC) on."),
    at_lte: time("Up to this day or time (UTC), included."),
  },
  { additionalProperties: false },
);

const LIST = tells(
  {
    summary: "List what was changed",
    description:
      `Newest first, ${ENTRIES_A_PAGE} at a time: ask again with \`before\` until a list is empty. ` +
      "Secrets and their hashes are never in it.",
  },
  Type.Object({ entries: Type.Array(Type.Ref("AuditEntry")) }, { additionalProperties: false }),
  Query,
);

const LIST_OF_MERCHANT = findsMany(
  {
    summary: "List what was changed at a merchant",
    description:
      "What is about the merchant's own records, and what its people did. For its administrators too: they read `operator` " +
      "where it was one, and `not shown` for from where.",
    of: "merchant",
  },
  ["entries", "AuditEntry"],
  Query,
);

const count = (description: string) => nullable(Type.Integer({ minimum: 0 }), { description });

export const AuditEntry = Type.Object({
  id: Type.String({ description: "A growing number.", examples: ["118"] }),
  at: { ...Timestamp, description: "When." },
  actor: Type.String({ description: "Who.", examples: ["operator Jane"] }),
  source: Type.String({ description: "From which address, or `command line`.", examples: ["203.0.113.7"] }),
  action: Type.String({ description: "What.", examples: ["processor.change"] }),
  subject: Type.String({
    description: "To which record: what it is, and its id.",
    examples: ["processor 0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77"],
  }),
  outcome: Type.Enum(["done", "refused"], {
    description: "`refused`: an attempt that changed nothing; `after` says why.",
  }),
  before: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], {
    description: "The record before; null if it is new.",
  }),
  after: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], {
    description: "The record after.",
  }),
});

export const AuditChain = Type.Object({
  broken: nullable(Type.String({ examples: ["entry 3 is not as it was written"] }), {
    description:
      "What was found to be wrong; null: nothing. Gateways check the newest entries at their start, and all of them again and " +
      "again. Once something was found, nothing can be changed any more. `faregate audit verify` checks all at once.",
  }),
  entries: count("How many there are. Like what follows null where that cannot be told any more."),
  first: count("The oldest entry: those from more than twelve months ago are removed."),
  last: count("The newest entry."),
  hash: nullable(Type.String({ examples: ["5c0a3f…"] }), {
    description: "Of the newest entry and all before it: kept elsewhere, it shows later that none of them is gone.",
  }),
  begun: nullable(Timestamp, { description: "When the chain began. What is older was not protected before." }),
  before_it_began: count("How many entries there were by then."),
});

const CHAIN = tells(
  {
    summary: "Show whether the audit log is what was written",
    description: "Each entry carries a keyed hash over itself and all before it.",
  },
  Type.Object({ chain: Type.Ref("AuditChain") }, { additionalProperties: false }),
);

export function auditLogRoutes(app: FastifyInstance, office: Backoffice & { readonly slowReads: Sql }): void {
  app.get("/audit-log", { schema: LIST }, async (request, reply) => {
    const filter = filterOf(request);
    const entries = await inOperatorsTurn(office.slowReads, reply, () => auditLog(office.slowReads, filter));
    // Not as an entry: reading would make what is read longer.
    request.log.info({ ...authorOf(request) }, "the audit log was read");
    return { entries };
  });

  const ofMerchant = { config: { ownRecord: "merchant" }, schema: LIST_OF_MERCHANT } as const;
  app.get<WithId>("/merchants/:id/audit-log", ofMerchant, async (request, reply) => {
    const filter = filterOf(request);
    const { id: merchantId } = found("merchant", await findMerchant(office.sql, request.params.id));
    const reader = request.session?.merchantId == null ? "operator" : "merchant";
    const asker = lister(office.slowReads, request.session?.merchantId ?? "operator", readerGone(reply));
    const entries = await inTurn(asker, () => auditLog(office.slowReads, { ...filter, merchantId }, reader));
    request.log.info({ ...authorOf(request), merchantId }, "the audit log of a merchant was read");
    return { entries };
  });

  app.get("/audit-log/chain", { schema: CHAIN }, async () => ({
    chain: await chainState(office.sql, await office.auditKey()),
  }));
}

function filterOf(request: FastifyRequest): AuditFilter {
  const { at_gte, at_lte, ...filter } = queryOf(Query, request);
  const period = { from: instant("at_gte", at_gte, beginningOf), to: instant("at_lte", at_lte, endOf) };
  return { ...filter, subject: filter.subject?.toLowerCase(), ...period, limit: ENTRIES_A_PAGE };
}

function instant(name: string, text: string | undefined, read: (text: string) => Date | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const at = read(text);
  if (at === undefined) throw new RequestFault(422, { [name]: [`must be ${PERIOD_ENDS}`] });
  return at;
}
