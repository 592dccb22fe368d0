// What routes have in common in the OpenAPI document: the shape of a description, responses and errors, and two parameters.

import Type, { type TSchema } from "typebox";

/** What Fastify and its OpenAPI plugin read of a route. */
export interface RouteDescription {
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly params?: TSchema;
  readonly querystring?: TSchema;
  readonly headers?: TSchema;
  readonly body?: TSchema;
  readonly response: Readonly<Record<string, unknown>>;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
}

export const header = (type: "string" | "integer", description: string) => ({ type, description });

const RATE_HEADERS = {
  "X-RateLimit-Limit": header("integer", "Requests a minute that this token may send."),
  "X-RateLimit-Remaining": header("integer", "How many of them are left."),
  "X-RateLimit-Reset": header("integer", "Seconds until all of them are there again."),
};

export const jsonResponse = (description: string, schema: TSchema, headers: object = {}) => ({
  description,
  headers: { ...RATE_HEADERS, ...headers },
  content: { "application/json": { schema } },
});

/** Status 204. */
export const noContent = (description: string) => ({ description, headers: RATE_HEADERS, type: "null" });

/** The one shape of all errors: specification 2. */
export const ErrorShape = Type.Object(
  {
    error: Type.Object(
      {
        status: Type.Integer({ description: "The HTTP status." }),
        code: Type.Optional(
          Type.String({
            description:
              "For programs: the refusal of the rules (several with commas, as in `Faregate-Refusal`), or the kind of the error. " +
              "Absent in stored responses of older versions.",
            examples: ["invalid-request", "refund-exceeds-captured"],
          }),
        ),
        message: Type.Record(Type.String(), Type.Array(Type.String(), { minItems: 1 }), {
          description: "By field (dotted when nested); `base` is the whole request, `fatal` the system.",
        }),
      },
      { additionalProperties: false },
    ),
    debug: Type.Array(Type.Unknown(), { description: "Always empty.", maxItems: 0 }),
  },
  {
    $id: "ApiError",
    additionalProperties: false,
    description: "What is wrong, by field.",
    examples: [
      {
        error: {
          status: 422,
          code: "invalid-request",
          message: { amount: ["must be an amount from 0.01 to 9999999"] },
        },
        debug: [],
      },
    ],
  },
);

const HELP = { Link: header("string", 'Where this error is explained: `</docs/errors#name>; rel="help"`.') };

const NOT_AUTHENTICATED = {
  error: {
    status: 401,
    code: "not-authenticated",
    message: { base: ["Not authenticated"], authorization: ["is missing: send Authorization: Bearer <token>"] },
  },
  debug: [],
};

const ERRORS: Readonly<Record<number, string>> = {
  400: "The body or the query does not parse.",
  401: "No valid token. `base` is always `Not authenticated`; `authorization` says why: no header, no `Bearer`, malformed, unknown, expired, revoked, or a token for the other side (merchants or operators).",
  403: "The token's scope does not allow this.",
  404: "There is nothing here, or it belongs to another merchant.",
  409: "Another operation on this transaction, or the first request with this idempotency key, is in flight.",
  413: "The body is too large: 64 KiB, with airline data 1 MiB.",
  415: "The body's media type is not one of the three.",
  422: "A field is wrong, or the rules do not allow the operation now.",
  429: "Too many failed authentications from this address, or too many requests for this token, or what looks like card testing, or too many lists of this merchant at once; nothing reached the processor.",
  500: "Something broke; `fatal` carries an id that the log has too.",
  503: "The database or every eligible processor is out of reach, or too many requests wait, and nothing was sent.",
};

/** RFC 9110, section 11.6.1. */
export const tellsHow = {
  "WWW-Authenticate": header("string", "`Bearer`, and what is wrong with the token that was sent (RFC 6750)."),
};

const RETRY_AFTER = { "Retry-After": header("integer", "Seconds to wait.") };

export const ignoredFields = {
  "Faregate-Ignored-Fields": header("string", "Fields of the request that the gateway does not know, percent-encoded."),
};
export const replayed = {
  "Idempotent-Replayed": header("string", "`true`: the stored response to the first request with this key."),
};

const refusal = {
  "Faregate-Refusal": header("string", "The name of the refusal, where it is the rules that say no."),
};

/** Responses that come after the body was read: 415 says that there is one. */
const afterBody = (statuses: readonly number[]) => (statuses.includes(415) ? { ...ignoredFields, ...replayed } : {});

const headersOf = (status: number, statuses: readonly number[]) => ({
  ...RATE_HEADERS,
  ...([409, 429, 503].includes(status) && RETRY_AFTER),
  ...([404, 409, 422, 429, 503].includes(status) && refusal),
  ...([404, 409, 422, 500, 503].includes(status) && afterBody(statuses)),
});

export const errors = (...statuses: readonly number[]) =>
  Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: ERRORS[status],
        headers: { ...HELP, ...(status === 401 ? tellsHow : headersOf(status, statuses)) },
        content: {
          "application/json": { schema: Type.Ref("ApiError"), ...(status === 401 && { example: NOT_AUTHENTICATED }) },
        },
      },
    ]),
  );

/** What the operations that are open to everyone may get instead: Node reads no larger head than 16 KiB. */
export const headTooLarge = {
  431: {
    description: "The address and the headers are too large: 16 KiB.",
    content: { "application/json": { schema: Type.Ref("ApiError") } },
  },
};

export const IDEMPOTENCY_KEY = Type.Object({
  "Idempotency-Key": Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        "Makes a repeated request safe: the same key and body get the first response again, and nothing is charged twice. " +
        "Kept 30 days, and sent once in a request. Use a new one, such as a random UUID, for every new request.",
    }),
  ),
});

/** Makes CSV that spreadsheets open correctly. */
export const ForSpreadsheet = Type.Enum(["spreadsheet"], {
  description:
    "CSV for whoever opens the file in a spreadsheet: it begins with a byte order mark, and codes such as zips have an apostrophe before them, so that they stay texts.",
});
