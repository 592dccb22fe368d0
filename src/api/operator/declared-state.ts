// `GET /operator/declared-state`: which file the command line applied last, and where the gateway differs from it by now.

import type { FastifyInstance } from "fastify";
import Type from "typebox";
import { driftOf, readApplied } from "../../declared/applied.ts";
import type { Sql } from "../../journal/database.ts";
import type { Backoffice } from "../../merchants/backoffice.ts";
import { nullable, Timestamp, Uuid } from "../../validation/fields.ts";
import { inOperatorsTurn } from "./calls.ts";
import { tells } from "./describe.ts";

const MOST_SHOWN = 200;

const Applied = Type.Object({
  at: Timestamp,
  actor: Type.String({ description: "Who applied it.", examples: ["command line root"] }),
  source: Type.String({ description: "From where.", examples: ["command line"] }),
  file: Type.String({ description: "The file's name.", examples: ["gateway.yaml"] }),
  sha256: Type.String({ description: "Of the file." }),
});

const value = (description: string) => nullable(Type.String(), { description, examples: ["21:30"] });

const Difference = Type.Object({
  record: Type.String({ description: "What kind of record it is.", examples: ["processor"] }),
  id: Uuid,
  name: Type.String({ examples: ["Acquirer CAD"] }),
  merchant_id: nullable(Uuid, {}),
  field: nullable(Type.String(), {
    description: "Null: the whole record is missing, or in no list of the file.",
    examples: ["settlement.cutoff_at"],
  }),
  declared: value("What the file says, as JSON if it is no text; null: the record is not in the file."),
  now: value("What it is; null: the record is missing."),
  since: nullable(Timestamp, { description: "When it was changed, by the audit log." }),
  actor: nullable(Type.String(), { description: "Who changed it." }),
});

export const DeclaredState = Type.Object({
  applied: nullable(Applied, { description: "What was applied last; null: no file was." }),
  differences: Type.Array(Difference, { description: `The first ${MOST_SHOWN}. Secrets are not compared.` }),
  differences_total: Type.Integer({ minimum: 0, description: "How many there are." }),
});

const SHOW = tells(
  {
    summary: "Show how the gateway differs from its declared state",
    description: "From the file that `faregate apply` applied last. Only what the file names is compared.",
  },
  Type.Object({ declared_state: Type.Ref("DeclaredState") }, { additionalProperties: false }),
);

/** All of a file's records are read. */
const HEAVY = { heavy: true } as const;

export function declaredStateRoutes(app: FastifyInstance, office: Backoffice & { readonly slowReads: Sql }): void {
  const { slowReads } = office;
  app.get("/declared-state", { config: HEAVY, schema: SHOW }, async (_request, reply) =>
    inOperatorsTurn(slowReads, reply, async () => {
      const state = await readApplied(slowReads);
      if (state === undefined) return { declared_state: { applied: null, differences: [], differences_total: 0 } };
      const differences = await driftOf({ ...office, sql: slowReads }, state);
      const shown = differences
        .slice(0, MOST_SHOWN)
        .map((one) => ({ ...one, declared: inText(one.declared), now: inText(one.now) }));
      return { declared_state: { applied: state.applied, differences: shown, differences_total: differences.length } };
    }),
  );
}

const inText = (value: unknown): string | null =>
  value === null || typeof value === "string" ? value : JSON.stringify(value);
