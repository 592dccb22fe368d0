// The host's control port, HTTP on loopback: misbehave, dispute a payment, pay out, and look into the books. Gateways never come here.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Host } from "./host.ts";
import { parseRule } from "./misbehaviour.ts";
import type { ByItself } from "./service.ts";

export interface Control {
  readonly port: number;
  stop(): void;
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
    stop: () => {
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
      return void response.writeHead(204).end();
    case "DELETE /misbehave":
      await host.behave();
      return void response.writeHead(204).end();
    case "POST /payout":
      return void response.end(`${host.payOut(name || "usd")}\n`);
    case "POST /end":
      host.endAll();
      return void response.writeHead(204).end();
    case "POST /forget-errors":
      host.forgetErrors();
      return void response.writeHead(204).end();
    case "POST /redeliver":
      await host.redeliver(new Date((JSON.parse(await bodyOf(request)) as { readonly since: string }).since));
      return void response.writeHead(204).end();
    case "GET /balance":
      return void response.end(`${host.ledger.state.balance(decodeURIComponent(name))}\n`);
    case "POST /disputes": {
      const told = await bodyOf(request);
      return void response.end(`${host.dispute(decodeURIComponent(name), told === "" ? {} : JSON.parse(told)).id}\n`);
    }
    case "POST /by-itself": {
      const { does, amount } = JSON.parse(await bodyOf(request)) as {
        readonly does: ByItself;
        readonly amount?: number;
      };
      host.byItself(decodeURIComponent(name), does, amount);
      return void response.writeHead(204).end();
    }
    case "GET /books": {
      const { payments, refunds } = host.ledger.state;
      const books = { payments: [...payments.values()], refunds: [...refunds.values()] };
      return void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(books));
    }
    default:
      response.writeHead(404).end();
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) {
    body += chunk;
    if (body.length > LONGEST_BODY) throw new TypeError("The body is too long.");
  }
  return body;
}
