// A request whose response is an error: which status, and what to tell the caller about which field.
// It is thrown by whoever finds the fault; the error handler of the API renders it.

import { MOST_TOLD } from "../validation/problems.ts";
import { codeOf, type ErrorName } from "./errors-guide.ts";

export type FaultStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 422 | 429 | 500 | 503;

/** Texts by the field they are about (dotted when nested), or `base` for the whole request, or `fatal` for the system. */
export type FaultMessages = Readonly<Record<string, readonly string[]>>;

/** Names of refusals of the rules, with commas between them. */
export const REFUSAL_HEADER = "faregate-refusal";

/** The one shape of all errors (decisions 3). */
export const errorBody = (status: number, code: string, message: FaultMessages): string =>
  JSON.stringify({ error: { status, code, message }, debug: [] });

/** An error response: its status, and texts by field. */
export class RequestFault extends Error {
  override readonly name = "RequestFault";
  readonly status: FaultStatus;
  readonly messages: FaultMessages;
  /** To be sent with the response; names in lower case. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** Where docs/errors.md says what to do. */
  readonly help: string;
  /** For programs: the refusals of the rules, or the kind of the error. */
  readonly code: string;
  #body: string | undefined;

  /** @param help without it the status tells */
  constructor(status: FaultStatus, messages: FaultMessages, headers?: Readonly<Record<string, string>>, help?: string) {
    const told = withinBounds(messages);
    // It is no bug whose place anybody looks for, and floods of wrong requests make many: a stack takes as long as the rest.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(Object.values(told).flat().join(" "));
    Error.stackTraceLimit = stackTraceLimit;
    this.status = status;
    this.messages = told;
    this.headers = headers;
    this.help = help ?? HELP[status];
    this.code = headers?.[REFUSAL_HEADER] ?? codeOf(this.help);
  }

  /** As it is sent, in the one shape of all errors. Faults that are made once and sent often are written once. */
  get body(): string {
    this.#body ??= errorBody(this.status, this.code, this.messages);
    return this.#body;
  }

  /** Under the name that Fastify looks for, so that a fault without our error handler is still no 500. */
  get statusCode(): FaultStatus {
    return this.status;
  }
}

/** A fault of the whole request. */
export function baseFault(
  status: FaultStatus,
  text: string,
  headers?: Readonly<Record<string, string>>,
  help?: ErrorName,
): RequestFault {
  return new RequestFault(status, { base: [text] }, headers, help);
}

/** What it is if nobody says otherwise. */
const HELP: Readonly<Record<FaultStatus, ErrorName>> = {
  400: "unreadable-request",
  401: "no-token",
  403: "missing-scope",
  404: "not-found",
  405: "method-not-allowed",
  409: "too-many-requests",
  413: "too-large",
  415: "media-type",
  422: "wrong-field",
  429: "too-many-requests",
  500: "internal-error",
  503: "unavailable",
};

/** With its frame a response stays below 32 kB, whatever was sent. */
const MOST_BYTES = 28_000;
const MORE =
  "There are more wrong fields than are named here. Put these right and send the request again to be told of the others.";

/** The first of the fields, and a word on it where that is not all of them. */
function withinBounds(messages: FaultMessages): FaultMessages {
  const told: Record<string, readonly string[]> = {};
  let bytes = 0;
  for (const [index, [field, texts]] of Object.entries(messages).entries()) {
    bytes += Buffer.byteLength(JSON.stringify([field, texts]));
    if (index >= MOST_TOLD || bytes > MOST_BYTES) return { ...told, base: [...(messages.base ?? []), MORE] };
    told[field] = texts;
  }
  return messages;
}
