// `GET /operator/audit-log`: who changed what, when, from where, before and after. Newest first.

import type { FastifyInstance } from "fastify";
import Type from "typebox";
import { auditLog } from "../../merchants/audit.ts";
import type { Backoffice } from "../../merchants/backoffice.ts";
import { Uuid } from "../../validation/fields.ts";
import { authorOf, queryOf } from "./calls.ts";
import { tells } from "./describe.ts";

const ENTRIES_A_PAGE = 50;

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

export function auditLogRoutes(app: FastifyInstance, { sql }: Backoffice): void {
  app.get("/audit-log", { schema: LIST }, async (request) => {
    const entries = await auditLog(sql, { ...queryOf(Query, request), limit: ENTRIES_A_PAGE });
    // Not as an entry: reading would make what is read longer.
    request.log.info({ ...authorOf(request) }, "the audit log was read");
    return { entries };
  });
}
