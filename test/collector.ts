// A collector of traces: it takes what is sent to it over OpenTelemetry's protocol, and keeps the bodies.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Collector {
  /** For TRACES_ENDPOINT. */
  readonly endpoint: string;
  /** JSON. */
  readonly bodies: readonly string[];
  close(): void;
}

/** On loopback. */
export async function startCollector(): Promise<Collector> {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request.setEncoding("utf8")) body += piece;
    bodies.push(body);
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { endpoint: `http://127.0.0.1:${port}/v1/traces`, bodies, close };
}
