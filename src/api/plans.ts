// The merchant's routes on plans: parse, call, render.

import type { FastifyInstance, FastifyRequest } from "fastify";
import Type from "typebox";
import type { Keys } from "../gateway/idempotency.ts";
import { createPlan, type PlanOffice } from "../gateway/plans.ts";
import type { Sql } from "../journal/database.ts";
import type { StoredResponse } from "../journal/journal.ts";
import { findPlan, listPlans, PLANS_ON_A_PAGE } from "../journal/plan-rows.ts";
import { inTurn, lister } from "../journal/search/ask.ts";
import { cancelPlan, movePlan } from "../merchants/plans/change-plan.ts";
import { showPlan } from "../merchants/plans/plan-schema.ts";
import { pageMeta } from "../page-meta.ts";
import { PLAN_STATUSES, type Plan } from "../payment/plan.ts";
import { type Refused, refuse } from "../payment/refusal.ts";
import { isUuid } from "../uuid.ts";
import { Uuid } from "../validation/fields.ts";
import type { BodyTree } from "./body/tree.ts";
import { callerOf } from "./callers.ts";
import { cardCallerOf } from "./cards.ts";
import { tellIgnored } from "./check.ts";
import { keyedHash } from "./keyed-hash.ts";
import { readerGone } from "./long-responses.ts";
import * as describe from "./openapi/plan-routes.ts";
import { queryOf } from "./operator/calls.ts";
import { parsePlan, parsePlanChange, problemsOfSchedule } from "./parse-plan.ts";
import { refusalFault } from "./refusal-responses.ts";
import { RequestFault } from "./request-fault.ts";
import { keyClaim } from "./request-hash.ts";
import { sendResult } from "./responses.ts";

export interface PlanRoutes extends PlanOffice {
  /** For look-ups. */
  readonly lookUps: Sql;
  /** For lists. */
  readonly slowReads: Sql;
  readonly keys: Keys;
  /** Of idempotency keys' request hashes. */
  readonly secret: Buffer;
}

type OfPlan = { Params: { plan_id: string } };

const Query = Type.Object(
  {
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: "Default 1.", examples: [1] })),
    card_id: Type.Optional({ ...Uuid, description: "Only plans of this card." }),
    status: Type.Optional(Type.Enum([...PLAN_STATUSES], { description: "Only plans with this status." })),
  },
  { additionalProperties: false },
);

export function planRoutes(app: FastifyInstance, routes: PlanRoutes): void {
  const { parts, office, lookUps, slowReads, keys, secret } = routes;
  const hash = keyedHash(secret);
  const changes = { scope: "charge" } as const;
  const reads = { scope: "read" } as const;

  app.post("/plans", { config: changes, schema: describe.make }, async (request, reply) => {
    const { merchantId, strictIdentifiers, cardNumbersForbidden } = callerOf(request);
    const claim = keyClaim(request, hash, strictIdentifiers);
    const { request: asked, ignored } = request.measured(() =>
      parsePlan(request.body as BodyTree, parts.clock.now(), strictIdentifiers),
    );
    tellIgnored(reply, ignored);
    const work = () => createPlan(routes, { ...cardCallerOf(request), cardNumbersForbidden }, asked, claim, renderMade);
    return sendResult(await keys.once(merchantId, claim, work), reply);
  });

  app.get("/plans", { config: { ...reads, heavy: true }, schema: describe.list(Query) }, async (request, reply) => {
    const { page = 1, card_id: cardId, status } = queryOf(Query, request);
    const { merchantId } = callerOf(request);
    const { plans, total } = await inTurn(lister(slowReads, merchantId, readerGone(reply)), () =>
      listPlans(slowReads, { merchantId, cardId, status }, page),
    );
    return { plans: plans.map((plan) => showPlan(plan)), meta: pageMeta(total, PLANS_ON_A_PAGE, page) };
  });

  const ofPlan = "/plans/:plan_id";
  app.get<OfPlan>(ofPlan, { config: reads, schema: describe.find }, async (request) => {
    const plan = await findPlan(lookUps, callerOf(request).merchantId, planIdOf(request));
    if (plan === undefined) throw UNKNOWN;
    return { plan: showPlan(plan, true) };
  });

  app.patch<OfPlan>(ofPlan, { config: changes, schema: describe.move }, async (request, reply) => {
    const { request: moves, ignored } = request.measured(() => parsePlanChange(request.body as BodyTree));
    tellIgnored(reply, ignored);
    const { merchantId, author } = cardCallerOf(request);
    const moved = await movePlan(office, author, merchantId, planIdOf(request), moves);
    if ("faults" in moved) throw new RequestFault(422, problemsOfSchedule(moved.faults));
    return { plan: showPlan(orThrow(moved), true) };
  });

  app.delete<OfPlan>(ofPlan, { config: changes, schema: describe.cancel }, async (request) => {
    const { merchantId, author } = cardCallerOf(request);
    return { plan: showPlan(orThrow(await cancelPlan(office, author, merchantId, planIdOf(request))), true) };
  });
}

const UNKNOWN = refusalFault(refuse("plan-unknown"));

/** What is no UUID is the id of no plan. */
function planIdOf({ params }: FastifyRequest<OfPlan>): string {
  if (!isUuid(params.plan_id)) throw UNKNOWN;
  return params.plan_id.toLowerCase();
}

function orThrow(changed: Plan | Refused): Plan {
  if ("kind" in changed) throw refusalFault(changed);
  return changed;
}

const renderMade = (plan: Plan): StoredResponse => ({
  status: 201,
  body: JSON.stringify({ plan: showPlan(plan, true) }),
});
