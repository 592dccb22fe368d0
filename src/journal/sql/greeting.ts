// How a connection begins: address, TLS, authentication. `pg` does that; everything after it is ours. Even here, no truncated message
// reaches its parser.

import { EventEmitter } from "node:events";
import type { Duplex } from "node:stream";
import { Client, type ClientConfig } from "pg";
import { parse } from "pg-protocol";
import { ConnectionFault, StatementFault } from "./faults.ts";
import { frames, type Receive } from "./frames.ts";
import { readFields, TYPE } from "./messages.ts";

/** Of pg's connection, what is used here (pg/lib/connection.js). */
interface Wire extends EventEmitter {
  readonly stream: Duplex;
  attachListeners(stream: Duplex): void;
}

export interface Listener {
  /** Every message after the greeting. @throws if it does not fit */
  readonly receive: Receive;
  /** What arrived cannot be: nothing more of it is looked at. */
  readonly violated: (fault: unknown) => void;
  /** The server hung up. */
  readonly lost: (fault: unknown) => void;
}

export interface Greeted {
  readonly stream: Duplex;
  /** The server's process for this connection. */
  readonly serverPid: number;
}

export async function greet(
  config: ClientConfig,
  timeoutMs: number,
  { receive, violated, lost }: Listener,
): Promise<Greeted> {
  const client = new Client({ ...config, keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE_MS });
  const wire = (client as unknown as { readonly connection: Wire }).connection;
  let refusal: StatementFault | undefined;
  wire.attachListeners = (stream) => {
    const greeting = greetingParser(wire, (fault) => {
      refusal = fault;
    });
    let greeted = false;
    const next = frames((type, bytes, start, end) => {
      if (greeted) return receive(type, bytes, start, end);
      greeted = type === TYPE.readyForQuery;
      greeting(type, bytes, start, end);
    });
    stream.on("data", (chunk: Buffer) => {
      if (stream.destroyed) return;
      try {
        next(chunk);
      } catch (fault) {
        violated(fault);
        stream.destroy();
      }
    });
    stream.on("error", lost);
    stream.on("close", () => lost(refusal));
  };
  // Whatever goes wrong is told by the stream, or by the promise of connect.
  client.on("error", () => undefined);
  await inTime(client.connect(), timeoutMs, () => wire.stream.destroy()).catch((fault: unknown) => {
    wire.stream.destroy();
    throw refusal ?? named(fault);
  });
  const { processID } = client as unknown as { readonly processID: number };
  return { stream: wire.stream, serverPid: processID };
}

const KEEP_ALIVE_MS = 30_000;

/** pg takes the messages of the greeting as events. Its parser reads on behind an error that is cut off. */
function greetingParser(wire: Wire, refused: (fault: StatementFault) => void): Receive {
  const source = new EventEmitter();
  void parse(source as unknown as NodeJS.ReadableStream, (message) => {
    wire.emit(message.name === "error" ? "errorMessage" : message.name, message);
  });
  return (type, bytes, start, end) => {
    if (type === TYPE.error || type === TYPE.notice) {
      const fields = readFields(bytes, start, end);
      if (type === TYPE.error) refused(new StatementFault(fields));
    }
    // In bytes of its own, so that what is cut off ends here.
    source.emit("data", Buffer.from(bytes.subarray(start - HEADER, end)));
  };
}

const HEADER = 5;

async function inTime<T>(work: Promise<T>, ms: number, late: () => void): Promise<T> {
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    late();
  }, ms);
  try {
    return await work;
  } catch (fault) {
    if (isLate) throw new ConnectionFault("CONNECT_TIMEOUT", "the database does not answer");
    throw fault;
  } finally {
    clearTimeout(timer);
  }
}

/** The system's faults have codes; what else went wrong is a connection that did not come about. */
function named(fault: unknown): unknown {
  if (fault instanceof Error && "code" in fault) return fault;
  // pg/lib/connection.js: the server has answered `N` to the request for TLS.
  if (fault instanceof Error && fault.message === "The server does not support SSL connections")
    return new ConnectionFault("TLS_NOT_THERE", "the server does not speak TLS", fault);
  return new ConnectionFault("CONNECTION_CLOSED", "the connection was closed while it began", fault);
}
