// A merchant's server that webhooks are sent to, on loopback, for tests: keeps what it gets and answers as it is told.

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** What it answers from now on: a status, or anything else. */
  answer: number | ((response: ServerResponse, request: IncomingMessage) => void);
  /** Connections that were ever made. */
  readonly connections: () => number;
  /** When so many requests have come. */
  got(count: number): Promise<readonly Received[]>;
  close(): Promise<void>;
}

const PATIENCE_MS = 120_000;

/** Waits for what is to happen elsewhere. */
export async function until(what: string, there: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; !(await there()); await sleep(10))
    if (performance.now() > end) throw new Error(`it did not come to this: ${what}`);
}

export async function startReceiver(): Promise<Receiver> {
  let connections = 0;
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    received.push({ path: request.url ?? "", headers: request.headers, body });
    const { answer } = receiver;
    if (typeof answer === "number") response.writeHead(answer).end();
    else answer(response, request);
  });
  server.on("connection", () => connections++);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answer: 204,
    connections: () => connections,
    got: async (count) => {
      await until(`${count} webhooks received`, () => received.length >= count);
      return received;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((closed) => server.close(() => closed()));
    },
  };
  return receiver;
}

/**
 * Whether one of the signatures is right, by the rule that Standard Webhooks 1.0 publishes: HMAC-SHA256 over
 * `id.timestamp.body`, keyed with what stands in base64 behind `whsec_`. Shares nothing with the gateway's own code.
 */
export async function verifies(secret: string, { headers, body }: Received): Promise<boolean> {
  const raw = Uint8Array.from(atob(secret.replace(/^whsec_/, "")), (letter) => letter.charCodeAt(0));
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", raw, algorithm, false, ["verify"]);
  const content = new TextEncoder().encode(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`);
  for (const one of String(headers["webhook-signature"]).split(" ")) {
    const [version, signature = ""] = one.split(",");
    const bytes = Uint8Array.from(atob(signature), (letter) => letter.charCodeAt(0));
    if (version === "v1" && (await crypto.subtle.verify(algorithm, key, bytes, content))) return true;
  }
  return false;
}
