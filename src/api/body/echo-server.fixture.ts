// For the tests of this folder: a real server on a free port that answers with the tree it got, as JSON, and a raw
// connection to it for requests that no HTTP client would send.

import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import fc from "fast-check";
import Fastify, { type FastifyHttpOptions } from "fastify";
import { RequestFault } from "../request-fault.ts";
import type { DrainLimits } from "./incoming.ts";
import { bodyServerOptions, readBodies } from "./read-bodies.ts";

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

export interface EchoServer {
  readonly port: number;
  post(type: string | undefined, body: RequestInit["body"], headers?: Record<string, string>): Promise<Answer>;
  /** Everything that was sent back until the server or `done` ended it. */
  raw(send: (socket: Socket) => void, done?: (received: string) => boolean): Promise<string>;
  close(): Promise<void>;
}

export async function echoServer(
  options: FastifyHttpOptions<Server> = {},
  drainLimits: DrainLimits = { drainBytes: 16 * 1024 * 1024, drainMs: 1_000 },
): Promise<EchoServer> {
  const app = Fastify({ ...bodyServerOptions, forceCloseConnections: true, ...options });
  readBodies(app, drainLimits);
  app.setErrorHandler((error: Error & { readonly statusCode?: number }, _request, reply) => {
    const status = error.statusCode ?? 500;
    const message =
      error instanceof RequestFault ? error.messages : { [status < 500 ? "base" : "fatal"]: [error.message] };
    if (error instanceof RequestFault) reply.headers(error.headers ?? {});
    return reply.code(status).send({ error: { status, message }, debug: [] });
  });
  app.route({ method: ["POST", "PATCH"], url: "/echo", handler: async (request) => request.body });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return {
    port,
    async post(type, body, headers = {}) {
      const typed = type === undefined ? headers : { ...headers, "content-type": type };
      const answer = await fetch(`http://127.0.0.1:${port}/echo`, {
        method: "POST",
        headers: typed,
        body: body ?? null,
      });
      return { status: answer.status, body: await answer.json(), headers: answer.headers };
    },
    async raw(send, done = () => false) {
      const socket = connect(port, "127.0.0.1");
      await once(socket, "connect");
      const closed = new Promise((resolve) => socket.once("close", resolve));
      let received = "";
      socket.setEncoding("utf8").on("error", () => undefined);
      socket.on("data", (text: string) => {
        received += text;
        if (done(received)) socket.destroy();
      });
      send(socket);
      await closed;
      return received;
    },
    close: () => app.close(),
  };
}

export const JSON_TYPE = "application/json";
export const FORM_TYPE = "application/x-www-form-urlencoded";
export const MULTIPART_TYPE = "multipart/form-data; boundary=XX";

/** As most clients write it, with the boundary `XX`. */
export function multipartOf(fields: Iterable<readonly [name: string, value: string]>): string {
  const parts = Array.from(
    fields,
    ([name, value]) => `--XX\r\nContent-Disposition: form-data; name="${escaped(name)}"\r\n\r\n${value}\r\n`,
  );
  return `${parts.join("")}--XX--\r\n`;
}

function escaped(name: string): string {
  return name.replaceAll("\n", "%0A").replaceAll("\r", "%0D").replaceAll('"', "%22");
}

/** A tree or list to the flat fields that a form sends it as; what is empty is not sent. */
export function flatten(value: unknown, name = ""): [name: string, value: string][] {
  if (typeof value !== "object" || value === null) return [[name, String(value)]];
  return Object.entries(value).flatMap(([key, child]) => flatten(child, name === "" ? key : `${name}[${key}]`));
}

const key = fc.oneof(
  fc
    .string({ unit: "grapheme", minLength: 1 })
    .filter((name) => !/[[\]]|^(__proto__|constructor|prototype)$/.test(name)),
  fc.nat(3).map(String),
);
/** Objects and lists of texts, neither empty: forms have no way to send those. */
export const formTree = fc.dictionary(
  key,
  fc.letrec((tie) => ({
    value: fc.oneof({ depthSize: "small", maxDepth: 6 }, fc.string({ unit: "grapheme" }), tie("list"), tie("object")),
    list: fc.array(tie("value"), { minLength: 1, maxLength: 4 }),
    object: fc.dictionary(
      key.filter((name) => !/^\d/.test(name)),
      tie("value"),
      { minKeys: 1, maxKeys: 4, noNullPrototype: true },
    ),
  })).value,
  { minKeys: 1, maxKeys: 5, noNullPrototype: true },
);
