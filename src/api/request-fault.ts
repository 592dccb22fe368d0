// A request that is answered with an error: which status, and what to tell the caller about which field.
// It is thrown by whoever finds the fault; the error handler of the API renders it.

export type FaultStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 422 | 429 | 500 | 503;

/** Texts by the field they are about (dotted when nested), or `base` for the whole request, or `fatal` for the system. */
export type FaultMessages = Readonly<Record<string, readonly string[]>>;

export class RequestFault extends Error {
  override readonly name = "RequestFault";
  readonly status: FaultStatus;
  readonly messages: FaultMessages;
  /** To be sent with the answer; names in lower case. */
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(status: FaultStatus, messages: FaultMessages, headers?: Readonly<Record<string, string>>) {
    super(Object.values(messages).flat().join(" "));
    this.status = status;
    this.messages = messages;
    this.headers = headers;
  }

  /** Under the name that Fastify looks for, so that a fault without our error handler is still no 500. */
  get statusCode(): FaultStatus {
    return this.status;
  }
}

/** A fault of the whole request. */
export function baseFault(status: FaultStatus, text: string, headers?: Readonly<Record<string, string>>): RequestFault {
  return new RequestFault(status, { base: [text] }, headers);
}
