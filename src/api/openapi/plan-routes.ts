// What the OpenAPI document says of the merchant's routes on plans.

import Type, { type TObject } from "typebox";
import { PLANS_ON_A_PAGE } from "../../journal/plan-rows.ts";
import { Uuid } from "../../validation/fields.ts";
import { PageMeta } from "../schema/transaction.ts";
import { COMPONENT } from "./components.ts";
import { errors, IDEMPOTENCY_KEY, ignoredFields, jsonResponse, type RouteDescription, replayed } from "./responses.ts";

const envelope = Type.Object(
  { plan: Type.Ref("Plan") },
  { [COMPONENT]: "PlanEnvelope", additionalProperties: false, description: "A plan." },
);

const PLAN_ID = Type.Object({ plan_id: { ...Uuid, description: "The plan's `id`." } });

export const make: RouteDescription = {
  summary: "Make a plan",
  description:
    "Charges an order to a card on file in several payments, such as a deposit and the balance: each when it falls due, by a sale of its own. " +
    "Nothing is charged before the response, even if a payment is due at once. The payments add up to the total exactly. A decline is tried " +
    "again after one, three and seven days, unless the decline forbids it.",
  tags: ["Plans"],
  headers: IDEMPOTENCY_KEY,
  body: Type.Ref("PlanFields"),
  response: {
    201: jsonResponse("Made.", envelope, { ...ignoredFields, ...replayed }),
    ...errors(400, 401, 403, 409, 413, 415, 422, 429, 500, 503),
  },
};

export const list = (querystring: TObject): RouteDescription => ({
  summary: "List plans",
  description: `The merchant's plans, newest first, ${PLANS_ON_A_PAGE} a page, without passengers. An unknown parameter is an error.`,
  tags: ["Plans"],
  querystring,
  response: {
    200: jsonResponse(
      "One page.",
      Type.Object(
        { plans: Type.Array(Type.Ref("Plan"), { maxItems: PLANS_ON_A_PAGE }), meta: PageMeta },
        { additionalProperties: false },
      ),
    ),
    ...errors(400, 401, 403, 422, 429, 500, 503),
  },
});

export const find: RouteDescription = {
  summary: "Look a plan up",
  description: "As it is now.",
  tags: ["Plans"],
  params: PLAN_ID,
  response: { 200: jsonResponse("The plan as it is now.", envelope), ...errors(401, 403, 404, 422, 429, 500, 503) },
};

export const move: RouteDescription = {
  summary: "Move payments of a plan",
  description:
    "Gives payments other dates: those that are not charged, nor being charged. One that failed is tried anew on its new date.",
  tags: ["Plans"],
  params: PLAN_ID,
  body: Type.Ref("PlanChange"),
  response: {
    200: jsonResponse("The plan as it is now.", envelope, ignoredFields),
    ...errors(400, 401, 403, 404, 413, 415, 422, 429, 500, 503),
  },
};

export const cancel: RouteDescription = {
  summary: "Cancel a plan",
  description:
    "Cancels what is not charged. A payment whose charge has begun is not canceled: if it comes to nothing, it is not tried again. What was " +
    "charged stays charged: refund it by its transaction. A canceled plan stays as it is.",
  tags: ["Plans"],
  params: PLAN_ID,
  response: {
    200: jsonResponse("The plan as it is now.", envelope),
    ...errors(401, 403, 404, 422, 429, 500, 503),
  },
};
