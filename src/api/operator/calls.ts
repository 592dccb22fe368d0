// What an operator's request says and how it ends: the fields of its body, the page of a list that its query asks for, and
// results as values or as faults of the HTTP side. The stores in merchants/ judge the fields; the query is judged here.

import type { FastifyReply, FastifyRequest } from "fastify";
import Type, { type Static, type TObject } from "typebox";
import type { Sql } from "../../journal/database.ts";
import { inTurn, lister } from "../../journal/search/ask.ts";
import {
  type Author,
  type Conflict,
  type Done,
  type Existed,
  type Invalid,
  MOST_LISTED,
  type Page,
  type RecordName,
  type Unknown,
} from "../../merchants/backoffice.ts";
import type { Refused } from "../../payment/refusal.ts";
import type { Session } from "../../people/sessions.ts";
import { OPERATOR } from "../../settlement/batch-events.ts";
import { Uuid } from "../../validation/fields.ts";
import { MOST_TOLD, noProblems, problemsOf } from "../../validation/problems.ts";
import { strayCardNumbers } from "../../validation/stray-card-numbers.ts";
import type { BodyTree } from "../body/tree.ts";
import { queryFault } from "../body/urlencoded.ts";
import { addressOf, operatorOf } from "../callers.ts";
import { fieldsOf, tellIgnored } from "../check.ts";
import { readerGone } from "../long-responses.ts";
import { refusalFault } from "../refusal-responses.ts";
import { baseFault, RequestFault } from "../request-fault.ts";

const NOTHING = Type.Object({});
const EMPTY = "must not be empty: leave it out, or send a value";

/** Not checked yet. Fields that the schema does not know are left out, and the caller is told. */
export function inputOf(schema: TObject, { body }: FastifyRequest, reply: FastifyReply): unknown {
  const { value, ignored } = fieldsOf(schema, body as BodyTree);
  const strays = strayCardNumbers(NOTHING, {}, ignored, { most: MOST_TOLD + 1 });
  if (strays.size > 0)
    throw new RequestFault(422, Object.fromEntries([...strays].map(([name, text]) => [name, [text]])));
  tellIgnored(reply, ignored);
  return value;
}

/** An unknown parameter is refused, and an empty one, so that a typo or an unset variable never lists everything. */
export function queryOf<S extends TObject>(schema: S, { query }: FastifyRequest): Static<S> {
  const fault = queryFault(query);
  if (fault !== undefined) throw fault;
  const given = query as BodyTree;
  const { value } = fieldsOf(schema, given);
  const empty = Object.keys(schema.properties).filter((name) => given[name] === "");
  const problems = { ...problemsOf(schema, value), ...Object.fromEntries(empty.map((name) => [name, [EMPTY]])) };
  if (!noProblems(problems)) throw new RequestFault(422, problems);
  return value as Static<S>;
}

export const PageQuery = Type.Object(
  {
    after: Type.Optional({
      ...Uuid,
      description: "Only records that were created after the one with this id: the last one of the previous response.",
    }),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MOST_LISTED,
        description: `How many at most; ${MOST_LISTED} without it.`,
        examples: [50],
      }),
    ),
  },
  { additionalProperties: false },
);

export const pageOf = (request: FastifyRequest): Page => queryOf(PageQuery, request);

export function outcomeOf<T>(result: Done<T> | Invalid | Unknown | Refused): T {
  switch (result.kind) {
    case "done":
      return result.value;
    case "invalid":
      throw new RequestFault(422, result.problems);
    case "unknown":
      throw unknown(result.what);
    case "refused":
      throw refusalFault(result);
  }
}

/** Of a create: 201, or 200 for a record that the same body created before. */
export function createdOf<T, E>(
  result: Done<T> | Existed<E> | Conflict | Invalid | Unknown,
  reply: FastifyReply,
): T | E {
  reply.code(result.kind === "existed" ? 200 : 201);
  if (result.kind === "existed") return result.value;
  if (result.kind === "conflict") throw conflictFault(result);
  return outcomeOf(result);
}

function conflictFault({ what, id, differs }: Conflict): RequestFault {
  const fields = differs.map((name) => [name, [`differs from that of the ${what} with this id`]]);
  const base = `There is a ${what} ${id} already, and it is not what this request would create: it differs in ${differs.join(", ")}.`;
  return new RequestFault(409, { base: [base], ...Object.fromEntries(fields) }, undefined, "exists-already");
}

export function found<T>(what: RecordName, value: T | undefined): T {
  if (value === undefined) throw unknown(what);
  return value;
}

const unknown = (what: RecordName) => baseFault(404, `There is no such ${what}.`);

/** What operators ask of the lists' connections takes turns with what merchants do. @param work one statement at a time */
export const inOperatorsTurn = <T>(slowReads: Sql, reply: FastifyReply, work: () => Promise<T>): Promise<T> =>
  inTurn(lister(slowReads, OPERATOR, readerGone(reply)), work);

/** "operator Jane" by a token, "merchant_admin jane@example.com" by a session. */
export const authorOf = (request: FastifyRequest): Author => ({
  actor: request.session ? actorOf(request.session) : `operator ${operatorOf(request).name}`,
  source: addressOf(request),
  ...(request.session?.merchantId && { merchantId: request.session.merchantId }),
});

/** A person, as the audit log names it. */
export const actorOf = ({ role, email }: Pick<Session, "role" | "email">): string => `${role} ${email}`;
