// The host's control port, HTTP on loopback: misbehave, settle, look into the books. For operators of a test and for
// programs that reconcile; gateways never come here.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { dayAsCsv } from "./export.ts";
import type { Host } from "./host.ts";
import { parseRule } from "./misbehaviour.ts";

export interface Control {
  readonly port: number;
  stop(): Promise<void>;
}

const LONGEST_BODY = 65_536;

export async function startControl(host: Host, port: number): Promise<Control> {
  const server = createServer((request, response) => {
    answer(host, request, response).catch((fault: unknown) => {
      const wrong = fault instanceof TypeError || fault instanceof SyntaxError;
      if (!response.headersSent) response.writeHead(wrong ? 400 : 500, { "content-type": "text/plain" });
      response.end(`${fault instanceof Error ? fault.message : fault}\n`);
    });
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(host: Host, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? "/", "http://control");
  const [, room = "", name = ""] = pathname.split("/");
  switch (`${request.method} /${room}`) {
    case "POST /misbehave":
      host.misbehave(parseRule(JSON.parse(await bodyOf(request))));
      return done(response);
    case "DELETE /misbehave":
      host.behave();
      return done(response);
    case "POST /settle":
      await host.settle();
      return done(response);
    case "POST /outage":
      void host.outage(millisecondsIn(JSON.parse(await bodyOf(request))));
      return done(response);
    case "GET /balance":
      response.end(`${host.books.balance(decodeURIComponent(name))}\n`);
      return;
    case "GET /books": {
      const day = /^(\d{4}-\d{2}-\d{2})\.csv$/.exec(name)?.[1];
      if (day === undefined) throw new TypeError("A day's books are at /books/YYYY-MM-DD.csv.");
      response.writeHead(200, { "content-type": "text/csv; charset=utf-8" });
      await pipeline(dayAsCsv(host.books, day), response);
      return;
    }
    default:
      response.writeHead(404).end();
  }
}

function done(response: ServerResponse): void {
  response.writeHead(204).end();
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) {
    body += chunk;
    if (body.length > LONGEST_BODY) throw new TypeError("The body is too long.");
  }
  return body;
}

function millisecondsIn(given: unknown): number {
  const ms = typeof given === "object" && given !== null && "ms" in given ? given.ms : undefined;
  if (typeof ms !== "number" || !(ms >= 0 && ms <= 3_600_000)) throw new TypeError("ms is a number from 0 to 3600000.");
  return ms;
}
