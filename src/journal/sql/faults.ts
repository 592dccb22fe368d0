// What goes wrong at the database, each with a code: PostgreSQL's SQLSTATE, the system's, or one of these.

export type OwnCode =
  /** The server hung up, or what it sent did not fit what it was asked. */
  | "CONNECTION_CLOSED"
  /** The pool was ended. */
  | "CONNECTION_ENDED"
  | "CONNECT_TIMEOUT"
  /** TLS is demanded, and the server has none. */
  | "TLS_NOT_THERE"
  /** The server said nothing for longer than it may take. */
  | "STATEMENT_DEADLINE"
  /** Nothing was sent: the session is on a history of the database that may not be worked on. */
  | "OTHER_LINEAGE"
  /** Nothing was sent: all connections were at work for too long, or too many others waited. */
  | "CONNECTIONS_BUSY";

/** After it the connection is gone: what was asked of it may or may not have been done. */
export class ConnectionFault extends Error {
  readonly code: OwnCode | string;
  constructor(code: OwnCode | string, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
  }
}

/** What PostgreSQL says of a statement (section 54.8). No detail: that quotes values. */
export class StatementFault extends Error {
  readonly code: string;
  readonly severity: string;
  readonly constraint_name: string | undefined;
  constructor(fields: ReadonlyMap<string, string>) {
    super(fields.get("M") ?? "no reason given");
    this.code = fields.get("C") ?? "";
    this.severity = fields.get("V") ?? fields.get("S") ?? "ERROR";
    this.constraint_name = fields.get("n");
  }
}

/** After these the session has ended, or is not worth keeping: 57014 is a statement that was stopped half-way. */
export const endsSession = ({ severity, code }: StatementFault): boolean => severity !== "ERROR" || /^57/.test(code);
