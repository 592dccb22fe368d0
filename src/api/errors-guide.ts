// What each error of the API means and what to do about it: docs/errors.md, the page at /docs/errors, and the link in every
// error's response. What the rules refuse has names and texts of its own (refusal-responses.ts).

interface Guide {
  readonly status: number;
  /** `error.code`, for programs; by default the name. Names that differ in their cause only have one code. */
  readonly code?: string;
  readonly means: string;
  readonly todo: string;
}

export const ERRORS = {
  "unreadable-request": {
    status: 400,
    code: "invalid-request",
    means: "The body, the query or the address cannot be read.",
    todo: "Correct what the text names: the place in the JSON, the brackets, the boundary, the encoding.",
  },
  "field-twice": {
    status: 400,
    code: "invalid-request",
    means: "A JSON object has the same name in it twice.",
    todo: "Send the field once. The gateway does not guess which of the two was meant.",
  },
  "no-token": {
    status: 401,
    code: "not-authenticated",
    means: "The request has no Authorization header.",
    todo: "Send Authorization: Bearer, a space and the token. Some proxies, and HTTP clients after a redirect, remove the header.",
  },
  "authorization-twice": {
    status: 401,
    code: "not-authenticated",
    means: "The request has more than one Authorization header.",
    todo: "Send it once. Some HTTP clients add a header of their own, and some proxies append one. The gateway does not guess which was meant.",
  },
  "not-bearer": {
    status: 401,
    code: "not-authenticated",
    means: "The Authorization header is not Bearer, a space and one token.",
    todo: "Write Bearer before the token. Basic and other schemes are not taken.",
  },
  "malformed-token": {
    status: 401,
    code: "not-authenticated",
    means: "What follows Bearer is not a token: its prefix, length or checksum is wrong.",
    todo: "Copy the whole token again, without quotes or line ends. It begins with fg_ and ends with a checksum.",
  },
  "operator-token": {
    status: 401,
    code: "not-authenticated",
    means: "An operator's token was sent to a merchant's path.",
    todo: "Under /api, send an API token of a merchant's user (fg_test_ or fg_live_).",
  },
  "merchant-token": {
    status: 401,
    code: "not-authenticated",
    means: "A merchant's API token was sent to an operator's path.",
    todo: "Under /operator, send an operator's token (fg_operator_).",
  },
  "unknown-token": {
    status: 401,
    code: "not-authenticated",
    means: "The token has the right form, and this gateway does not know it.",
    todo: "Check whether it belongs to another gateway, for example the sandbox. If it is lost, ask the operator for a new one.",
  },
  "revoked-token": {
    status: 401,
    code: "not-authenticated",
    means: "The operator has revoked the token.",
    todo: "Ask the operator for a new one.",
  },
  "expired-token": {
    status: 401,
    code: "not-authenticated",
    means: "The token's expires_at has passed.",
    todo: "Ask the operator for a new one. In the sandbox, moving the clock makes tokens expire too.",
  },
  "no-session": {
    status: 401,
    code: "not-authenticated",
    means: "The browser's session has ended, or there is none.",
    todo: "Sign in. A session ends after 15 minutes without activity and 12 hours after sign-in, when somebody locks the person, and with a new password.",
  },
  "wrong-sign-in": {
    status: 401,
    means: "The e-mail, the password or the code is wrong, or the person is locked.",
    todo: "Try again, ten times at most; then ask an administrator or operator for a new password.",
  },
  "code-needed": {
    status: 401,
    means: "The password is right, and the account has a second factor.",
    todo: "Send e-mail and password again with code, or with recovery_code.",
  },
  "forged-notification": {
    status: 401,
    means: "A processor's notification has no valid signature.",
    todo: "Compare the secret in the processor record with the one at the processor.",
  },
  "missing-scope": {
    status: 403,
    means: "The token lacks the scope that the text names.",
    todo: "Use a token with this scope, or ask the operator for one.",
  },
  role: {
    status: 403,
    means: "The person's role does not allow this.",
    todo: "Ask an administrator of the merchant, or the operator.",
  },
  "missing-csrf-token": {
    status: 403,
    means: "The request is made with a session's cookie, and does not come from the gateway's own page.",
    todo: "Send the session's csrf_token in Faregate-CSRF, and sign in on the gateway's own page. Programs use tokens.",
  },
  "unfinished-sign-in": {
    status: 403,
    means: "The person has to choose a password, or to set up a second factor, before anything else.",
    todo: "Do that first, under /session.",
  },
  "not-found": {
    status: 404,
    means: "There is nothing at this path, or no such record.",
    todo: "Compare the path with the reference at /docs. Records of other merchants are not found either.",
  },
  "exists-already": {
    status: 409,
    means:
      "A record with the id or the external key of a create is there, and it is not what the request would create.",
    todo: "To change the record, change it under its id. To create another one, choose another id or external key.",
  },
  "method-not-allowed": {
    status: 405,
    means: "The path takes other methods.",
    todo: "Use one that the Allow header names.",
  },
  "stalled-request": {
    status: 408,
    means: "The request did not arrive in time.",
    todo: "Send it again. If it happens often, look at the network and at proxies.",
  },
  "too-large": {
    status: 413,
    means: "The body is too large, or has too many fields.",
    todo: "Send at most 64 KiB, or 1 MiB with passenger_transport, and at most 10,000 fields beside the passengers.",
  },
  "media-type": {
    status: 415,
    means: "The body has another media type or character set, or is compressed.",
    todo: "Send JSON, urlencoded or multipart in UTF-8, say which in Content-Type, and send no Content-Encoding.",
  },
  "mislabeled-body": {
    status: 415,
    code: "media-type",
    means: "The body is in another format than its Content-Type says.",
    todo: "Send the Content-Type that the text names. For JSON, curl -d, PHP's curl and Ruby's Net::HTTP say form unless they are told otherwise. For multipart, let the HTTP library write the header: it knows the boundary.",
  },
  "wrong-field": {
    status: 422,
    code: "invalid-request",
    means: "Fields are missing or wrong.",
    todo: "Correct each field as its text says. All wrong fields are named at once, up to a hundred.",
  },
  "too-many-requests": {
    status: 429,
    means: "The token, the person, the merchant or the connection sends more than its limit.",
    todo: "Wait as Retry-After says. Nothing reached the processor.",
  },
  "too-many-failed-authentications": {
    status: 429,
    means: "Too many requests without a valid token came from this address within a minute.",
    todo: "Correct the token first, then wait as Retry-After says. Valid tokens still work.",
  },
  "too-many-sign-ins": {
    status: 429,
    means:
      "Too many tries to sign in: ten to one account within half an hour, or twenty from one address within a minute.",
    todo: "Wait as Retry-After says, or ask an administrator or operator for a new password. On devices that signed in before, tries are counted apart.",
  },
  "headers-too-large": {
    status: 431,
    means: "The address and the headers have more than 16 KiB.",
    todo: "Send fewer or shorter headers, cookies or filters.",
  },
  "internal-error": {
    status: 500,
    means: "Something broke, or the outcome could not be recorded in time.",
    todo: "Send the request again with the same Idempotency-Key, or look the transaction up first. Give the operator the id.",
  },
  "processor-unreachable": {
    status: 503,
    means: "The processor could not be connected to. Nothing was sent; the attempt is on record.",
    todo: "Try again with a new Idempotency-Key, or send another processor_id.",
  },
  unavailable: {
    status: 503,
    means: "The gateway or its database cannot take the request now. Nothing was sent or changed.",
    todo: "Try again after Retry-After, or in a moment.",
  },
} as const satisfies Record<string, Guide>;

export type ErrorName = keyof typeof ERRORS;

/** @param name of an error, or of a refusal of the rules */
export function codeOf(name: string): string {
  const guide: Guide | undefined = Object.hasOwn(ERRORS, name) ? ERRORS[name as ErrorName] : undefined;
  return guide?.code ?? name;
}

export const GUIDE_PATH = "/docs/errors";

/** RFC 8288: for the header `Link` of an error's response. */
export const helpLink = (name: string, basePath = ""): string => `<${basePath}${GUIDE_PATH}#${name}>; rel="help"`;
