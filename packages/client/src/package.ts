// All that the package gives.

export { type Client, type ClientOptions, createClient } from "./client.ts";
export {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  FaregateError,
  InvalidRequestError,
  ListChangedError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ReturnError,
  ServerError,
  UnavailableError,
  WebhookError,
} from "./errors.ts";
export type { Search, TransactionPage } from "./lists.ts";
export { type Return, verifyReturn } from "./returns.ts";
export type { CallOptions, WriteOptions } from "./send.ts";
export type {
  AuthFields,
  Batch,
  BatchFilter,
  BatchSummary,
  Card,
  CardChange,
  CardFields,
  CardVerification,
  ChargeFields,
  Dispute,
  DisputeFilter,
  FollowUpFields,
  Movement,
  Period,
  Plan,
  PlanChange,
  PlanFields,
  PlanFilter,
  Processor,
  ReversalFields,
  SaleFields,
  Transaction,
  Verification,
  WebhookPayload,
} from "./shapes.ts";
export { verifyWebhook, type Webhook } from "./webhooks.ts";
