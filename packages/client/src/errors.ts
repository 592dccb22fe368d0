// What can go wrong, as classes. A decline is none of it: the response shows a transaction whose newest event has no success.

import type { ApiError as ErrorBody } from "./openapi.ts";

/** Everything that this package throws, but for the reason of a signal that was aborted. */
export class FaregateError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/**
 * No whole response came. A write may have been done or not: send it again with `idempotencyKey`, and nothing is done twice.
 */
export class ConnectionError extends FaregateError {
  /** Of a write; undefined of what only reads. */
  readonly idempotencyKey: string | undefined;

  constructor(message: string, idempotencyKey: string | undefined, cause: unknown) {
    super(message, { cause });
    this.idempotencyKey = idempotencyKey;
  }
}

/** What the gateway said. */
export interface Refused {
  readonly status: number;
  /** For programs: the refusal of the rules, or the kind of the error, such as `invalid-request`. Undefined of a proxy's errors. */
  readonly code: string | undefined;
  /** By field: what is wrong with it. `base` is the whole request, `fatal` the gateway. */
  readonly fields: ErrorBody["error"]["message"];
  /** The name of the rule that said no, such as `refund-before-settlement`. */
  readonly refusal: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** Of a write. */
  readonly idempotencyKey: string | undefined;
  /** Whether this is the stored response to an earlier request with the same key. */
  readonly replayed: boolean;
  /** By which the operator finds this request in the gateway's log. */
  readonly requestId: string | undefined;
}

/** The gateway, or a proxy before it, responded with an error. */
export class ApiError extends FaregateError implements Refused {
  declare readonly status: number;
  declare readonly code: string | undefined;
  declare readonly fields: Refused["fields"];
  declare readonly refusal: string | undefined;
  declare readonly retryAfterSeconds: number | undefined;
  declare readonly idempotencyKey: string | undefined;
  declare readonly replayed: boolean;
  declare readonly requestId: string | undefined;

  constructor(refused: Refused) {
    super(messageOf(refused));
    Object.assign(this, refused);
  }
}

/** 400, 413, 415, 422 and others: this request is wrong, or the rules do not allow it now. */
export class InvalidRequestError extends ApiError {}
/** 401: no token, or one that is not valid. */
export class AuthenticationError extends ApiError {}
/** 403: the token lacks the scope. */
export class PermissionError extends ApiError {}
/** 404: no such transaction, or another merchant's. */
export class NotFoundError extends ApiError {}
/** 409: another operation on the transaction, or the first request with the key, is still in flight. */
export class ConflictError extends ApiError {}
/** 429: too much, and nothing was done. */
export class RateLimitError extends ApiError {}
/** 503: nothing was sent to a processor. If `replayed` is true, only a new key asks anew. */
export class UnavailableError extends ApiError {}
/** 500 and others: a fault of the gateway. A write may have been done: send it again with `idempotencyKey`. */
export class ServerError extends ApiError {}

/** Some of what matched when the first page was read match no more, or are archived: read the list anew. */
export class ListChangedError extends FaregateError {}

/** A webhook that the gateway did not sign, or not just now. */
export class WebhookError extends FaregateError {}

/** A payer who was not sent back by the gateway, or whose address was changed. */
export class ReturnError extends FaregateError {}

const BY_STATUS: Readonly<Record<number, typeof ApiError>> = {
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  429: RateLimitError,
  503: UnavailableError,
};

/** The error of the class that the status belongs to. */
export function apiError(refused: Refused): ApiError {
  const Fitting = BY_STATUS[refused.status] ?? (refused.status >= 500 ? ServerError : InvalidRequestError);
  return new Fitting(refused);
}

function messageOf({ status, fields }: Refused): string {
  const said = Object.entries(fields).map(([field, texts]) => {
    const text = texts.join(" ");
    return field === "base" || field === "fatal" ? text : `${field} ${text}`;
  });
  return said.length === 0 ? `HTTP ${status}` : `${status}: ${said.join("; ")}`;
}
