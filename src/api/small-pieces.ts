// Bodies in very many small pieces, such as chunks of a byte: a piece takes as long to read as a thousand bytes do, and Node
// reads all that have arrived in one turn of its event loop. Ten connections of such bodies held the loop for seconds.

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { AIRLINE_BODY_BYTES } from "./body/bounds.ts";
import type { Exchanges } from "./exchanges.ts";

/** The code of the error that the connection ends with. */
export const SMALL_PIECES = "FAREGATE_SMALL_PIECES";

/** Whoever sends a body field by field, as it is written, keeps far within this. */
const FREE_PIECES = 1_000;
const LEAST_BYTES_A_PIECE = 128;
/** For a client to take the response. */
const LINGER_MS = 2_000;

/** To be called before the server listens, and before any route is added. */
export function refuseSmallPieces(app: FastifyInstance, { notServed }: Exchanges, lingerMs = LINGER_MS): void {
  const stopped = new WeakSet<Socket>();
  const stop = (socket: Socket): void => {
    stopped.add(socket);
    stopReading(socket);
  };
  app.server.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    // It came before reading has stopped. Nobody could tell its client what became of it.
    if (stopped.has(socket)) notServed.add(request);
    if (!mayHaveMany(request)) return;
    response.once("finish", () => {
      if (isLeftUnread(request)) endLater(socket, stop, lingerMs);
    });
    countPieces(request, () => {
      notServed.add(request);
      stop(socket);
      // Behind a CONNECT, Node forgets it, and whoever reads it would wait without end.
      socket.once("close", () => request.destroy());
      const error = Object.assign(new Error("a body in too many small pieces"), { code: SMALL_PIECES });
      app.server.emit("clientError", error, socket);
    });
  });
  app.addHook("onSend", ({ raw }, reply, payload, done) => {
    if (isLeftUnread(raw)) {
      reply.header("connection", "close");
      raw.socket.destroySoon = () => endLater(raw.socket, stop, lingerMs);
    }
    done(null, payload);
  });
}

function mayHaveMany({ headers }: IncomingMessage): boolean {
  const length = headers["content-length"];
  return length === undefined ? isInChunks(headers) : Number(length) > FREE_PIECES;
}

const isInChunks = (headers: IncomingHttpHeaders): boolean => headers["transfer-encoding"] !== undefined;

/**
 * The rest of a body that was not asked for: Node would read it to the end, at the price of one that is asked for. What is no
 * longer than a body may be is let pass, for the next request on the connection.
 */
const isLeftUnread = ({ complete, headers }: IncomingMessage): boolean =>
  !complete && (isInChunks(headers) || Number(headers["content-length"] ?? 0) > AIRLINE_BODY_BYTES);

/** Node would close it at once: reset under a client that still sends, which loses the response. */
function endLater(socket: Socket, stop: (socket: Socket) => void, lingerMs: number): void {
  socket.end();
  stop(socket);
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

/** Node has the last word otherwise: it wants to read what is left of the body. Its parser is left alone: it serves others next. */
function stopReading(socket: Socket): void {
  setImmediate(() => socket.pause());
}

/** Node hands each piece to this method. To listen to the request's data instead would make it flow. */
function countPieces(request: IncomingMessage, refuse: () => void): void {
  const push = request.push.bind(request);
  let [pieces, bytes, refused] = [0, 0, false];
  request.push = (piece: Buffer | null): boolean => {
    if (refused) return false;
    if (piece === null) return push(piece);
    pieces++;
    bytes += piece.length;
    if (pieces <= FREE_PIECES || bytes >= pieces * LEAST_BYTES_A_PIECE) return push(piece);
    refused = true;
    refuse();
    return false;
  };
}
