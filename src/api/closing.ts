// Closes the server's connections. Fastify closes idle ones and waits for all others, so a client that sends no request, stalls
// within a body, does not read its response or keeps its connection alive could delay the process for as long as it likes.

import type { Socket } from "node:net";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { BACKLOG } from "./doors.ts";
import type { Exchange, Exchanges } from "./exchanges.ts";

/** For a request to arrive whole, or a response to be taken. What is being worked on has deadlines of its own. */
const GRACE_MS = 10_000;
/** A door lets one in a turn, and has places for so many: by then all have been let in that waited when the stop began. */
const MOST_TURNS = BACKLOG;
/** In the first the rest of what the system had told of is read, in the second what came meanwhile. */
const TURNS_TO_READ = 2;

/** To be called before the server listens. */
export function letGoOnClose(app: FastifyInstance, { connections, onEnd }: Exchanges, graceMs = GRACE_MS): void {
  let closing = false;
  let letIn = 0;
  app.server.on("connection", () => letIn++);
  onEnd((socket) => {
    if (closing && connections.get(socket)?.size === 0) socket.end();
  });
  let looking: NodeJS.Timeout | undefined;
  /** Stalled when it was last looked. */
  let stalled: ReadonlySet<Socket> | undefined;
  const look = () => {
    // Not a hook of Fastify's: those of other sockets may still be there when the server's own have ended.
    if (connections.size === 0) clearInterval(looking);
    const now = [...connections].filter(([, [oldest]]) => isStalled(oldest)).map(([socket]) => socket);
    // A response that began since the last look has as long as the others had.
    for (const socket of now) if (stalled === undefined || stalled.has(socket)) socket.destroy();
    stalled = new Set(now);
  };
  const closeIdle = async () => {
    // Those who were let in last have yet to be read.
    for (let turns = 0; turns < TURNS_TO_READ; turns++) await turnOfTheLoop();
    for (const [socket, inFlight] of connections) if (inFlight.size === 0) socket.destroy();
  };
  app.addHook("preClose", async () => {
    closing = true;
    // So that the client does not send another request on it.
    for (const { response } of [...connections.values()].flatMap((inFlight) => [...inFlight]))
      response.shouldKeepAlive = false;
    // What has arrived and was not read yet is a request in flight, too, also on a connection that still waits to be let in: to close now
    // would reset the connection under it. Where nobody was let in in a turn, nobody waited.
    for (let turns = 0, before = 0; turns < TURNS_TO_READ || (letIn > before && turns < MOST_TURNS); turns++) {
      before = letIn;
      await turnOfTheLoop();
    }
    void closeIdle();
    looking = setInterval(look, graceMs).unref();
  });
}

const isStalled = (exchange: Exchange | undefined): boolean =>
  exchange === undefined || !exchange.request.complete || exchange.response.headersSent;
