// Responds to what Node cannot read as HTTP. Requests before it on the same connection are answered first, and an error is never
// written into the middle of a response.

import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { STATUS_CODES } from "../node-http.ts";
import { codeOf, type ErrorName, helpLink } from "./errors-guide.ts";
import type { Exchange, Exchanges } from "./exchanges.ts";
import type { Onlooker } from "./onlookers.ts";
import { errorBody } from "./request-fault.ts";
import { REQUEST_ID } from "./request-id.ts";
import { SMALL_PIECES } from "./small-pieces.ts";

interface Unreadable extends Error {
  readonly code?: string;
  readonly rawPacket?: unknown;
}

/** For a client to take the last answer, and to stop sending. */
const LINGER_MS = 2_000;
const WARN_EVERY_MS = 60_000;

/** Installed by itself, since Fastify takes its handler before there are connections to follow. */
export const leaveUnreadable = (): void => undefined;

/** To be called before the server listens. @param told of each */
export function respondToUnreadable(
  app: FastifyInstance,
  { connections, onEnd, notServed }: Exchanges,
  told: Onlooker["unreadable"] = () => undefined,
): void {
  /** What is to be said on a connection as soon as all before it is. */
  const unsaid = new Map<Socket, { readonly text: string; readonly reason: Reason }>();

  /** What did not arrive whole, or is not served, is what cannot be read, unless it is being answered already. */
  const comesBefore = ({ request, response }: Exchange): boolean =>
    response.headersSent || (request.complete && !notServed.has(request));

  const sayIfDue = (socket: Socket): void => {
    const due = unsaid.get(socket);
    if (due === undefined || [...(connections.get(socket) ?? [])].some(comesBefore)) return;
    unsaid.delete(socket);
    endWith(socket, due.text);
    // Closed at once it would be reset under a client that still sends, and the response lost.
    if (due.reason !== REASONS.pieces) socket.resume();
  };

  const say = (socket: Socket, reason: Reason, headOnly: boolean): void => {
    // Each piece that still comes is one more error.
    if (unsaid.has(socket) || socket.writableEnded) return;
    const requestId = randomUUID();
    if (reason === REASONS.h2) warnOfH2c(socket.remoteAddress);
    unsaid.set(socket, { text: responseOf(reason, requestId, headOnly, app.basePath), reason });
    told({ requestId, status: reason.status, address: socket.remoteAddress });
    socket.pause();
    socket.once("close", () => unsaid.delete(socket));
    sayIfDue(socket);
  };

  let warnedAtMs = Number.NEGATIVE_INFINITY;
  const warnOfH2c = (address: string | undefined) => {
    if (performance.now() - warnedAtMs < WARN_EVERY_MS) return;
    warnedAtMs = performance.now();
    app.log.warn({ address }, `HTTP/2 was refused. ${NO_H2C}`);
  };

  onEnd(sayIfDue);
  app.server.on("clientError", (error: Unreadable, socket: Socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
    const alone = (connections.get(socket)?.size ?? 0) === 0;
    say(socket, reasonOf(error), alone && isHead(error));
  });
  // Without a listener Node closes the connection at once, and with it go the responses of what came before.
  app.server.on("connect", (_request: IncomingMessage, socket: Socket) => {
    socket.on("error", () => socket.destroy());
    say(socket, REASONS.unreadable, false);
  });
}

function endWith(socket: Socket, text: string): void {
  if (socket.writable) socket.end(text);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/**
 * Who begins with HTTP/2 (RFC 9113, section 3.4) gets this in HTTP/1.1, which every client takes for an error at once. Refused in HTTP/2's own words
 * (GOAWAY, HTTP_1_1_REQUIRED), Go's client tries again for a minute. A client that only offers HTTP/2 (`Upgrade: h2c`) is answered in HTTP/1.1, as
 * RFC 9110, section 7.8 lets a server do: Java's does so with each request.
 */
const NO_H2C =
  "This gateway speaks HTTP/1.1, and no HTTP/2 without TLS (h2c). Let the proxy use HTTP/1.1 towards the gateway.";

interface Reason {
  readonly status: number;
  readonly text: string;
  readonly help: ErrorName;
}

const REASONS = {
  unreadable: { status: 400, text: "The request is not HTTP as it can be read.", help: "unreadable-request" },
  pieces: {
    status: 400,
    text: "The body comes in too many small pieces. Nothing was done; send it whole, or in larger pieces.",
    help: "unreadable-request",
  },
  late: { status: 408, text: "The request did not arrive in time.", help: "stalled-request" },
  h2: {
    status: 505,
    text: NO_H2C,
    help: "unreadable-request",
  },
  headers: { status: 431, text: "The request's headers are too large.", help: "headers-too-large" },
} as const satisfies Readonly<Record<string, Reason>>;

const BY_CODE: Readonly<Record<string, Reason>> = {
  HPE_PAUSED_H2_UPGRADE: REASONS.h2,
  HPE_HEADER_OVERFLOW: REASONS.headers,
  ERR_HTTP_REQUEST_TIMEOUT: REASONS.late,
  [SMALL_PIECES]: REASONS.pieces,
};

const reasonOf = ({ code = "" }: Unreadable): Reason => BY_CODE[code] ?? REASONS.unreadable;

function responseOf({ status, text, help }: Reason, requestId: string, headOnly: boolean, basePath?: string): string {
  const body = errorBody(status, codeOf(help), { base: [text] });
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json; charset=utf-8\r\n` +
    `link: ${helpLink(help, basePath)}\r\n${REQUEST_ID}: ${requestId}\r\n` +
    `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${headOnly ? "" : body}`
  );
}

/** Of its response only the head is sent (RFC 9110, section 9.3.2), as far as the method can be told. */
const isHead = ({ rawPacket }: Unreadable): boolean =>
  Buffer.isBuffer(rawPacket) && rawPacket.toString("latin1", 0, 5) === "HEAD ";
