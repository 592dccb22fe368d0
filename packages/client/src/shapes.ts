// The shapes that callers meet, from the types that are generated of the gateway's OpenAPI document. Amounts are texts, in
// requests too: the gateway would also take a number, but not one that a sum of floats gives.

import type * as api from "./openapi.ts";

export type SaleFields = api.Sale;
export type AuthFields = api.Auth;
export type ChargeFields = api.Charge;
export type FollowUpFields = api.FollowUp;
export type ReversalFields = api.Reversal;

export type CardFields = api.CardFields;
export type CardChange = api.CardChange;
export type CardVerification = api.CardVerification;
export type Verification = api.Verification;

export type PlanFields = api.PlanFields;
export type PlanChange = api.PlanChange;

export type Transaction = api.Transaction;
/** On file: charged by its `id`, without its number. */
export type Card = api.Card;
/** An order that is charged in several payments, each when it falls due. */
export type Plan = api.Plan;
export type WebhookPayload = api.WebhookPayload | api.DisputeWebhookPayload | api.PlanWebhookPayload | api.PingPayload;
export type PageMeta = api.operations["listTransactions"]["responses"][200]["content"]["application/json"]["meta"];

type Processors = api.operations["listAvailableProcessors"]["responses"][200]["content"]["application/json"];
export type Processor = Processors["processors"][number];

export type Movement = api.Movement;
export type Batch = api.Batch;
export type BatchSummary = api.BatchSummary;
export type Dispute = api.Dispute;

/** Both ends included, UTC: `2031-05-01` or `2031-05-01 14:30:00`. */
export type Period = Pick<api.operations["exportLedger"]["parameters"]["query"], "from" | "to">;
export type BatchFilter = Omit<QueryOf<"listMerchantBatches">, "page">;
export type DisputeFilter = Omit<QueryOf<"listDisputes">, "page">;
export type PlanFilter = Omit<QueryOf<"listPlans">, "page">;

type QueryOf<Operation extends "listTransactions" | "listMerchantBatches" | "listDisputes" | "listPlans"> = NonNullable<
  api.operations[Operation]["parameters"]["query"]
>;
/** The filters of a list, without the brackets that they have in the address. */
export type Search = {
  readonly [Parameter in keyof QueryOf<"listTransactions"> as Parameter extends `search[${infer Name}]`
    ? Name
    : never]?: string;
};
