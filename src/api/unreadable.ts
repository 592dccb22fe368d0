// Responds to what Node cannot read as HTTP. Requests before it on the same connection are answered first, and an error is never
// written into the middle of a response.

import { randomUUID } from "node:crypto";
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { helpLink } from "./errors-guide.ts";
import type { Exchange, Exchanges } from "./exchanges.ts";
import type { Onlooker } from "./onlookers.ts";
import { REQUEST_ID } from "./request-id.ts";

interface Unreadable extends Error {
  readonly code?: string;
  readonly rawPacket?: unknown;
}

/** For a client to take the last answer, and to stop sending. */
const LINGER_MS = 2_000;

/** Installed by itself, since Fastify takes its handler before there are connections to follow. */
export const leaveUnreadable = (): void => undefined;

/** To be called before the server listens. @param told of each */
export function respondToUnreadable(
  app: FastifyInstance,
  { connections, onEnd }: Exchanges,
  told: Onlooker["unreadable"] = () => undefined,
): void {
  /** What is to be said on a connection as soon as all before it is. */
  const unsaid = new Map<Socket, string>();

  const sayIfDue = (socket: Socket): void => {
    const text = unsaid.get(socket);
    if (text === undefined || [...(connections.get(socket) ?? [])].some(comesBefore)) return;
    unsaid.delete(socket);
    endWith(socket, text);
  };

  const say = (socket: Socket, status: Status, headOnly: boolean): void => {
    // Each piece that still comes is one more error.
    if (unsaid.has(socket) || socket.writableEnded) return;
    const requestId = randomUUID();
    unsaid.set(socket, responseOf(status, requestId, headOnly));
    told({ requestId, status, address: socket.remoteAddress });
    socket.pause();
    socket.once("close", () => unsaid.delete(socket));
    sayIfDue(socket);
  };

  onEnd(sayIfDue);
  app.server.on("clientError", (error: Unreadable, socket: Socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
    const alone = (connections.get(socket)?.size ?? 0) === 0;
    say(socket, statusOf(error), alone && isHead(error));
  });
  // Without a listener Node closes the connection at once, and with it go the responses of what came before.
  app.server.on("connect", (_request: IncomingMessage, socket: Socket) => {
    socket.on("error", () => socket.destroy());
    say(socket, 400, false);
  });
}

/** A request that did not arrive whole is the one that cannot be read, unless it is being answered already. */
const comesBefore = ({ request, response }: Exchange): boolean => request.complete || response.headersSent;

function endWith(socket: Socket, text: string): void {
  if (!socket.writable) return void socket.destroy();
  socket.end(text);
  // Closed at once it would be reset under a client that still sends, and the response lost.
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

const UNREADABLE = {
  400: "The request is not HTTP as it can be read.",
  408: "The request did not arrive in time.",
  431: "The request's headers are too large.",
} as const;

const HELP = { 400: "unreadable-request", 408: "stalled-request", 431: "headers-too-large" } as const;

type Status = keyof typeof UNREADABLE;

const statusOf = ({ code }: Unreadable): Status =>
  code === "HPE_HEADER_OVERFLOW" ? 431 : code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;

function responseOf(status: Status, requestId: string, headOnly: boolean): string {
  const body = JSON.stringify({ error: { status, message: { base: [UNREADABLE[status]] } }, debug: [] });
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json; charset=utf-8\r\n` +
    `link: ${helpLink(HELP[status])}\r\n${REQUEST_ID}: ${requestId}\r\n` +
    `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${headOnly ? "" : body}`
  );
}

/** Of its response only the head is sent (RFC 9110, section 9.3.2), as far as the method can be told. */
const isHead = ({ rawPacket }: Unreadable): boolean =>
  Buffer.isBuffer(rawPacket) && rawPacket.toString("latin1", 0, 5) === "HEAD ";
